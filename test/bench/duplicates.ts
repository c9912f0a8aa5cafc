/** How well duplicates are told on the labelled pairs: a table of categories, and what other thresholds would do. */
import { DEFAULT_THRESHOLD, type Scores, scoresOf } from '../shared/rounds/duplicate-scores.ts';
import { DIFFERENT, type LabelledPair, loadPairs, remembered, SAME } from '../shared/rounds/labelled-pairs.ts';

const HALVES = ['tune', 'held out'] as const;
const SWEEP = [0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9] as const;

const columns = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(34) : cell.padStart(12))).join('');

const share = (value: number): string => value.toFixed(3);

const row = (name: string, { pairs, precision, recall, right }: Scores): string =>
  columns([name, String(pairs), share(precision), share(recall), share(right)]);

const printHalf = (half: (typeof HALVES)[number], pairs: readonly LabelledPair[], threshold: number): void => {
  console.log(`\nDuplicates, ${half} half, threshold ${threshold}`);
  console.log(columns(['', 'pairs', 'precision', 'recall', 'right']));
  for (const category of [...SAME, ...DIFFERENT]) {
    const some = scoresOf(
      pairs.filter((pair) => pair.category === category),
      { threshold },
    );
    console.log(columns([category, String(some.pairs), '', '', share(some.right)]));
  }
  console.log(row('all', scoresOf(pairs, { threshold })));
  console.log(row('all, first claim without its body', scoresOf(pairs, { threshold, known: remembered })));
  const bare = scoresOf(pairs, { threshold, known: (claim) => ({ ...remembered(claim), citedCode: '' }) });
  console.log(row('all, first claim with title only', bare));
};

const printSweep = (pairs: readonly LabelledPair[]): void => {
  console.log('\nDuplicates, by threshold');
  console.log(columns(['', ...HALVES.flatMap((half) => [`${half}: P`, 'R'])]));
  for (const threshold of SWEEP) {
    const scores = HALVES.map((half) =>
      scoresOf(
        pairs.filter((pair) => pair.half === half),
        { threshold },
      ),
    );
    console.log(
      columns([String(threshold), ...scores.flatMap(({ precision, recall }) => [share(precision), share(recall)])]),
    );
  }
};

export const benchDuplicates = (): void => {
  const pairs = loadPairs();
  for (const half of HALVES) {
    printHalf(
      half,
      pairs.filter((pair) => pair.half === half),
      DEFAULT_THRESHOLD,
    );
  }
  printSweep(pairs);
};
