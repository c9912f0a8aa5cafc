/** What the cage costs: one call of each tool with and without it, a command, and a review with sixty calls. */
import { join } from 'node:path';
import type { Cage } from '../../shared/workspace/cage/cage.ts';
import { findTestCage } from '../support/cage.ts';
import { never } from '../shared/workspace/repository.ts';
import { type Change, FILES, layChange, type Name, openPlace, type Place } from './cage-place.ts';
import { CALLS, measureReview } from './cage-review.ts';
import { median } from './numbers.ts';

const TIMES = 40;
const REVIEWS = 5;

type Row = { readonly title: string; readonly tool: Name; readonly input: (index: number) => unknown };

const ROWS: readonly Row[] = [
  { title: 'Read', tool: 'Read', input: (index) => ({ path: `src/part${index % FILES}.ts` }) },
  { title: 'Grep', tool: 'Grep', input: (index) => ({ pattern: `value${index % FILES}_7 ` }) },
  { title: 'Glob', tool: 'Glob', input: (index) => ({ pattern: `part${index % 10}*.ts` }) },
  { title: 'Bash: git log', tool: 'Bash', input: () => ({ command: 'git log --oneline -n 5' }) },
  { title: 'Bash: head', tool: 'Bash', input: (index) => ({ command: `head -n 20 src/part${index % FILES}.ts` }) },
];

const callOnce = async ({ tools }: Place, { tool, input }: Row, index: number): Promise<number> => {
  const startedAt = performance.now();
  const result = await tools[tool].execute(input(index), never());
  if (result.kind !== 'text') throw new Error(`${tool} failed: ${JSON.stringify(result)}`);
  return performance.now() - startedAt;
};

/** Milliseconds of a median call. The first one, which starts what stays, is told apart. */
const measureCalls = async (place: Place, row: Row) => {
  const first = await callOnce(place, row, 0);
  const times: number[] = [];
  for (let index = 1; index <= TIMES; index += 1) times.push(await callOnce(place, row, index));
  return { first, typical: median(times) };
};

const columns = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(34) : cell.padStart(14))).join('');

const benchCalls = async (change: Change, cage: Cage, folder: string): Promise<void> => {
  const [plain, caged] = [await openPlace(change, null, folder), await openPlace(change, cage, folder)];
  try {
    for (const row of ROWS) {
      const [without, within] = [await measureCalls(plain, row), await measureCalls(caged, row)];
      const numbers = [without.typical, within.typical, within.typical - without.typical, within.first];
      console.log(columns([row.title, ...numbers.map((ms) => ms.toFixed(1))]));
    }
  } finally {
    await plain.close();
    await caged.close();
  }
};

const benchReviews = async (change: Change, cage: Cage, folder: string): Promise<void> => {
  const typical = async (where: Cage | null, withBash: boolean): Promise<number> => {
    const times: number[] = [];
    for (let index = 0; index < REVIEWS; index += 1) {
      times.push(await measureReview(change, { cage: where, withBash, folder }));
    }
    return median(times);
  };
  const [without, within, withBash] = [
    await typical(null, false),
    await typical(cage, false),
    await typical(cage, true),
  ];
  console.log(columns([`a review, ${CALLS} calls`, ...[without, within, within - without].map((ms) => ms.toFixed(0))]));
  // Without a cage there is no Bash.
  console.log(columns([`a review, ${CALLS} calls, 12 of Bash`, '-', withBash.toFixed(0), '-']));
};

export const benchCage = async (): Promise<void> => {
  const { cage, folder, dispose, why } = await findTestCage();
  const change = layChange();
  try {
    if (cage === null) return console.log(`\nthe cage${why}`);
    console.log(`\nthe cage: median milliseconds of one tool call, and of a review by the agent runner`);
    console.log(columns(['', 'without', 'with', 'more', 'first with']));
    await benchCalls(change, cage, join(folder, 'checkouts'));
    await benchReviews(change, cage, join(folder, 'checkouts'));
  } finally {
    change.world.dispose();
    dispose();
  }
};
