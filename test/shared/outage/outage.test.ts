import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ModelBadAnswerError,
  ModelOverloadedError,
  ModelRateLimitedError,
  ModelRefusedRequestError,
  ModelStreamCutError,
  ModelTimedOutError,
  ModelTooLongError,
  ModelUnauthorisedError,
  ModelUnavailableError,
  ModelUntrustedError,
} from '../../../shared/agent/model/model-errors.ts';
import { AppError } from '../../../shared/errors.ts';
import { ForgeRequestError, ForgeUnknownOutcomeError } from '../../../shared/forge/errors.ts';
import { decideWait, isOfOnePage, NOT_WAITED, troubleOf } from '../../../shared/outage/outage.ts';
import { mistakeIn } from '../../../shared/rounds/plan/wording/mistake-words.ts';
import { GitError, type GitErrorCode, gitError } from '../../../shared/workspace/git/git.ts';

const facts = { status: null, type: null, requestId: null };
const failure = { facts, cause: null, retryAfterMs: null, cost: { kind: 'nothing' } } as const;
const forge = (
  code: ForgeRequestError['code'],
  more: Partial<ConstructorParameters<typeof ForgeRequestError>[0]> = {},
) => new ForgeRequestError({ code, message: 'x', disposition: { kind: 'retry' }, ...more });
const coded = (code: string) => Object.assign(new Error(code), { code });
const wrapped = (cause: unknown) =>
  new AppError({ code: 'ANY', message: 'x', disposition: { kind: 'fail' }, cause: new Error('between', { cause }) });
const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

const gitSaying = (code: GitErrorCode, remote = true) =>
  new GitError({ code, message: 'x', disposition: { kind: 'fail' }, fields: { remote } });
const onDisk = (code: string, syscall: string) => Object.assign(coded(code), { syscall });
const discarded = (message: string) =>
  Object.assign(reply('EXECABORT Transaction discarded because of previous errors.'), {
    previousErrors: [reply(message)],
  });
const final = { disposition: { kind: 'fail' } } as const;

/** Every error that is about the world outside, by what becomes of the work: it waits, it ends at once, or neither. */
const ROWS: readonly (readonly [what: string, error: unknown, kind: 'outage' | 'mistake' | 'neither', of?: string])[] =
  [
    ['a limit on the rate of the model', new ModelRateLimitedError(failure), 'outage', 'model'],
    ['an overload of the model', new ModelOverloadedError(failure), 'outage', 'model'],
    ['a model that is not reached', new ModelUnavailableError(failure), 'outage', 'model'],
    ['a stream that is cut', new ModelStreamCutError({ kind: 'nothing' }), 'outage', 'model'],
    [
      'a model that falls silent',
      new ModelTimedOutError({ kind: 'idle', ms: 1 }, { kind: 'nothing' }),
      'outage',
      'model',
    ],
    ['a key that the model provider refuses', new ModelUnauthorisedError(failure), 'mistake', 'model'],
    ['a request that the model provider refuses', new ModelRefusedRequestError(failure), 'mistake', 'model'],
    ['a certificate of the model that is not trusted', new ModelUntrustedError(failure), 'mistake', 'model'],
    ['a request that is too long', new ModelTooLongError(failure), 'neither'],
    ['a page of a proxy', new ModelBadAnswerError('event', { kind: 'nothing' }), 'neither'],

    ['a forge that limits the rate', forge('FORGE_RATE_LIMITED'), 'outage', 'forge'],
    [
      'a forge that is not reached',
      forge('FORGE_UNAVAILABLE', { fields: { reason: 'ECONNREFUSED' } }),
      'outage',
      'forge',
    ],
    [
      'an object that the forge cannot read itself',
      forge('FORGE_BAD_ANSWER', { fields: { reason: 'null' } }),
      'outage',
      'forge',
    ],
    ['an answer of another shape', forge('FORGE_BAD_ANSWER', { fields: { reason: 'schema' } }), 'neither'],
    ['F-C12: a pending review that was written by hand', forge('FORGE_PENDING_DRAFT', final), 'outage', 'forge'],
    ['a write that was lost', new ForgeUnknownOutcomeError({}, null), 'outage', 'forge'],
    ['a token that the forge refuses', forge('FORGE_UNAUTHORISED', final), 'mistake', 'forge'],
    ['a right that the token lacks', forge('FORGE_FORBIDDEN', final), 'mistake', 'forge'],
    ['a forge at another address', forge('FORGE_REDIRECTED', final), 'mistake', 'forge'],
    [
      'a certificate of the forge that is not trusted',
      forge('FORGE_UNAVAILABLE', { fields: { reason: 'CERT_HAS_EXPIRED' } }),
      'mistake',
      'forge',
    ],
    ['a write that is invalid', forge('FORGE_REJECTED', final), 'neither'],
    ['a change request that is gone', forge('FORGE_NOT_FOUND', final), 'neither'],

    ['a git server that is away', gitSaying('GIT_FAILED'), 'outage', 'git'],
    ['a git server that does not end', gitSaying('GIT_TIMEOUT'), 'outage', 'git'],
    ['a credential that git may not use', gitSaying('GIT_UNAUTHORISED'), 'mistake', 'git'],
    ['a certificate that git does not trust', gitSaying('GIT_UNTRUSTED'), 'mistake', 'git'],
    ['a git that is not there', gitError('GIT_NOT_FOUND', 'x', 'fail'), 'mistake', 'git'],
    ['a git that is too old', gitError('GIT_TOO_OLD', 'x', 'fail'), 'mistake', 'git'],
    ['a repository that is gone', gitSaying('GIT_REPOSITORY_MISSING'), 'neither'],
    ['a repository at another address', gitSaying('GIT_REDIRECTED'), 'neither'],
    ['a repository that git cannot read', gitSaying('GIT_FAILED', false), 'neither'],

    ['a full disk', coded('ENOSPC'), 'outage', 'disk'],
    ['a used-up quota of the disk', coded('EDQUOT'), 'outage', 'disk'],
    ['a full disk below other errors', wrapped(coded('ENOSPC')), 'outage', 'disk'],
    ['a disk that is full for git', gitSaying('GIT_DISK_FULL', false), 'outage', 'disk'],
    ['a disk that is full while git fetches', gitSaying('GIT_DISK_FULL'), 'outage', 'disk'],
    ['a folder that git may not write', gitSaying('GIT_DISK_REFUSED', false), 'mistake', 'disk'],
    ['a folder that may not be written', onDisk('EACCES', 'mkdir'), 'mistake', 'disk'],
    ['a file of somebody else', onDisk('EPERM', 'open'), 'mistake', 'disk'],
    ['a read-only file system below other errors', wrapped(onDisk('EROFS', 'mkdtemp')), 'mistake', 'disk'],
    ['a program that may not be started', onDisk('EACCES', 'spawn git'), 'neither'],
    ['an address that may not be reached', onDisk('EACCES', 'connect'), 'neither'],
    ['a file that is not there', onDisk('ENOENT', 'open'), 'neither'],

    [
      'F-E3: a Redis that only reads',
      reply("READONLY You can't write against a read only replica."),
      'outage',
      'store',
    ],
    [
      'F-E3: a script in a Redis before 7 that only reads',
      reply("ERR Error running script (call to f_0a): @user_script:3: @user_script: 3: -READONLY You can't write"),
      'outage',
      'store',
    ],
    ['F-E3: a transaction in a Redis that only reads', discarded("READONLY You can't write"), 'outage', 'store'],
    [
      'F-E3: a transaction whose connection was lost under way',
      Object.assign(reply('EXECABORT Transaction discarded because of previous errors.'), {
        previousErrors: [Object.assign(new Error('x'), { name: 'AbortError', command: { name: 'set', args: [] } })],
      }),
      'outage',
      'store',
    ],
    ['work that was given up', new DOMException('x', 'AbortError'), 'neither'],
    ['a Redis that loads', reply('LOADING Redis is loading the dataset in memory'), 'outage', 'store'],
    ['a Redis without its primary', reply('MASTERDOWN Link with MASTER is down'), 'outage', 'store'],
    ['a Redis that cannot save', reply('MISCONF Redis is configured to save RDB snapshots'), 'outage', 'store'],
    ['a Redis that wants a password', reply('NOAUTH Authentication required.'), 'mistake', 'store'],
    ['a password that Redis refuses', reply('WRONGPASS invalid username-password pair'), 'mistake', 'store'],
    ['a command that Redis does not allow', reply('NOPERM User x has no permissions'), 'mistake', 'store'],
    ['a transaction that Redis does not allow', discarded('NOPERM User x has no permissions'), 'mistake', 'store'],
    ['a wrong type in Redis', reply('WRONGTYPE Operation against a key'), 'neither'],
    ['anything else', 'thrown text', 'neither'],
  ];

describe('F-E5: an error of the world outside', () => {
  it.each(ROWS)('%s is what waits, ends at once, or neither', (_name, error, kind, of) => {
    const trouble = troubleOf(error);
    expect(trouble?.kind ?? 'neither').toBe(kind);
    if (trouble !== null) expect(trouble.kind === 'outage' ? trouble.outage.what : trouble.mistake.what).toBe(of);
  });

  it('that ends work at once has words for the operator, whatever its code', () => {
    const mistakes = ROWS.flatMap(([, error]) => {
      const trouble = troubleOf(error);
      return trouble?.kind === 'mistake' ? [trouble.mistake.code] : [];
    });
    expect(mistakes.filter((code) => mistakeIn(code) === null)).toEqual([]);
  });
});

describe('the pauses of a job that waits', () => {
  const outage = { what: 'model', code: 'X', retryAfterMs: null } as const;
  const policy = { patienceMs: 1_800_000, baseMs: 1_000, capMs: 60_000 };

  it('never add up to more than the patience, and end with it', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    const named = fc.option(fc.integer({ min: 0, max: 7_200_000 }));
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3_600_000 }),
        fc.integer({ min: 1, max: 60_000 }),
        random,
        named,
        (patienceMs, baseMs, drawn, retryAfterMs) => {
          let waited = NOT_WAITED;
          for (let tries = 0; tries < 5_000; tries += 1) {
            const decision = decideWait(
              { outage: { ...outage, retryAfterMs }, waited, nowMs: 5 },
              { ...policy, patienceMs, baseMs },
              () => drawn,
            );
            if (decision.kind === 'over') {
              expect(waited.waitedMs).toBe(patienceMs);
              return;
            }
            expect(decision.delayMs).toBeGreaterThan(0);
            expect(decision.isNew).toBe(tries === 0);
            ({ waited } = decision);
          }
          throw new Error('it must end');
        },
      ),
    );
  });

  it('double up to the longest, and keep to a delay that was named', () => {
    const pause = (tries: number, retryAfterMs: number | null = null) =>
      decideWait({ outage: { ...outage, retryAfterMs }, waited: { ...NOT_WAITED, tries }, nowMs: 0 }, policy, () => 1);
    expect([0, 1, 2, 5, 6, 60].map((tries) => pause(tries))).toMatchObject(
      [1_000, 2_000, 4_000, 32_000, 60_000, 60_000].map((delayMs) => ({ delayMs })),
    );
    expect(pause(0, 90_000)).toMatchObject({ delayMs: 90_000 });
  });

  it('wait not at all without patience', () => {
    expect(decideWait({ outage, waited: NOT_WAITED, nowMs: 0 }, { ...policy, patienceMs: 0 }, () => 1)).toEqual({
      kind: 'over',
    });
  });
});

it.each([
  ['FORGE_BAD_ANSWER', true],
  ['FORGE_PENDING_DRAFT', true],
  ['FORGE_UNAVAILABLE', false],
])('a wait with %s is of one change request alone: %j', (code, isOfOne) => {
  expect(isOfOnePage({ code })).toBe(isOfOne);
});
