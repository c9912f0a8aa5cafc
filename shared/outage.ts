/**
 * Outages: something outside is away and comes back by itself. Work waits for it without using up attempts. A mistake in
 * the configuration (a wrong key, an unknown model, a used-up quota, a certificate that is not trusted) is none: waiting
 * does not help there.
 */
import { ModelError } from './agent/model-errors.ts';
import { isUntrustedCode } from './agent/models/connection-errors.ts';
import { ForgeRequestError, ForgeUnknownOutcomeError } from './forge/errors.ts';
import type { OutageKind } from './rounds/events.ts';
import { GitError } from './workspace/git.ts';

export type Outage = {
  readonly what: OutageKind;
  /** Of the error; for people. */
  readonly code: string;
  /** The delay that the other side named. */
  readonly retryAfterMs: number | null;
};

/** https://nodejs.org/docs/latest-v20.x/api/os.html#posix-error-constants */
const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** The first word of an error reply: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors */
const STORE_AWAY = /^(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|OOM) /;

const MODEL_CODES: ReadonlySet<string> = new Set([
  'MODEL_RATE_LIMITED',
  'MODEL_OVERLOADED',
  'MODEL_UNAVAILABLE',
  'MODEL_STREAM_CUT',
  'MODEL_TIMED_OUT',
]);

const FORGE_CODES: ReadonlySet<string> = new Set(['FORGE_RATE_LIMITED', 'FORGE_UNAVAILABLE']);

/** A pending review that somebody writes by hand goes when they submit it: nothing has to be reviewed again for that. */
const IN_THE_WAY = 'FORGE_PENDING_DRAFT';

const chainOf = (error: unknown, depth = 0): readonly Error[] =>
  error instanceof Error && depth < 6 ? [error, ...chainOf(error.cause, depth + 1)] : [];

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** Null for every other error. */
export const outageOf = (error: unknown): Outage | null => {
  for (const each of chainOf(error)) {
    const outage = ofOne(each);
    if (outage !== null) return outage;
  }
  return null;
};

const ofOne = (error: Error): Outage | null => {
  const code = codeOf(error);
  if (DISK_FULL.has(code)) return { what: 'disk', code, retryAfterMs: null };
  if (error.name === 'ReplyError' && STORE_AWAY.test(error.message)) {
    return { what: 'store', code: error.message.split(' ', 1)[0] ?? '', retryAfterMs: null };
  }
  if (error instanceof ModelError) {
    return MODEL_CODES.has(code) ? { what: 'model', code, retryAfterMs: error.retryAfterMs } : null;
  }
  if (error instanceof ForgeUnknownOutcomeError) return { what: 'forge', code, retryAfterMs: null };
  if (error instanceof ForgeRequestError) return ofForge(error);
  return error instanceof GitError && error.fields['remote'] === true
    ? { what: 'git', code, retryAfterMs: null }
    : null;
};

const ofForge = ({ code, disposition, fields }: ForgeRequestError): Outage | null => {
  if (code === IN_THE_WAY) return { what: 'forge', code, retryAfterMs: null };
  if (!FORGE_CODES.has(code) || disposition.kind === 'fail' || isUntrustedCode(`${fields['reason']}`)) return null;
  return { what: 'forge', code, retryAfterMs: disposition.kind === 'retry_after' ? disposition.delayMs : null };
};

export type Patience = {
  /** How long one job waits in all. */
  readonly patienceMs: number;
  readonly baseMs: number;
  readonly capMs: number;
};

/** How long one job has waited for what is away. */
export type Waited = {
  readonly waitedMs: number;
  /** In the present outage. */
  readonly tries: number;
  /** Since when, by the clock of the store; null while nothing is away. */
  readonly sinceMs: number | null;
};

export const NOT_WAITED: Waited = { waitedMs: 0, tries: 0, sinceMs: null };

export type OutageDecision =
  | { readonly kind: 'wait'; readonly delayMs: number; readonly waited: Waited; readonly isNew: boolean }
  | { readonly kind: 'over' };

/**
 * Doubling pauses with jitter; a named delay is kept to. The last pause ends with the patience, so that something that
 * comes back shortly before its end is met.
 */
export const decideWait = (
  { outage, waited, nowMs }: { readonly outage: Outage; readonly waited: Waited; readonly nowMs: number },
  { patienceMs, baseMs, capMs }: Patience,
  random: () => number,
): OutageDecision => {
  const leftMs = patienceMs - waited.waitedMs;
  if (leftMs <= 0) return { kind: 'over' };
  const pauseMs = Math.min(capMs, baseMs * 2 ** Math.min(waited.tries, 20));
  const delayMs = Math.min(leftMs, Math.max(outage.retryAfterMs ?? 0, Math.ceil(pauseMs * (0.5 + random() / 2))));
  const next = { waitedMs: waited.waitedMs + delayMs, tries: waited.tries + 1, sinceMs: waited.sinceMs ?? nowMs };
  return { kind: 'wait', delayMs, waited: next, isNew: waited.sinceMs === null };
};
