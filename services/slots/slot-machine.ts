/**
 * One task's way: implement → review → pass, or drift → fix → review …, or failure. Pure; `run-slot.ts` carries it out.
 * It ends: reviews ≤ fixes + 1, and fixes ≤ `maxFixAttempts`.
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
  /** In words, with the number of attempts where they were used up. Null unless failed. */
  readonly reason: string | null;
  readonly fixAttempts: number;
  readonly lastVerdict: ReviewVerdict | null;
  /** The implementer or a fixer said that there is nothing left to do. */
  readonly stop: boolean;
};

type Counts = {
  readonly fixAttempts: number;
  readonly lastVerdict: ReviewVerdict | null;
  /** The tree at which `lastVerdict` was given. */
  readonly lastTree: string | null;
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
  /** Null when it went well: it exited with 0 within its time. Else what happened, in words. */
  readonly failed: string | null;
  readonly stop: boolean;
};

export type SlotEvent =
  | ({ readonly kind: 'implemented'; readonly picked: boolean } & AgentEnd)
  | { readonly kind: 'reviewed'; readonly failed: string | null; readonly read: ReadVerdict; readonly tree: string }
  | ({ readonly kind: 'fixed' } & AgentEnd);

export type SlotRules = {
  readonly reviewEnabled: boolean;
  /** Without a prompt for the reviewer there is no review. */
  readonly hasReviewerPrompt: boolean;
  readonly maxFixAttempts: number;
  /** The same drift over an unchanged tree ends the slot. */
  readonly stopWhenNotConverging: boolean;
};

export const STARTED: SlotState = {
  phase: 'implementing',
  fixAttempts: 0,
  lastVerdict: null,
  lastTree: null,
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

const attempts = (count: number): string => `${count} fix ${count === 1 ? 'attempt' : 'attempts'}`;

const afterReviewing = (
  state: Counts,
  { failed, read, tree }: SlotEvent & { readonly kind: 'reviewed' },
  rules: SlotRules,
): SlotState => {
  if (failed !== null) return fail(state, 'reviewer_failed', `the reviewer failed: ${failed}`);
  if (read.kind === 'violation') return fail(state, 'contract_violation', `no verdict: ${read.reason}`);
  const { verdict } = read;
  const counts = { ...state, lastVerdict: verdict, lastTree: tree };
  if (verdict.verdict === 'pass') return end(counts, 'passed');
  const before = state.lastVerdict?.followUpPrompt;
  const stands = before !== undefined && state.lastTree === tree && sameWords(before, verdict.followUpPrompt);
  if (stands && rules.stopWhenNotConverging) {
    return fail(counts, 'not_converging', `the same drift over an unchanged tree after ${attempts(state.fixAttempts)}`);
  }
  if (state.fixAttempts >= rules.maxFixAttempts) {
    return fail(counts, 'drift_unresolved', `drift remains after ${attempts(state.fixAttempts)}`);
  }
  return {
    ...counts,
    phase: 'fixing',
    fixAttempts: state.fixAttempts + 1,
    followUpPrompt: verdict.followUpPrompt,
  };
};

const afterFixing = (state: Counts, { failed, stop }: SlotEvent & { readonly kind: 'fixed' }): SlotState => {
  const counts = { ...state, stop: state.stop || stop };
  if (failed !== null) return fail(counts, 'fixer_failed', `the fixer failed: ${failed}`);
  return { ...counts, phase: 'reviewing' };
};

/** What follows. An event that does not belong to the phase is a mistake of the caller. */
export const decideSlot = (state: SlotState, event: SlotEvent, rules: SlotRules): SlotState => {
  const { fixAttempts, lastVerdict, lastTree, stop } = state;
  const counts: Counts = { fixAttempts, lastVerdict, lastTree, stop };
  if (state.phase === 'implementing' && event.kind === 'implemented') return afterImplementing(counts, event, rules);
  if (state.phase === 'reviewing' && event.kind === 'reviewed') return afterReviewing(counts, event, rules);
  if (state.phase === 'fixing' && event.kind === 'fixed') return afterFixing(counts, event);
  throw new TypeError(`${event.kind} does not follow ${state.phase}`);
};
