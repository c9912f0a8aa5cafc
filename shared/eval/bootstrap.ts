/** 95 % intervals by resampling cases, with a generator of our own, so that the same results give the same report. */

/** mulberry32: 32 bits of state, numbers in [0, 1). Not for secrets. */
export const seededNumbers = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

export type Interval = { readonly low: number; readonly high: number };

const RESAMPLES = 1_000;
const SEED = 20_261_130;

/** Contract: `measure` is pure; null if the sample has nothing to divide by. Null with fewer than two items. */
export const bootstrap = <Item>(
  items: readonly Item[],
  measure: (sample: readonly Item[]) => number | null,
): Interval | null => {
  if (items.length < 2) return null;
  const next = seededNumbers(SEED);
  const values: number[] = [];
  for (let round = 0; round < RESAMPLES; round += 1) {
    const sample = items.map((item) => items[Math.floor(next() * items.length)] ?? item);
    const value = measure(sample);
    if (value !== null) values.push(value);
  }
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor(sorted.length * 0.025)], sorted[Math.ceil(sorted.length * 0.975) - 1]];
  return low === undefined || high === undefined ? null : { low, high };
};
