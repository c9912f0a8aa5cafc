/**
 * Withdraws a status and an approval that belong to another input, also while the review of the present input has to wait
 * or will not start: an approval is not tied to a commit on every forge. If a branch is reset to a reviewed head, the
 * status of that head is kept.
 */
import { change, type DecideInput, type Decision, isDoubtful, isOtherInput, emit } from './decision.ts';
import type { Effect } from '../model/effect.ts';
import { isPresent, lastReviewed } from '../model/history.ts';
import { findInput, type Input, inputKey, inputOf } from '../model/input.ts';

/**
 * Orders a withdrawal once per pair of inputs. If Redis has been lost, the withdrawal is ordered again but changes
 * nothing.
 */
export const withdrawApproval = (decision: Decision, { facts, policy, freshRunId }: DecideInput): Decision => {
  const { changeRequest, history } = facts;
  if (changeRequest === null) return decision;
  const present = inputOf(changeRequest);
  const { state } = decision;
  const isOther = isOtherInput(state, present);
  // An acknowledgement or an announcement already sets the status to pending.
  const pending = isOther && !state.outbox.some(({ kind }) => SAYS_PENDING.has(kind));
  const last = lastReviewed(history);
  const isEarned = isPresent(last, changeRequest) || findInput(history.reviewed, present)?.verdict === 'lgtm';
  const mayStand = policy.forgeVerdict === 'approve_and_request_changes' && last?.verdict === 'lgtm' && !isEarned;
  const approved = mayStand && !state.outbox.some(withdrawsItself);
  if (!isOther && !approved) return decision;
  const pair = pairOf(present, last);
  if (state.withdrawnFor === pair) return decision;
  const marked = change(decision, { withdrawnFor: pair });
  if (!pending && !approved) return marked;
  return emit(
    marked,
    { kind: 'withdraw_approval', input: present, pending, noticeId: freshRunId },
    isDoubtful(state, present) ? 'the merge base is not known' : 'the verdict on the forge is about another input',
  );
};

const SAYS_PENDING: ReadonlySet<string> = new Set(['acknowledge', 'announce']);

/** The plans of these effects settle the approval, too. */
const withdrawsItself = (effect: Effect): boolean =>
  effect.kind === 'post_cap' || (effect.kind === 'announce' && effect.run.kind === 'review');

const pairOf = (present: Input, last: Input | null): string =>
  `${inputKey(present)} ${last === null ? 'nothing' : inputKey(last)}`;
