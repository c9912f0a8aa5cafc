import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, decideRetry, DEFAULT_RETRY, type Ending, parseRetryAfter } from '../../../shared/forge/retry.ts';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);
const DAY_MS = 24 * 60 * 60 * 1000;
const runs = process.env['FIXPOINT_DEEP'] === '1' ? 5_000 : 200;

describe('parseRetryAfter', () => {
  it.each([
    ['3', 3_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 12:00:05 GMT', 5_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    ['Thursday, 01-Jan-26 12:00:05 GMT', 5_000],
    ['999999999', DAY_MS],
    ['', null],
    ['-3', null],
    ['1.5', null],
    ['2026', 2_026_000],
    ['soon', null],
    ['Someday, never', null],
    [undefined, null],
  ])('reads %j as %j ms', (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });

  it('never names a negative delay or more than a day, whatever the header holds', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (value) => {
          const delay = parseRetryAfter(value, NOW);
          expect(delay === null || (delay >= 0 && delay <= DAY_MS)).toBe(true);
        },
      ),
      { seed: 1, numRuns: runs },
    );
  });
});

describe('decideRetry', () => {
  const answer = (status: number, retryAfterMs: number | null = null): Ending => ({
    kind: 'answer',
    status,
    retryAfterMs,
  });
  const wait = (delayMs: number) => ({ kind: 'wait', delayMs });
  const giveUp = { kind: 'give_up' };

  it.each<[string, Ending, 'read' | 'write', number, unknown]>([
    ['a read that was limited waits with jitter', answer(429), 'read', 1, wait(125)],
    ['a read doubles its ceiling', answer(503), 'read', 3, wait(500)],
    ['a read behind a bad gateway is tried again', answer(502), 'read', 1, wait(125)],
    ['a read after a gateway timeout is tried again', answer(504), 'read', 1, wait(125)],
    ['a named delay replaces the jitter', answer(429, 2_000), 'read', 1, wait(2_000)],
    ['a named delay of zero is taken literally', answer(429, 0), 'read', 1, wait(0)],
    ['a named delay at the limit is waited for', answer(503, 10_000), 'read', 1, wait(10_000)],
    ['a longer one goes back to the queue', answer(503, 10_001), 'read', 1, giveUp],
    ['the last attempt is the last', answer(429), 'read', 4, giveUp],
    ['a plain 500 is not tried again in place', answer(500), 'read', 1, giveUp],
    ['success ends it', answer(200), 'read', 1, giveUp],
    ['a refused token is not tried again', answer(401), 'read', 1, giveUp],
    ['a forbidden read is not tried again', answer(403), 'read', 1, giveUp],
    ['a missing thing is not tried again', answer(404), 'read', 1, giveUp],
    ['a lost read is tried again', { kind: 'lost' }, 'read', 1, wait(125)],
    ['a garbled read is tried again', { kind: 'garbled' }, 'read', 1, wait(125)],
    ['a read that ran out of time goes back to the queue', { kind: 'timed_out' }, 'read', 1, giveUp],
    ['an unsent read is tried again', { kind: 'not_sent' }, 'read', 1, wait(125)],
    ['an unsent write is tried again', { kind: 'not_sent' }, 'write', 1, wait(125)],
    ['an unsent write has a last attempt too', { kind: 'not_sent' }, 'write', 4, giveUp],
    ['a lost write is never sent again', { kind: 'lost' }, 'write', 1, giveUp],
    ['a limited write is never sent again', answer(429), 'write', 1, giveUp],
    ['a write behind a bad gateway is never sent again', answer(502), 'write', 1, giveUp],
    ['a garbled write is never sent again', { kind: 'garbled' }, 'write', 1, giveUp],
    ['a write that ran out of time is never sent again', { kind: 'timed_out' }, 'write', 1, giveUp],
  ])('%s', (...[, ending, intent, attempt, expected]) => {
    expect(decideRetry({ ending, intent, attempt }, DEFAULT_RETRY, () => 0.5)).toEqual(expected);
  });

  it('waits between zero and the ceiling of the attempt', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (attempt, chance) => {
          const delay = backoffMs(attempt, DEFAULT_RETRY, () => chance);
          const ceiling = Math.min(DEFAULT_RETRY.capMs, DEFAULT_RETRY.baseMs * 2 ** (attempt - 1));
          expect(delay).toBe(Math.floor(chance * ceiling));
          expect(delay).toBeLessThanOrEqual(DEFAULT_RETRY.capMs);
        },
      ),
      { seed: 2, numRuns: runs },
    );
  });
});
