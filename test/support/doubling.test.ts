/** Tests that the measurement behind the linear-time bench can tell doubled time from quadrupled time. */
import { expect, it } from 'vitest';
import { cpuMs, double } from './doubling.ts';

const make = (characters: number): string => 'a'.repeat(characters);
const AT = { first: 16 * 1024, most: 16 * 1024, enoughMs: 0, runs: 7 };

const work = (times: number): number => {
  let sum = 0;
  for (let at = 0; at < times; at += 1) sum = (sum * 31 + at) % 1_000_003;
  return sum;
};

it('measures about two for what is linear', async () => {
  const { ratio } = await double((text) => work(text.length * 200), make, AT);
  expect(ratio).toBeGreaterThan(1.6);
  expect(ratio).toBeLessThan(2.3);
});

it('measures about four for what takes the square, also where most of its time is linear', async () => {
  const { ratio } = await double((text) => work((text.length / 8) ** 2), make, AT);
  expect(ratio).toBeGreaterThan(3.4);
  expect(ratio).toBeLessThan(4.6);
  const mixed = await double((text) => [work(text.length * 100), work((text.length / 16) ** 2)], make, AT);
  expect(mixed.ratio).toBeGreaterThan(2.3);
});

it('doubles the text until it takes long enough, and gives no ratio where it never does', async () => {
  const slow = await double((text) => work(text.length * 50), make, {
    first: 1024,
    most: 2 ** 22,
    enoughMs: 4,
    runs: 3,
  });
  expect(slow.characters).toBeGreaterThan(1024);
  expect(slow.ratio).not.toBeNull();
  const quick = await double(() => null, make, { first: 1024, most: 8 * 1024, enoughMs: 1_000, runs: 3 });
  expect(quick).toMatchObject({ ratio: null, characters: 4 * 1024 });
});

it('counts no time in which nothing is computed', async () => {
  const begun = performance.now();
  const ms = await cpuMs(async () => new Promise((resolve) => void setTimeout(resolve, 200)));
  expect(performance.now() - begun).toBeGreaterThan(150);
  expect(ms).toBeLessThan(100);
});
