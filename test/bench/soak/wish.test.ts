import { expect, test } from 'vitest';
import { parseSoakWish } from './wish.ts';

test('without options it is the run of twelve minutes', () => {
  expect(parseSoakWish({})).toEqual({ minutes: 12, changeRequests: 500, withModel: false });
});

test('a short run', () => {
  const wish = parseSoakWish({ minutes: '2', 'change-requests': '50', model: true });
  expect(wish).toEqual({ minutes: 2, changeRequests: 50, withModel: true });
});

test.each([
  [{ minutes: '0' }, '--minutes'],
  [{ minutes: 'two' }, '--minutes'],
  [{ 'change-requests': '1.5' }, '--change-requests'],
  [{ 'change-requests': '' }, '--change-requests'],
])('%j is refused with a sentence', (values, option) => {
  expect(parseSoakWish(values)).toMatch(new RegExp(`^${option} takes a `));
});
