import { expect, test } from 'vitest';
import { judgeGrowth, measureGrowth, type MemorySample } from './slope.ts';

const MINUTES = 10;
const EVERY_MS = 10_000;

const samplesOf = (megabytes: (minute: number, index: number) => number): readonly MemorySample[] =>
  Array.from({ length: (MINUTES * 60_000) / EVERY_MS }, (_, index) => ({
    atMs: 120_000 + index * EVERY_MS,
    megabytes: megabytes((index * EVERY_MS) / 60_000, index),
  }));

const verdictOf = (samples: readonly MemorySample[]): string | null => {
  const growth = measureGrowth(samples);
  return growth === null ? null : judgeGrowth(growth);
};

test('a straight line has its slope, and no spread', () => {
  const growth = measureGrowth(samplesOf((minute) => 100 + 2 * minute));
  expect(growth?.mbPerHour).toBeCloseTo(120, 6);
  expect(growth?.spreadMbPerHour).toBeCloseTo(0, 6);
});

test.each<[string, (minute: number, index: number) => number, string]>([
  ['stays the same', () => 100, 'flat'],
  ['falls', (minute) => 200 - 5 * minute, 'flat'],
  ['has a single peak', (_minute, index) => (index === 30 ? 400 : 100), 'flat'],
  ['grows by 3 MB per minute', (minute) => 100 + 3 * minute, 'grows'],
  ['jumps up and down by 40 MB', (minute) => 100 + 40 * (Math.floor(minute) % 2), 'not clear'],
])('memory that %s', (_name, megabytes, verdict) => {
  expect(verdictOf(samplesOf(megabytes))).toBe(verdict);
});

test('two samples have no slope', () => {
  expect(measureGrowth(samplesOf(() => 100).slice(0, 2))).toBe(null);
});
