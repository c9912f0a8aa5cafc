/**
 * Records `test/fixtures/eval/replayed` again, after a change to prompts or tools: `npx tsx
 * test/services/cli/eval/record-replayed.ts`. The answers come from a scripted model behind the simulated Messages API, not
 * from a real one.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPLAYED_BOUNDARY } from '../../../../services/cli/eval/recorded-answers.ts';
import type { EvalCase } from '../../../../shared/eval/case.ts';
import { printCases } from '../../../../shared/eval/parse-cases.ts';
import { startModelWorld, WITHOUT_CAGE } from '../model-world.ts';
import { runCli } from '../run-cli.ts';
import { EVAL_FIXTURES, ownCases, roundCases } from './own-set.ts';
import { CAREFUL, defectsIn, type Habit, saying, scripted } from './scripted-models.ts';

const FOLDER = join(EVAL_FIXTURES, 'replayed');

const IDS = ['js-page-size', 'go-average', 'py-lock', 'js-rename', 'go-back'];

/** Finds what it knows, misses the defect of `go-average`, and says something wrong about `py-lock`. */
const HABIT: Habit = {
  ...CAREFUL,
  says: (looking) => {
    const [first] = looking.added;
    const path = first?.path ?? '';
    if (path.includes('average')) return [];
    const found = CAREFUL.says(looking);
    if (first === undefined || !path.endsWith('.py')) return found;
    return [...found, saying({ ...first, about: 'The module is loaded twice.' })];
  },
};

/** What is different in each recording: the boundary, which no replay compares, and times. */
const settle = (file: string): void => {
  const recorded = readFileSync(file, 'utf8');
  const boundaries = new Set([...recorded.matchAll(/"boundary": "([0-9a-z]+)"/g)].map(([, each = '']) => each));
  const text = [...boundaries].reduce((rest, each) => rest.replaceAll(each, REPLAYED_BOUNDARY), recorded);
  writeFileSync(file, text.replaceAll(/"wallMs": \d+/g, '"wallMs": 0'));
};

const record = async (cases: readonly EvalCase[]): Promise<void> => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, 'cases.jsonl');
  writeFileSync(file, printCases(cases));
  const world = await startModelWorld();
  try {
    world.says(scripted(defectsIn(cases), HABIT));
    const args = ['eval', 'run', file, '--out', FOLDER, '--runner', 'agent', '--config', WITHOUT_CAGE];
    const { code, stdout, stderr } = await runCli(args, { env: world.env });
    if (code !== 0) throw new Error(`${stdout}\n${stderr}`);
    // Only the conversations are kept: results would be those of this version.
    rmSync(join(FOLDER, 'results'), { recursive: true });
    for (const name of readdirSync(join(FOLDER, 'transcripts'))) settle(join(FOLDER, 'transcripts', name));
  } finally {
    await world.sim.close();
  }
};

const known = [...(await ownCases()), ...(await roundCases())];
await record(IDS.flatMap((id) => known.find((each) => each.id === id) ?? []));
