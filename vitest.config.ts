import { defineConfig } from 'vitest/config';

/** Long suites in full: no test is slow enough to be wrong for that, on a loaded machine least of all. */
const DEEP = process.env['FIXPOINT_DEEP'] === '1';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/scratch.ts'],
    testTimeout: DEEP ? 1_800_000 : 30_000,
    hookTimeout: DEEP ? 600_000 : 60_000,
    pool: 'forks',
    // One more than the cores of a small machine: stories wait a lot.
    maxWorkers: 3,
    // Files share the modules of their process: loading them anew for each took a quarter of the whole run.
    isolate: false,
  },
});
