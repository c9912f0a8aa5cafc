/** The few statistics that the benches print. */
const sorted = (values: readonly number[]): readonly number[] => values.toSorted((one, other) => one - other);

export const quantile = (values: readonly number[], share: number): number => {
  const all = sorted(values);
  return all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** `other` against `base`, one for each round. Both sides of a round ran one after the other, which disturbs a ratio less. */
export const ratiosOf = (base: readonly number[], other: readonly number[]): readonly number[] =>
  other.map((each, round) => each / (base[round] ?? Number.NaN));

/** The median and the extremes. */
export const showSpread = (values: readonly number[], digits = 2): string => {
  const [middle, least, most] = [median(values), quantile(values, 0), quantile(values, 1)];
  return `${middle.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
};

export type Measured = {
  readonly name: string;
  /** Units of work per second, one for each round. */
  readonly perSecond: readonly number[];
  /** Milliseconds, one for each round. */
  readonly p99Ms: readonly number[];
  /** Resident bytes above idle at the end. */
  readonly memoryBytes: number;
};

/** Both sides of a round ran one after the other, so their ratio is disturbed less than the numbers themselves. */
export const spreadOf = (base: readonly number[], other: readonly number[]): string =>
  showSpread(ratiosOf(base, other));

const MEGABYTE = 1024 * 1024;

const columns = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(34) : cell.padStart(14))).join('');

/** Medians of all rounds. The ratios are against the first row, from the same run on the same machine. */
export const printTable = (title: string, unit: string, rows: readonly Measured[]): void => {
  console.log(`\n${title}`);
  console.log(columns(['', unit, 'ratio', 'p99 ms', 'p99 ratio', 'memory MB']));
  const [base] = rows;
  if (base === undefined) return;
  for (const { name, perSecond, p99Ms, memoryBytes } of rows) {
    const [rate, late] = [median(perSecond), median(p99Ms)];
    console.log(
      columns([
        name,
        rate.toFixed(1),
        (rate / median(base.perSecond)).toFixed(2),
        late.toFixed(1),
        (late / median(base.p99Ms)).toFixed(2),
        (memoryBytes / MEGABYTE).toFixed(1),
      ]),
    );
  }
};
