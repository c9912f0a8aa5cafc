import { change, type DecideInput, type Decision, isReviewed } from './decision.ts';
import { mayStartRun, stageOf } from '../model/counts.ts';
import type { CommandReply } from '../model/command-reply.ts';
import { overlaps } from '../../diff/paths/left-paths.ts';
import { lastComparable } from '../model/history.ts';
import { type Input, inputOf, mayBeSameInput } from '../model/input.ts';
import { MAX_GRANTS, withGrants } from '../model/policy.ts';
import type { ReviewCommand } from '../model/facts.ts';
import { type GuardState, MAX_GRANTS_PER_DAY } from '../model/state.ts';

const DAY_MS = 86_400_000;

/** `reply`: the request leads to no review, and the bot says why. */
export type Grant =
  | { readonly kind: 'granted'; readonly decision: Decision }
  | { readonly kind: 'reply'; readonly say: CommandReply };

/**
 * If the input was already reviewed, the verdict is repeated unless `--full` is set or the request names a path that
 * was left out. A request grants at most one round. A request with `--full` always does, any other request only if the
 * caps would prevent or restrict the review.
 */
export const grantReview = (decision: Decision, call: Call, input: DecideInput): Grant => {
  const { state } = decision;
  const { running } = state;
  const { changeRequest } = input.facts;
  if (changeRequest === null) return { kind: 'granted', decision };
  const present = inputOf(changeRequest);
  if (running !== null && mayBeSameInput(running, present)) return { kind: 'granted', decision };
  const { left = [] } = lastComparable(input.facts.history) ?? {};
  const wish = wishOf(call, left);
  if (isReviewed(state, present) && !wish.full && wish.only === undefined)
    return { kind: 'reply', say: call.only === undefined ? { kind: 'verdict' } : { kind: 'nothing_left', left } };
  const asked = change(decision, { asked: { ...present, ...wish } });
  return wish.full || isCapped(state, input) ? granted(asked, input) : { kind: 'granted', decision: asked };
};

type Call = Pick<ReviewCommand, 'full' | 'instructions' | 'only'>;
type Wish = Omit<NonNullable<GuardState['asked']>, keyof Input>;

/**
 * If the path does not match anything that was left out, it is treated as an instruction, because a word such as
 * `TCP/IP` looks like a path.
 */
const wishOf = ({ full = false, instructions = '', only }: Call, left: readonly string[]): Wish => {
  if (only === undefined) return { full, instructions };
  if (namesLeft(only, left)) return { full, instructions, only };
  return { full, instructions: [only, instructions].filter((text) => text !== '').join('\n') };
};

/** A folder may be named without its slash. */
const namesLeft = (path: string, left: readonly string[]): boolean =>
  left.some((entry) => overlaps(path, entry) || overlaps(`${path}/`, entry));

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
