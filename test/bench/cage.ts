/** What the cage costs: one call of each tool with and without it, and a review with sixty of them. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGlobTool } from '../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../shared/agent/tools/grep.ts';
import { createReadTool } from '../../shared/agent/tools/read.ts';
import { createWorkspaceFiles } from '../../shared/agent/tools/workspace-files.ts';
import type { Tool } from '../../shared/agent/tool.ts';
import { openTreeIn } from '../../shared/workspace/caged-tree.ts';
import type { Cage } from '../../shared/workspace/cage.ts';
import { findTestCage } from '../support/cage.ts';
import { median } from './numbers.ts';

const FILES = 200;
const LINES = 300;
const CALLS = 40;
/** As many as a long review makes, in the proportions of one: most of them read. */
const REVIEW = { Read: 40, Grep: 14, Glob: 6 } as const;

type Name = keyof typeof REVIEW;

const layTree = (root: string): void => {
  mkdirSync(join(root, 'src'), { recursive: true });
  for (let file = 0; file < FILES; file += 1) {
    const lines = Array.from({ length: LINES }, (_, line) => `export const value${file}_${line} = ${line};`);
    writeFileSync(join(root, 'src', `part${file}.ts`), lines.join('\n'));
  }
  chmodSync(join(root, 'src'), 0o755);
};

type Bench = { readonly call: (name: Name, index: number) => Promise<number>; readonly close: () => Promise<void> };

const openBench = (cage: Cage | null, root: string): Bench => {
  const tree = openTreeIn(cage, root);
  // The scan for secrets costs the same on both sides, and many times what is measured here.
  const files = createWorkspaceFiles(tree, async (text) => text);
  const tools: Readonly<Record<Name, Tool>> = {
    Read: createReadTool(files),
    Grep: createGrepTool(files),
    Glob: createGlobTool(tree),
  };
  const inputs: Readonly<Record<Name, (index: number) => unknown>> = {
    Read: (index) => ({ path: `src/part${index % FILES}.ts` }),
    Grep: (index) => ({ pattern: `value${index % FILES}_7 ` }),
    Glob: (index) => ({ pattern: `part${index % 10}*.ts` }),
  };
  const { signal } = new AbortController();
  return {
    call: async (name, index) => {
      const startedAt = performance.now();
      const result = await tools[name].execute(inputs[name](index), signal);
      if (result.kind !== 'text') throw new Error(`${name} failed: ${JSON.stringify(result)}`);
      return performance.now() - startedAt;
    },
    close: tree.close,
  };
};

/** Milliseconds of a median call. The first one, which starts the file server, is told apart. */
const measureCalls = async (bench: Bench, name: Name) => {
  const first = await bench.call(name, 0);
  const times: number[] = [];
  for (let index = 1; index <= CALLS; index += 1) times.push(await bench.call(name, index));
  return { first, typical: median(times) };
};

const measureReview = async (cage: Cage | null, root: string): Promise<number> => {
  const startedAt = performance.now();
  const bench = openBench(cage, root);
  for (const [name, count] of Object.entries(REVIEW) as [Name, number][]) {
    for (let index = 0; index < count; index += 1) await bench.call(name, index);
  }
  await bench.close();
  return performance.now() - startedAt;
};

const columns = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(34) : cell.padStart(14))).join('');

export const benchCage = async (): Promise<void> => {
  const { cage, workspace, dispose, why } = await findTestCage();
  try {
    if (cage === null) return console.log(`\nthe cage${why}`);
    layTree(workspace);
    console.log('\nthe cage: milliseconds of one tool call (median), and of a review with sixty');
    console.log(columns(['', 'without', 'with', 'more', 'first with']));
    const [plain, caged] = [openBench(null, workspace), openBench(cage, workspace)];
    for (const name of Object.keys(REVIEW) as Name[]) {
      const [without, within] = [await measureCalls(plain, name), await measureCalls(caged, name)];
      const numbers = [without.typical, within.typical, within.typical - without.typical, within.first];
      console.log(columns([name, ...numbers.map((ms) => ms.toFixed(1))]));
    }
    await caged.close();
    const [without, within] = [await measureReview(null, workspace), await measureReview(cage, workspace)];
    console.log(columns(['60 calls', ...[without, within, within - without].map((ms) => ms.toFixed(0))]));
  } finally {
    dispose();
  }
};
