/** What the soak bench prints. */
import type { KeyGroup } from './lasting-keys.ts';
import type { Sample } from './sample.ts';
import { FLAT_MB_PER_HOUR, judgeGrowth, measureGrowth } from './slope.ts';

/** After a warm-up of two minutes, a run of twelve is long enough. */
const MEANINGFUL_MS = 9 * 60_000;

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(1)}`;

const row = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(12) : cell.padStart(14))).join('');

type Kind = 'memory' | 'live';

const KINDS: readonly (readonly [Kind, string])[] = [
  ['live', 'live: after a collection of garbage once a minute; a leak shows here'],
  ['memory', 'resident: with garbage, which V8 collects when it is about as large as the rest'],
];

const rowOf = (name: string, kind: Kind, samples: readonly Sample[]): string => {
  const memory = samples.flatMap((sample) => {
    const megabytes = sample[kind]?.get(name);
    return megabytes === undefined ? [] : [{ atMs: sample.atMs, megabytes }];
  });
  const growth = measureGrowth(memory);
  if (growth === null) return row([name, 'too few samples']);
  const later = measureGrowth(memory.slice(Math.floor(memory.length / 2)));
  return row([
    name,
    growth.startMb.toFixed(1),
    growth.endMb.toFixed(1),
    signed(growth.mbPerHour),
    growth.spreadMbPerHour.toFixed(1),
    later === null ? '-' : signed(later.mbPerHour),
    judgeGrowth(growth),
  ]);
};

/** `samples` without those of the warm-up. */
export const printMemory = (names: readonly string[], samples: readonly Sample[]): void => {
  console.log('\nmemory in MB; the slope with two standard errors, and the slope of the second half');
  console.log(
    `flat: slope and errors are at most ${FLAT_MB_PER_HOUR} MB per hour; grows: the slope is more without them too`,
  );
  for (const [kind, what] of KINDS) {
    console.log(`\n${what}`);
    console.log(row(['', 'start', 'end', 'MB per hour', '±', 'second half', '']));
    for (const name of names) console.log(rowOf(name, kind, samples));
  }
  const tookMs = (samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0);
  if (tookMs < MEANINGFUL_MS)
    console.log('the run was short: what a process needs at its start still decides the slope');
};

export const printRedis = (first: Sample, last: Sample): void => {
  console.log('\nRedis, which remembers most things for days');
  console.log(row(['', 'start', 'end']));
  console.log(row(['keys', String(first.keys), String(last.keys)]));
  console.log(row(['no expiry', String(first.lasting), String(last.lasting)]));
  console.log(row(['MB in use', first.megabytes.toFixed(1), last.megabytes.toFixed(1)]));
};

export const printKeys = (groups: readonly KeyGroup[]): void => {
  console.log('\nkeys without an expiry');
  for (const { kind, count, reason } of groups) {
    console.log(
      `${String(count).padStart(8)}  ${kind.padEnd(26)}  ${reason ?? 'FAULT: keys of this kind must expire'}`,
    );
  }
};
