import { expect, it } from 'vitest';
import { wordsFor } from '../../../shared/queue/worker.ts';

it.each([-1, -2, -6])('F-R10: a job that is gone is named as such (code %i)', (code) => {
  expect(wordsFor(Object.assign(new Error('x'), { code }))).toContain('a job is gone from Redis');
});

it.each([{ code: 'ECONNREFUSED' }, { code: -4 }, {}])('other trouble of the queue keeps its words: %j', (fields) => {
  expect(wordsFor(Object.assign(new Error('x'), fields))).toBe('queue connection trouble');
});
