import { change, type DecideInput, type Decision, isReviewed } from './decision.ts';
import { mayStartRun, stageOf } from '../model/counts.ts';
import type { CommandReply } from '../model/command-reply.ts';
import { inputOf, mayBeSameInput } from '../model/input.ts';
import { MAX_GRANTS, withGrants } from '../model/policy.ts';
import type { ReviewCommand } from '../model/facts.ts';
import { type GuardState, MAX_GRANTS_PER_DAY } from '../model/state.ts';

const DAY_MS = 86_400_000;

/** `reply`: the request leads to no review, and the bot says why. */
export type Grant =
  | { readonly kind: 'granted'; readonly decision: Decision }
  | { readonly kind: 'reply'; readonly say: CommandReply };

/**
 * If the input was already reviewed, the verdict is repeated unless `--full` is set. A request grants at most one round:
 * with `--full` always, otherwise only if the caps would prevent or restrict the review.
 */
export const grantReview = (
  decision: Decision,
  call: Pick<ReviewCommand, 'full' | 'instructions'>,
  input: DecideInput,
): Grant => {
  const { state } = decision;
  const { running } = state;
  const { changeRequest } = input.facts;
  if (changeRequest === null) return { kind: 'granted', decision };
  const present = inputOf(changeRequest);
  if (running !== null && mayBeSameInput(running, present)) return { kind: 'granted', decision };
  const full = call.full === true;
  if (isReviewed(state, present) && !full) return { kind: 'reply', say: { kind: 'verdict' } };
  const asked = change(decision, { asked: { ...present, full, instructions: call.instructions ?? '' } });
  return full || isCapped(state, input) ? granted(asked, input) : { kind: 'granted', decision: asked };
};

const granted = (asked: Decision, { nowMs }: DecideInput): Grant => {
  const { state } = asked;
  const today = state.grantedAtMs.filter((atMs) => atMs > nowMs - DAY_MS);
  const [oldest] = today;
  if (state.granted >= MAX_GRANTS) return { kind: 'reply', say: { kind: 'no_grant', untilMs: null } };
  if (today.length >= MAX_GRANTS_PER_DAY && oldest !== undefined)
    return { kind: 'reply', say: { kind: 'no_grant', untilMs: oldest + DAY_MS } };
  return {
    kind: 'granted',
    decision: change(asked, { granted: state.granted + 1, grantedAtMs: [...today, nowMs] }),
  };
};

const isCapped = (state: GuardState, { policy }: DecideInput): boolean => {
  const { rounds } = withGrants(policy, state.granted);
  return stageOf(state, rounds) === 'closing' || !mayStartRun(state, rounds);
};
