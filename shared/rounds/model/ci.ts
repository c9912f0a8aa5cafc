/** The CI result of a head. A pass requires that every recorded job or context has passed. If none is recorded, none is required. */
import { z } from 'zod';
import { createNameMatch } from '../../diff/paths/glob-names.ts';
import type { Checks, CommitStatus } from '../../forge/port-statuses.ts';
import { STATUS_CONTEXT } from '../../vocabulary/status-place.ts';

const Contexts = z.array(z.string().max(200)).max(200);

/**
 * - `passed`: every recorded job or context has passed, may fail, or was skipped; or none is recorded.
 * - `failed`: the jobs or contexts in `contexts` have failed. Others may still be running.
 * - `pending`: none has failed. Those in `contexts` are still running, or are required but not recorded.
 * - `awaited`: nothing is recorded yet, and CI may still begin until `untilMs` (epoch ms).
 * - `unreadable`: the bot's account has no permission to read CI.
 */
export const CiReading = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('passed') }),
  z.object({ kind: z.literal('failed'), contexts: Contexts }),
  z.object({ kind: z.literal('pending'), contexts: Contexts }),
  z.object({ kind: z.literal('awaited'), untilMs: z.number() }),
  z.object({ kind: z.literal('unreadable') }),
]);
export type CiReading = z.output<typeof CiReading>;

export type CiRules = {
  /** Jobs or contexts to ignore: patterns as in `glob-names.ts`. */
  readonly ignoreContexts: readonly string[];
};

/** Epoch ms: when `nowMs` reaches `untilMs`, a head without any recorded job counts as passed. */
export type CiGrace = { readonly nowMs: number; readonly untilMs: number };

export const readCi = (
  { statuses, required }: Checks,
  { ignoreContexts }: CiRules,
  { nowMs, untilMs }: CiGrace,
): CiReading => {
  const isIgnored = createNameMatch(ignoreContexts);
  const counted = statuses.filter(({ context }) => context !== STATUS_CONTEXT && !isIgnored(context));
  const failed = failedContexts(counted);
  if (failed.length > 0) return { kind: 'failed', contexts: failed };
  const missing = required.filter((pattern) => !isIgnored(pattern) && isMissing(pattern, statuses));
  const pending = [...namesOf(counted, ({ state }) => state === 'pending'), ...named(missing)].slice(0, MAX_NAMES);
  if (pending.length > 0) return { kind: 'pending', contexts: pending };
  const isNone = statuses.every(({ context }) => context === STATUS_CONTEXT);
  return isNone && nowMs < untilMs ? { kind: 'awaited', untilMs } : { kind: 'passed' };
};

/** True if the target branch requires the context and it is not recorded. Our own status is excluded: it comes after the verdict. */
const isMissing = (pattern: string, statuses: readonly CommitStatus[]): boolean => {
  const isMeant = createNameMatch([pattern]);
  return !isMeant(STATUS_CONTEXT) && !statuses.some(({ context }) => isMeant(context));
};

const isFailed = ({ state }: CommitStatus): boolean => state === 'failure' || state === 'error';

/** Names of failed jobs or contexts, sorted, without our own status. */
export const failedContexts = (statuses: readonly CommitStatus[]): string[] =>
  namesOf(statuses, (status) => status.context !== STATUS_CONTEXT && isFailed(status));

const MAX_NAMES = 200;
const MAX_NAME = 200;

const namesOf = (statuses: readonly CommitStatus[], fits: (status: CommitStatus) => boolean): string[] =>
  named(statuses.filter(fits).map(({ context }) => context));

const named = (names: readonly string[]): string[] =>
  names
    .map((name) => name.slice(0, MAX_NAME))
    .toSorted()
    .slice(0, MAX_NAMES);

const SHOWN = 10;

export const ciReason = (ci: CiReading | null): string | null => {
  switch (ci?.kind) {
    case undefined:
    case 'passed':
      return null;
    case 'failed':
      return `CI has failed: ${listed(ci.contexts)}`;
    case 'pending':
      return `CI has not ended in time: ${listed(ci.contexts)}`;
    case 'awaited':
      return 'CI had not started at this head yet';
    case 'unreadable':
      return "the bot's account cannot read the CI of this head";
    default:
      return ci satisfies never;
  }
};

const listed = (contexts: readonly string[]): string => {
  const shown = contexts.slice(0, SHOWN).map((name) => `\`${name.replaceAll('`', "'").replaceAll(/\s+/g, ' ')}\``);
  return contexts.length > SHOWN ? `${shown.join(', ')} and ${contexts.length - SHOWN} more` : shown.join(', ');
};
