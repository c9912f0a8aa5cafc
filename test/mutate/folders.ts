/** What `npm run mutate` changes, and the tests that have to notice. */
export type MutatedFolder = {
  /** Its files, those of the folders in it included. */
  readonly source: string;
  /** Globs of the tests that are run. */
  readonly tests: readonly string[];
  /** Walks of the whole state space, and stories on simulated forges: they would run for minutes for each mutant. */
  readonly without?: readonly string[];
};

export const FOLDERS: Readonly<Record<string, MutatedFolder>> = {
  rounds: {
    source: 'shared/rounds',
    tests: ['test/shared/rounds/**/*.test.ts'],
    without: [
      'test/shared/rounds/explore*.test.ts',
      'test/shared/rounds/mutants.test.ts',
      'test/shared/rounds/truth-table.test.ts',
    ],
  },
  poster: {
    source: 'services/poster',
    // How it gives and takes back verdicts shows only on a forge.
    tests: ['test/services/poster/**/*.test.ts', 'test/integration/poster-verdict.test.ts'],
  },
  guard: {
    source: 'services/guard',
    tests: ['test/services/guard/**/*.test.ts'],
    without: ['test/services/guard/model.test.ts', 'test/services/guard/sweep-on-forges.test.ts'],
  },
  text: { source: 'shared/text', tests: ['test/shared/text/*.test.ts'] },
  store: { source: 'shared/store', tests: ['test/shared/store/**/*.test.ts'] },
  queue: { source: 'shared/queue', tests: ['test/shared/queue/*.test.ts'] },
};
