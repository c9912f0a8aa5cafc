import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ModelBadAnswerError,
  ModelOverloadedError,
  ModelRateLimitedError,
  ModelRefusedRequestError,
  ModelStreamCutError,
  ModelTimedOutError,
  ModelUnauthorisedError,
  ModelUnavailableError,
  ModelUntrustedError,
} from '../../shared/agent/model-errors.ts';
import { AppError } from '../../shared/errors.ts';
import { ForgeRequestError, ForgeUnknownOutcomeError } from '../../shared/forge/errors.ts';
import { decideWait, NOT_WAITED, outageOf } from '../../shared/outage.ts';
import { GitError, gitError } from '../../shared/workspace/git.ts';

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
const git = (remote: boolean) =>
  new GitError({ code: 'GIT_FAILED', message: 'x', disposition: { kind: 'retry' }, fields: { remote } });

describe('F-E5: an outage', () => {
  it.each([
    ['a limit on the rate', new ModelRateLimitedError(failure), 'model'],
    ['an overload', new ModelOverloadedError(failure), 'model'],
    ['a model that is not reached', new ModelUnavailableError(failure), 'model'],
    ['a stream that is cut', new ModelStreamCutError({ kind: 'nothing' }), 'model'],
    ['a model that falls silent', new ModelTimedOutError({ kind: 'idle', ms: 1 }, { kind: 'nothing' }), 'model'],
    ['a forge that limits the rate', forge('FORGE_RATE_LIMITED'), 'forge'],
    ['a forge that is not reached', forge('FORGE_UNAVAILABLE', { fields: { reason: 'ECONNREFUSED' } }), 'forge'],
    [
      'F-C12: a pending review that was written by hand',
      forge('FORGE_PENDING_DRAFT', { disposition: { kind: 'fail' } }),
      'forge',
    ],
    ['a write that was lost', new ForgeUnknownOutcomeError({}, null), 'forge'],
    ['a git server that is away', git(true), 'git'],
    ['a full disk', coded('ENOSPC'), 'disk'],
    ['a used-up quota of the disk', coded('EDQUOT'), 'disk'],
    ['a full disk below other errors', wrapped(coded('ENOSPC')), 'disk'],
    ['a Redis that only reads', reply('READONLY You cannot write against a read only replica.'), 'store'],
    ['a Redis that loads', reply('LOADING Redis is loading the dataset in memory'), 'store'],
  ])('is %s', (_name, error, what) => {
    expect(outageOf(error)?.what).toBe(what);
  });

  it.each([
    ['a wrong key', new ModelUnauthorisedError(failure)],
    ['a request that is refused', new ModelRefusedRequestError(failure)],
    ['a certificate that is not trusted', new ModelUntrustedError(failure)],
    ['a page of a proxy', new ModelBadAnswerError('event', { kind: 'nothing' })],
    ['a token that the forge refuses', forge('FORGE_UNAUTHORISED', { disposition: { kind: 'fail' } })],
    ['rights that are missing', forge('FORGE_FORBIDDEN', { disposition: { kind: 'fail' } })],
    [
      "a forge's certificate that is not trusted",
      forge('FORGE_UNAVAILABLE', { fields: { reason: 'CERT_HAS_EXPIRED' } }),
    ],
    ['a repository that git cannot read', git(false)],
    ['a git that is not there', gitError('GIT_NOT_FOUND', 'x', 'fail')],
    ['a file that is not there', coded('ENOENT')],
    ['a wrong type in Redis', reply('WRONGTYPE Operation against a key')],
    ['anything else', 'thrown text'],
  ])('is not %s', (_name, error) => {
    expect(outageOf(error)).toBeNull();
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
