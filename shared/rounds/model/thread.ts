/**
 * The state machine of a thread. A thread opens in cycle 1 with count 0. Each later cycle raises the count by one and takes
 * one legal action. Only `reply` keeps a thread open. `reply` is illegal at count K, in the final round, and with stance
 * `accepts`, so a thread has at most K + 1 cycles, including the opening one. If nothing happened to a thread, it gets no
 * cycle: see `gate-threads.ts`.
 */
import { z } from 'zod';
import { isGrave } from './blocking.ts';
import type { Stage } from './counts.ts';
import { FindingState } from './marker-payload.ts';
import { type Action, Severity, Stance } from '../../vocabulary/finding.ts';

export const ThreadState = FindingState;
export type ThreadState = z.output<typeof ThreadState>;

export const ThreadProgress = z.object({
  state: ThreadState,
  count: z.number().int().nonnegative(),
  stance: Stance,
  severity: Severity,
});
export type ThreadProgress = z.output<typeof ThreadProgress>;

export type ThreadRules = {
  /** K: at this count `reply` is no longer legal. */
  readonly threadCount: number;
  readonly stage: Stage;
};

export const openThread = (severity: Severity): ThreadProgress => ({
  state: 'open',
  count: 0,
  stance: 'seeks_change',
  severity,
});

/** A thread with the information whether it blocks: a thread that does not block is never vetoed. */
export type WeighedThread = ThreadProgress & { readonly blocking: boolean };

const blocks = ({ blocking, severity }: WeighedThread): boolean => blocking || isGrave(severity);

/** The actions that the reviewer may choose from in the next cycle, whatever its stance. */
export const legalActions = (thread: WeighedThread, { threadCount, stage }: ThreadRules): readonly Action[] => {
  if (thread.state !== 'open') return [];
  if (stage === 'closing') return ['resolve'];
  return [
    'resolve',
    ...(blocks(thread) ? (['veto'] as const) : []),
    'escalate',
    ...(thread.count + 1 < threadCount && stage === 'open' ? (['reply'] as const) : []),
  ];
};

export type ThreadMove = { readonly stance: Stance; readonly action: Action; readonly severity: Severity | null };

export type ThreadStep =
  | { readonly kind: 'moved'; readonly thread: ThreadProgress }
  | { readonly kind: 'illegal'; readonly reason: string };

/** Takes one cycle. An illegal move changes nothing, and its reason lists the legal actions. */
export const stepThread = (thread: WeighedThread, move: ThreadMove, rules: ThreadRules): ThreadStep => {
  const legal = legalActions(thread, rules);
  if (!legal.includes(move.action)) {
    return { kind: 'illegal', reason: `${move.action} is not allowed here; allowed: ${legal.join(', ') || 'nothing'}` };
  }
  if (move.stance === 'accepts' && move.action !== 'resolve') {
    return { kind: 'illegal', reason: 'stance accepts requires the action resolve' };
  }
  const next = { ...progressOf(thread), count: thread.count + 1, stance: move.stance };
  switch (move.action) {
    case 'reply':
      return { kind: 'moved', thread: next };
    case 'resolve':
      return { kind: 'moved', thread: { ...next, state: 'resolved' } };
    case 'veto':
      return { kind: 'moved', thread: { ...next, state: 'vetoed' } };
    case 'escalate':
      return escalate(thread, next, move.severity);
    default:
      return move.action satisfies never;
  }
};

export const isSettled = ({ state }: Pick<ThreadProgress, 'state'>): boolean =>
  state === 'vetoed' || state === 'escalated';

/** Resolves a settled thread without a cycle: the count stays the same. Null if the thread is not settled. */
export const showFixed = (thread: ThreadProgress): ThreadProgress | null =>
  isSettled(thread) ? { state: 'resolved', count: thread.count, stance: 'accepts', severity: thread.severity } : null;

/** Resolves an unverified claim that a quotation disproves. Null in any other state. */
export const refute = (thread: ThreadProgress): ThreadProgress | null =>
  thread.state === 'unverified' ? { ...thread, state: 'resolved', stance: 'accepts' } : null;

const progressOf = ({ state, count, stance, severity }: ThreadProgress): ThreadProgress => ({
  state,
  count,
  stance,
  severity,
});

const escalate = (before: WeighedThread, thread: ThreadProgress, severity: Severity | null): ThreadStep => {
  // Severities are compared as text: P0 is the smallest. A P0 cannot rise further, so it may be escalated as P0.
  const rises = severity !== null && (severity < thread.severity || severity === 'P0');
  if (!rises) return { kind: 'illegal', reason: `escalate needs a severity above ${thread.severity}` };
  if (!blocks({ ...before, severity }))
    return { kind: 'illegal', reason: 'a thread that does not block can be escalated only to P0 or P1' };
  return { kind: 'moved', thread: { ...thread, state: 'escalated', severity } };
};
