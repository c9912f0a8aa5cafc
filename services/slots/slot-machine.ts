/**
 * States of one task: implementing, reviewing, fixing, ended. Pure; `run-slot.ts` runs the agents. The machine always
 * ends: there are at most `maxFixAttempts` fixes, and at most one more review than fixes.
 */
import type { ReadVerdict, ReviewVerdict } from './verdict.ts';

export type FailureCode =
  | 'implementer_failed'
  | 'reviewer_failed'
  | 'fixer_failed'
  | 'contract_violation'
  | 'drift_unresolved'
  | 'not_converging';

export type SlotOutcome = {
  readonly kind: 'passed' | 'unreviewed' | 'failed';
  readonly failure: FailureCode | null;
  /** Set only when `kind` is `failed`. If all fix attempts are used up, it contains their number. */
  readonly reason: string | null;
  readonly fixAttempts: number;
  readonly lastVerdict: ReviewVerdict | null;
  readonly stop: boolean;
};

/** What a reviewer asked for, and the id of the reviewed git tree. The id is null when the tree could not be read. */
type Demand = { readonly followUpPrompt: string; readonly tree: string | null };

type Counts = {
  readonly fixAttempts: number;
  readonly lastVerdict: ReviewVerdict | null;
  readonly demands: readonly Demand[];
  readonly stop: boolean;
};

export type SlotState = Counts &
  (
    | { readonly phase: 'implementing' }
    | { readonly phase: 'reviewing' }
    | { readonly phase: 'fixing'; readonly followUpPrompt: string }
    | { readonly phase: 'ended'; readonly outcome: SlotOutcome }
  );

export type AgentEnd = {
  /** Null when the agent exited with 0 within its time, otherwise the reason for the failure. */
  readonly failed: string | null;
  readonly stop: boolean;
};

export type SlotEvent =
  | ({ readonly kind: 'implemented'; readonly picked: boolean } & AgentEnd)
  | {
      readonly kind: 'reviewed';
      readonly failed: string | null;
      readonly read: ReadVerdict;
      readonly tree: string | null;
    }
  | ({ readonly kind: 'fixed' } & AgentEnd);

export type SlotRules = {
  readonly reviewEnabled: boolean;
  readonly hasReviewerPrompt: boolean;
  readonly maxFixAttempts: number;
  /** Fails the slot if the same drift is found in an unchanged tree, or any drift in the tree of an earlier attempt. */
  readonly stopWhenNotConverging: boolean;
};

export const STARTED: SlotState = {
  phase: 'implementing',
  fixAttempts: 0,
  lastVerdict: null,
  demands: [],
  stop: false,
};

const end = (counts: Counts, kind: 'passed' | 'unreviewed'): SlotState => ({
  ...counts,
  phase: 'ended',
  outcome: { kind, failure: null, reason: null, ...told(counts) },
});

const told = ({ fixAttempts, lastVerdict, stop }: Counts) => ({ fixAttempts, lastVerdict, stop });

const fail = (counts: Counts, failure: FailureCode, reason: string): SlotState => ({
  ...counts,
  phase: 'ended',
  outcome: { kind: 'failed', failure, reason, ...told(counts) },
});

const afterImplementing = (
  state: Counts,
  { failed, stop, picked }: SlotEvent & { readonly kind: 'implemented' },
  rules: SlotRules,
): SlotState => {
  const counts = { ...state, stop };
  if (failed !== null) return fail(counts, 'implementer_failed', `the implementer failed: ${failed}`);
  const isReviewed = rules.reviewEnabled && rules.hasReviewerPrompt && picked;
  return isReviewed ? { ...counts, phase: 'reviewing' } : end(counts, 'unreviewed');
};

const sameWords = (one: string, other: string): boolean => {
  const plain = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  return plain(one) === plain(other);
};

/** Returns null while the slot makes progress, or when the tree is unknown. Returning to an earlier tree is an endless loop. */
const whyNotConverging = (demands: readonly Demand[], now: Demand): string | null => {
  if (now.tree === null) return null;
  const last = demands.at(-1);
  if (last?.tree === now.tree && sameWords(last.followUpPrompt, now.followUpPrompt)) {
    return 'the same drift was reported for an unchanged tree';
  }
  const swings = demands.slice(0, -1).some(({ tree }) => tree === now.tree);
  return swings ? 'drift was reported for a tree that was reviewed before the last fix' : null;
};

const attempts = (count: number): string => `${count} fix ${count === 1 ? 'attempt' : 'attempts'}`;

const afterReviewing = (
  state: Counts,
  { failed, read, tree }: SlotEvent & { readonly kind: 'reviewed' },
  rules: SlotRules,
): SlotState => {
  if (failed !== null) return fail(state, 'reviewer_failed', `the reviewer failed: ${failed}`);
  if (read.kind === 'violation') return fail(state, 'contract_violation', `no verdict: ${read.reason}`);
  const { verdict } = read;
  if (verdict.verdict === 'pass') return end({ ...state, lastVerdict: verdict }, 'passed');
  const { followUpPrompt } = verdict;
  const demand = { followUpPrompt, tree };
  const counts = { ...state, lastVerdict: verdict, demands: [...state.demands, demand] };
  const why = whyNotConverging(state.demands, demand);
  if (why !== null && rules.stopWhenNotConverging) {
    return fail(counts, 'not_converging', `${why}, after ${attempts(state.fixAttempts)}`);
  }
  if (state.fixAttempts >= rules.maxFixAttempts) {
    return fail(counts, 'drift_unresolved', `drift remains after ${attempts(state.fixAttempts)}`);
  }
  return { ...counts, phase: 'fixing', fixAttempts: state.fixAttempts + 1, followUpPrompt };
};

const afterFixing = (state: Counts, { failed, stop }: SlotEvent & { readonly kind: 'fixed' }): SlotState => {
  const counts = { ...state, stop: state.stop || stop };
  if (failed !== null) return fail(counts, 'fixer_failed', `the fixer failed: ${failed}`);
  return { ...counts, phase: 'reviewing' };
};

/** Returns the next state. @throws TypeError when the event does not belong to the phase */
export const decideSlot = (state: SlotState, event: SlotEvent, rules: SlotRules): SlotState => {
  const { fixAttempts, lastVerdict, demands, stop } = state;
  const counts: Counts = { fixAttempts, lastVerdict, demands, stop };
  if (state.phase === 'implementing' && event.kind === 'implemented') return afterImplementing(counts, event, rules);
  if (state.phase === 'reviewing' && event.kind === 'reviewed') return afterReviewing(counts, event, rules);
  if (state.phase === 'fixing' && event.kind === 'fixed') return afterFixing(counts, event);
  throw new TypeError(`${event.kind} does not follow ${state.phase}`);
};
