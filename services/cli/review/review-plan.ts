/** Plans a local review before a model is called: for `--plan`, and to refuse a review that does not fit its budget. */
import type { Packet } from '../../reviewer/packet/packet.ts';
import { findModel } from '../../../shared/config/model-roles.ts';
import { fitReview, reviewPartsOf } from '../../reviewer/run/plan-review.ts';
import type { Runner } from '../../reviewer/run/runner.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { LOCAL_PAYER, type LocalReviewer } from './local-runners.ts';
import { type LocalPlan, notFittingText } from './plan-text.ts';
import type { LocalModel } from './review-model.ts';

export const planLocally = (packet: Packet, { connected, agent }: LocalModel): LocalPlan => {
  const { reviewer, maxParts } = agent;
  const { ledger, price } = connected.meterOf(reviewer.model, { ...LOCAL_PAYER, role: 'reviewer' });
  const budget = ledger.limits.run;
  const parts = reviewPartsOf(packet, agent);
  const { model } = findModel(agent, reviewer.model);
  return { model, price, budget, maxParts, parts, fit: fitReview(parts, agent, { price, budget }) };
};

/** Only a review in parts is refused: a smaller review ends within its budget or reports that it did not. */
export const isRefused = ({ parts, fit }: LocalPlan): boolean => parts.length > 1 && fit.left.length > 0;

export const refusingWhatDoesNotFit = (runner: Runner, reviewer: LocalReviewer): Runner => {
  if (reviewer.kind !== 'agent' || runner.name !== 'agent') return runner;
  return {
    ...runner,
    run: async (input, signal) => {
      const plan = planLocally(input.packet, reviewer.model);
      if (isRefused(plan)) throw new UsageError(`${notFittingText(plan)}. \`fixpoint review --plan\` shows the parts`);
      return runner.run(input, signal);
    },
  };
};
