/** Describes what the bot is doing for the change request, or why it does nothing, for a person who asks. */
import { type DecideInput, isInputSettled, isReviewed } from './decision.ts';
import { mustAwaitReports } from './await-ci.ts';
import { skipRuleOf, triggerRuleOf } from './filters.ts';
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import { type Input, inputOf, mayBeSameInput } from '../model/input.ts';
import { Cap, CAP_CODES } from '../model/counts.ts';
import type { Facts } from '../model/facts.ts';
import type { Run } from '../model/run.ts';
import type { Situation } from '../model/command-reply.ts';
import type { GuardState, Parked } from '../model/state.ts';

export const situationOf = (state: GuardState, input: DecideInput): Situation => {
  const { changeRequest } = input.facts;
  return workOf(state, input) ?? (changeRequest === null ? { kind: 'unseen' } : restOf(state, changeRequest, input));
};

const workOf = (state: GuardState, input: DecideInput): Situation | null => {
  const { running, fixing, wanted, quiet } = state;
  if (running !== null) return runOf(running);
  if (fixing !== null) return { kind: 'fixing' };
  if (wanted !== null) return { kind: mustAwaitReports(state, wanted, input) ? 'awaiting_report' : 'wanted' };
  return quiet === null ? null : { kind: 'quiet', untilMs: quiet.untilMs };
};

const runOf = (run: Run): Situation => {
  if (run.waits !== undefined) return { kind: 'outage', what: run.waits.what };
  if (run.phase === 'giving_up') return { kind: 'giving_up' };
  const carried = run.kind === 'review' && run.carried !== undefined;
  if (run.phase === 'waiting_ci') return { kind: 'waiting_ci', carried };
  if (run.kind === 'reply') return { kind: 'replying' };
  if (run.kind === 'reevaluate') return { kind: 'reevaluating' };
  return { kind: run.phase === 'posting' ? 'posting' : 'reviewing', carried };
};

/** Describes a change request for which nothing is in progress. */
const restOf = (state: GuardState, facts: ChangeRequestFacts, input: DecideInput): Situation => {
  const { policy } = input;
  const present = inputOf(facts);
  if (isReviewed(state, present)) return { kind: 'settled' };
  const { parked } = state;
  if (parked !== null && isWaiting(parked, present)) return { kind: 'parked', untilMs: parked.untilMs };
  if (isInputSettled(state, present)) return closedBy(present, input.facts);
  const rule = skipRuleOf(facts, policy, state.pauses) ?? triggerRuleOf(state, facts, policy);
  return rule === null ? { kind: 'unseen' } : { kind: 'skipped', rule };
};

const isWaiting = (parked: Parked, present: Input): boolean => !parked.again && mayBeSameInput(parked, present);

/**
 * Describes a closed input by the reason of its hand-off. Until the forge shows the hand-off, the input is described as
 * failed.
 */
const closedBy = ({ head }: Input, { history }: Facts): Situation => {
  const reason = history.handoffs.findLast((each) => each.head === head)?.reason;
  const cap = Cap.options.find((each) => CAP_CODES[each] === reason);
  return cap === undefined ? { kind: 'failed' } : { kind: 'capped', cap };
};
