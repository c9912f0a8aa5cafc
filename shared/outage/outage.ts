/**
 * Classifies errors of services and files outside Fixpoint. An outage ends on its own: work waits without using up
 * attempts. Waiting does not help with a configuration mistake (wrong key, missing permissions, unknown model, used-up
 * quota, untrusted certificate, folder that is not writable). The work ends at once, and is retried after a restart or
 * on request.
 */
import { ModelError } from '../agent/model/model-errors.ts';
import { isUntrustedCode } from '../certificate-errors.ts';
import { ForgeRequestError, ForgeUnknownOutcomeError } from '../forge/errors.ts';
import type { OutageKind } from '../rounds/model/events.ts';
import { DISK_FULL } from '../workspace/git/disk-full.ts';
import { GitError } from '../workspace/git/git.ts';

export type Outage = {
  readonly what: OutageKind;
  /** The error code, for display. */
  readonly code: string;
  /** The delay that the other service asked for. */
  readonly retryAfterMs: number | null;
};

export type Mistake = Pick<Outage, 'what' | 'code'>;

export type Trouble =
  | { readonly kind: 'outage'; readonly outage: Outage }
  | { readonly kind: 'mistake'; readonly mistake: Mistake };

/** https://nodejs.org/docs/latest-v20.x/api/os.html#posix-error-constants */
const DISK_REFUSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** System calls that write. The same codes can occur when a program is started or an address is used. */
const WRITES =
  /^(?:open|mkdir|mkdtemp|write|rename|link|symlink|unlink|rmdir|rm|copyfile|cp|ftruncate|truncate|fsync|chmod|fchmod|utime|futime)$/;

/**
 * The first word of an error reply. Redis before 7 quotes the reply in the error of a script.
 * https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors
 */
const REPLY = /^(?:ERR Error running script .*: -)?([A-Z]+) /;

const STORE_AWAY: ReadonlySet<string> = new Set([
  'READONLY',
  'LOADING',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'NOREPLICAS',
  'MISCONF',
  'OOM',
]);
const STORE_REFUSED: ReadonlySet<string> = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM']);

const MODEL_AWAY: ReadonlySet<string> = new Set([
  'MODEL_RATE_LIMITED',
  'MODEL_OVERLOADED',
  'MODEL_UNAVAILABLE',
  'MODEL_STREAM_CUT',
  'MODEL_TIMED_OUT',
]);

/** Codes with which a run can also end as a value instead of an error. */
export const MODEL_REFUSED: ReadonlySet<string> = new Set([
  'MODEL_UNAUTHORISED',
  'MODEL_UNTRUSTED',
  'MODEL_REQUEST_REFUSED',
]);

const FORGE_AWAY: ReadonlySet<string> = new Set(['FORGE_RATE_LIMITED', 'FORGE_UNAVAILABLE']);
const FORGE_REFUSED: ReadonlySet<string> = new Set(['FORGE_UNAUTHORISED', 'FORGE_FORBIDDEN', 'FORGE_REDIRECTED']);

const GIT_REFUSED: ReadonlySet<string> = new Set(['GIT_UNAUTHORISED', 'GIT_UNTRUSTED', 'GIT_NOT_FOUND', 'GIT_TOO_OLD']);

/** In these cases the server answered, and only a new attempt that reads the forge again can help. */
const GIT_ANSWERED: ReadonlySet<string> = new Set(['GIT_REPOSITORY_MISSING', 'GIT_REDIRECTED']);

/** Somebody is writing a review by hand under the bot's account. Work can continue once they submit it. */
const IN_THE_WAY = 'FORGE_PENDING_DRAFT';

/** With the reason `null`: the forge cannot read one object, for example while a project is renamed. */
const UNREAD = 'FORGE_BAD_ANSWER';

/** Returns true for a wait that concerns one change request only and so is not an outage of the installation. */
export const isOfOnePage = ({ code }: Pick<Outage, 'code'>): boolean => code === IN_THE_WAY || code === UNREAD;

/**
 * A discarded Redis transaction has its cause in `previousErrors`: a refusal, or a lost connection, which ioredis reports
 * as an `AbortError` with the command.
 */
const besides = (error: Error): readonly unknown[] =>
  'previousErrors' in error && Array.isArray(error.previousErrors) ? error.previousErrors : [];

const chainOf = (error: unknown, depth = 0): readonly Error[] =>
  error instanceof Error && depth < 6
    ? [error, ...[error.cause, ...besides(error)].flatMap((each) => chainOf(each, depth + 1))]
    : [];

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

const away = (what: OutageKind, code: string, retryAfterMs: number | null = null): Trouble => ({
  kind: 'outage',
  outage: { what, code, retryAfterMs },
});

const mistaken = (what: OutageKind, code: string): Trouble => ({ kind: 'mistake', mistake: { what, code } });

/** Classifies an error as an outage or a mistake. Returns null for any other error. */
export const troubleOf = (error: unknown): Trouble | null => {
  for (const each of chainOf(error)) {
    const trouble = ofOne(each);
    if (trouble !== null) return trouble;
  }
  return null;
};

const ofOne = (error: Error): Trouble | null => {
  const code = codeOf(error);
  if (error.name === 'ReplyError') return ofStore(error.message);
  if (error.name === 'AbortError' && 'command' in error) return away('store', 'CONNECTION_LOST');
  if (error instanceof ModelError) {
    if (MODEL_REFUSED.has(code)) return mistaken('model', code);
    return MODEL_AWAY.has(code) ? away('model', code, error.retryAfterMs) : null;
  }
  if (error instanceof ForgeUnknownOutcomeError) return away('forge', code);
  if (error instanceof ForgeRequestError) return ofForge(error);
  return error instanceof GitError ? ofGit(error) : ofDisk(error, code);
};

const ofStore = (message: string): Trouble | null => {
  const code = REPLY.exec(message)?.[1] ?? '';
  if (STORE_REFUSED.has(code)) return mistaken('store', code);
  return STORE_AWAY.has(code) ? away('store', code) : null;
};

const ofDisk = (error: Error, code: string): Trouble | null => {
  if (DISK_FULL.has(code)) return away('disk', code);
  const isWrite = 'syscall' in error && WRITES.test(String(error.syscall));
  return DISK_REFUSED.has(code) && isWrite ? mistaken('disk', code) : null;
};

const ofGit = ({ code, fields }: GitError): Trouble | null => {
  if (DISK_FULL.has(code)) return away('disk', code);
  if (code === 'GIT_DISK_REFUSED') return mistaken('disk', code);
  if (GIT_REFUSED.has(code)) return mistaken('git', code);
  return fields['remote'] === true && !GIT_ANSWERED.has(code) ? away('git', code) : null;
};

const ofForge = ({ code, disposition, fields }: ForgeRequestError): Trouble | null => {
  if (code === IN_THE_WAY || (code === UNREAD && fields['reason'] === 'null')) return away('forge', code);
  if (FORGE_REFUSED.has(code)) return mistaken('forge', code);
  if (isUntrustedCode(`${fields['reason']}`)) return mistaken('forge', 'FORGE_UNTRUSTED');
  if (!FORGE_AWAY.has(code) || disposition.kind === 'fail') return null;
  return away('forge', code, disposition.kind === 'retry_after' ? disposition.delayMs : null);
};

export type Patience = {
  /** Total time that one job may wait. */
  readonly patienceMs: number;
  readonly baseMs: number;
  readonly capMs: number;
};

export type Waited = {
  readonly waitedMs: number;
  /** Number of attempts in the current outage. */
  readonly tries: number;
  /** Start of the outage by the store's clock. Null when there is no outage. */
  readonly sinceMs: number | null;
};

export const NOT_WAITED: Waited = { waitedMs: 0, tries: 0, sinceMs: null };

export type OutageDecision =
  | { readonly kind: 'wait'; readonly delayMs: number; readonly waited: Waited; readonly isNew: boolean }
  | { readonly kind: 'over' };

/**
 * Pauses double with jitter, but are never shorter than the delay that the other side asked for. The last pause ends
 * exactly when the patience ends, for one final attempt.
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
