import { defineConfig } from 'vitest/config';

/** The tests come from `npm run mutate`; the rest is as in the usual run, with one worker for each process of Stryker. */
const list = (name: string): readonly string[] => (process.env[name] ?? '').split('\n').filter((glob) => glob !== '');

export default defineConfig({
  test: {
    include: [...list('FIXPOINT_MUTATE_TESTS')],
    exclude: ['**/node_modules/**', ...list('FIXPOINT_MUTATE_WITHOUT')],
    globalSetup: ['test/support/scratch.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
