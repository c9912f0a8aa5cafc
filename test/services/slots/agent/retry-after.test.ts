import { expect, it } from 'vitest';
import { retryAfterSeconds } from '../../../../services/slots/agent/retry-after.ts';

it.each([
  ['a key', '{"type":"error","error":{"retry_after": 20}}', 20],
  ['a header', 'HTTP 429\nretry-after: 7\n', 7],
  ['another spelling', '{"retryAfter":"90"}', 90],
  ['seconds in a sentence', 'Rate limit reached. Please try again in 1.2s.', 2],
  ['minutes', 'You are out of quota, try again in about 5 minutes', 300],
  ['hours', 'usage limit: resets in 2 hours', 7_200],
  ['milliseconds', 'retrying in 1500ms', 2],
  ['minutes and seconds in one word', 'Rate limit reached for gpt-5. Please try again in 6m0s.', 360],
  ['a part of a second in it', 'Please try again in 1m26.4s. Visit the page of limits.', 87],
  ['hours, minutes and seconds', 'retry after 1h2m3s', 3_723],
  ['several words', 'usage limit: resets in 1 hour 5 minutes and 10 seconds', 3_910],
  ['days', 'available in 1 day, 2 hours', 93_600],
  ['a key of milliseconds', '{"retry_after_ms": 2500}', 3],
  ['a header of milliseconds', 'retry-after-ms: 400', 1],
  ['a key of seconds', '"retry_after_seconds": "12"', 12],
  ['the last of several', 'retry after 10 seconds … retry after 40 seconds', 40],
  ['no unit in a longer word', 'try again in 5 months', null],
  ['nothing', 'exit code 1: 3 tests failed after 20 seconds', null],
  ['only what stands near the end', `retry-after: 5${' '.repeat(9_000)}`, null],
])('reads %s', (_, printed, expected) => {
  expect(retryAfterSeconds(printed)).toBe(expected);
});
