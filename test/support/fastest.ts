/** Time of the fastest attempt in ms: a busy machine delays some attempts, a limit that is too long delays all. */
export const fastestOf = async (attempts: number, work: () => Promise<void>): Promise<number> => {
  const tookMs: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const startedMs = performance.now();
    await work();
    tookMs.push(performance.now() - startedMs);
  }
  return Math.min(...tookMs);
};
