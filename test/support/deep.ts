/** How many runs a property gets: few in normal runs, many with `FIXPOINT_DEEP=1`. The seed is fixed. */
export const propertyRuns = (normal: number, deep: number): { readonly numRuns: number; readonly seed: number } => ({
  numRuns: process.env.FIXPOINT_DEEP === '1' ? deep : normal,
  seed: 20_260_101,
});

/** Time for a test whose runs `propertyRuns` multiplies: generous, because it matters only when something hangs. */
export const propertyMs = (normalMs: number): number =>
  process.env.FIXPOINT_DEEP === '1' ? Math.max(normalMs, 1_800_000) : normalMs;

/** The first of some that differ little and take long; all of them in the deep run. */
export const usually = <Item>(...all: readonly [Item, ...Item[]]): readonly Item[] =>
  process.env.FIXPOINT_DEEP === '1' ? all : all.slice(0, 1);
