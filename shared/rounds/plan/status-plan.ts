import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan } from './empty-plan.ts';
import { endedUnder } from './closed-plan.ts';
import { type Input, inputOf } from '../model/input.ts';
import type { PostPlan } from '../model/posting/post-plan.ts';
import type { Effect } from '../model/effect.ts';
import { cutStatusText } from './wording/status-words.ts';

type StatusOrder = Omit<Extract<Effect, { readonly kind: 'write_status' }>, 'kind'>;

/** The poster computes the status from all change requests with this commit; if there are none, it uses the planned status. */
export const buildStatusPlan = (context: PlanContext, command: StatusOrder): PostPlan => {
  const { head, noticeId } = command;
  const input: Input = { ...inputOf(context.facts), head };
  return {
    ...emptyPlan(context, { runId: noticeId, ...input, review: 1, attempt: 1 }, 'status'),
    planId: `${noticeId}-status-${head.slice(0, 12)}`,
    summary: null,
    status: plannedStatus(context.facts, command),
  };
};

const plannedStatus = (
  facts: ChangeRequestFacts,
  { isDue, left, waits }: Pick<StatusOrder, 'isDue' | 'left' | 'waits'>,
): PostPlan['status'] => {
  if (left) return { state: 'error', description: endedText(facts) };
  if (isDue) return { state: 'pending', description: 'Not reviewed yet' };
  return waits === null ? null : { state: 'pending', description: cutStatusText(`Not reviewed: ${waits}`) };
};

const endedText = ({ state, head }: ChangeRequestFacts): string =>
  state === 'open' ? `Not reviewed: replaced by commit ${head.slice(0, 10)}` : endedUnder(state);
