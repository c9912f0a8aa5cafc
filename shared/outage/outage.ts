/**
 * What an error says about the world outside. An outage: something is away and comes back by itself; work waits for it
 * without using up attempts. A mistake in the configuration (a wrong key, missing rights, an unknown model, a used-up
 * quota, a certificate that is not trusted, a folder that may not be written): waiting does not help, so work ends at
 * once, and is tried again after a restart or when somebody asks.
 */
import { ModelError } from '../agent/model/model-errors.ts';
import { isUntrustedCode } from '../agent/model/connection-errors.ts';
import { ForgeRequestError, ForgeUnknownOutcomeError } from '../forge/errors.ts';
import type { OutageKind } from '../rounds/model/events.ts';
import { GitError } from '../workspace/git/git.ts';

export type Outage = {
  readonly what: OutageKind;
  /** Of the error; for people. */
  readonly code: string;
  /** The delay that the other side named. */
  readonly retryAfterMs: number | null;
};

/** What only an operator can put right. */
export type Mistake = Pick<Outage, 'what' | 'code'>;

export type Trouble =
  | { readonly kind: 'outage'; readonly outage: Outage }
  | { readonly kind: 'mistake'; readonly mistake: Mistake };

/** https://nodejs.org/docs/latest-v20.x/api/os.html#posix-error-constants */
const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
const DISK_REFUSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Calls of the file system that write. A program that may not be started, or an address, has the same codes. */
const WRITES =
  /^(?:open|mkdir|mkdtemp|write|rename|link|symlink|unlink|rmdir|rm|copyfile|cp|ftruncate|truncate|fsync|chmod|fchmod|utime|futime)$/;

/**
 * The first word of an error reply, also of one that Redis before 7 quotes in the error of a script:
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

/** Also the codes of a run that ended with a value instead of an error. */
export const MODEL_REFUSED: ReadonlySet<string> = new Set([
  'MODEL_UNAUTHORISED',
  'MODEL_UNTRUSTED',
  'MODEL_REQUEST_REFUSED',
]);

const FORGE_AWAY: ReadonlySet<string> = new Set(['FORGE_RATE_LIMITED', 'FORGE_UNAVAILABLE']);
const FORGE_REFUSED: ReadonlySet<string> = new Set(['FORGE_UNAUTHORISED', 'FORGE_FORBIDDEN', 'FORGE_REDIRECTED']);

const GIT_REFUSED: ReadonlySet<string> = new Set(['GIT_UNAUTHORISED', 'GIT_UNTRUSTED', 'GIT_NOT_FOUND', 'GIT_TOO_OLD']);

/** The server answered, and no more than the next attempt with fresh facts can help. */
const GIT_ANSWERED: ReadonlySet<string> = new Set(['GIT_REPOSITORY_MISSING', 'GIT_REDIRECTED']);

/** A pending review that somebody writes by hand goes when they submit it: nothing has to be reviewed again for that. */
const IN_THE_WAY = 'FORGE_PENDING_DRAFT';

/** What waits for people at one page is no outage of the installation. */
export const isOfOnePage = ({ code }: Pick<Outage, 'code'>): boolean => code === IN_THE_WAY;

/**
 * A transaction of Redis that is discarded tells why in errors beside its own: a refusal, or that the connection
 * was lost, which the client says in an `AbortError` that names its command.
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

/** Null for every other error. */
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
  if (code === 'GIT_DISK_FULL') return away('disk', code);
  if (code === 'GIT_DISK_REFUSED') return mistaken('disk', code);
  if (GIT_REFUSED.has(code)) return mistaken('git', code);
  return fields['remote'] === true && !GIT_ANSWERED.has(code) ? away('git', code) : null;
};

const ofForge = ({ code, disposition, fields }: ForgeRequestError): Trouble | null => {
  if (code === IN_THE_WAY) return away('forge', code);
  if (FORGE_REFUSED.has(code)) return mistaken('forge', code);
  if (isUntrustedCode(`${fields['reason']}`)) return mistaken('forge', 'FORGE_UNTRUSTED');
  if (!FORGE_AWAY.has(code) || disposition.kind === 'fail') return null;
  return away('forge', code, disposition.kind === 'retry_after' ? disposition.delayMs : null);
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
