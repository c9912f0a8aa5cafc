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
  ['the last of several', 'retry after 10 seconds … retry after 40 seconds', 40],
  ['nothing', 'exit code 1: 3 tests failed after 20 seconds', null],
  ['only what stands near the end', `retry-after: 5${' '.repeat(9_000)}`, null],
])('reads %s', (_, printed, expected) => {
  expect(retryAfterSeconds(printed)).toBe(expected);
});
