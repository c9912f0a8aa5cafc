/** How many runs a property gets: few in normal runs, many with `FIXPOINT_DEEP=1`. The seed is fixed. */
export const propertyRuns = (normal: number, deep: number): { readonly numRuns: number; readonly seed: number } => ({
  numRuns: process.env.FIXPOINT_DEEP === '1' ? deep : normal,
  seed: 20_260_101,
});
