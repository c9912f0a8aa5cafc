import { change, type DecideInput, type Decision, isReviewed } from './decision.ts';
import { mayStartRun, stageOf } from '../model/counts.ts';
import type { CommandReply } from '../model/command-reply.ts';
import { overlaps } from '../../diff/paths/left-paths.ts';
import { lastComparable } from '../model/history.ts';
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
 * If the input was already reviewed, the verdict is repeated unless `--full` is set or the path of something left out is named. A request grants at most one round:
 * with `--full` always, otherwise only if the caps would prevent or restrict the review.
 */
export const grantReview = (decision: Decision, call: Call, input: DecideInput): Grant => {
  const { state } = decision;
  const { running } = state;
  const { changeRequest } = input.facts;
  if (changeRequest === null) return { kind: 'granted', decision };
  const present = inputOf(changeRequest);
  if (running !== null && mayBeSameInput(running, present)) return { kind: 'granted', decision };
  const full = call.full === true;
  const { left = [] } = lastComparable(input.facts.history) ?? {};
  const only = call.only === undefined ? undefined : leftBelow(call.only, left);
  if (only === null)
    return { kind: 'reply', say: { kind: 'nothing_left', path: call.only ?? '', left: left.slice(0, MAX_SHOWN) } };
  if (isReviewed(state, present) && !full && only === undefined) return { kind: 'reply', say: { kind: 'verdict' } };
  const asked = change(decision, { asked: { ...present, ...wishOf(call, only) } });
  return full || isCapped(state, input) ? granted(asked, input) : { kind: 'granted', decision: asked };
};

type Call = Pick<ReviewCommand, 'full' | 'instructions' | 'only'>;

const wishOf = ({ full = false, instructions = '' }: Call, only: string | undefined) => ({
  full,
  instructions,
  ...(only === undefined ? {} : { only }),
});

const MAX_SHOWN = 10;

/** The path as a folder if it is meant as one; null if nothing below it was left out. */
const leftBelow = (path: string, left: readonly string[]): string | null =>
  [path, `${path}/`].find((each) => left.some((entry) => overlaps(each, entry))) ?? null;

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
