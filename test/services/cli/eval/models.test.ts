/** Models that forget, insist, resolve everything or claim everything: what the report says about each. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseReviewer } from '../../../../services/cli/review/choose-runner.ts';
import type { LocalReviewer } from '../../../../services/cli/review/local-runners.ts';
import type { EvalChangeCase } from '../../../../shared/eval/case.ts';
import type { EvalRoundsCase } from '../../../../shared/eval/rounds-case.ts';
import { type EvalReport, evalReportOf } from '../../../../shared/eval/report.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { type ModelWorld, startModelWorld } from '../model-world.ts';
import { evaluateCases, roundCases } from './own-set.ts';
import { CAREFUL, defectsIn, type Habit, insistOn, RESOLVE, saying, scripted } from './scripted-models.ts';

const RUN_MS = 300_000;

/** The rules find nothing in these, so that all threads are the model's. */
const ROUNDS = ['go-fixed', 'go-moved', 'go-second', 'go-back', 'go-elsewhere'];

let folder: ReturnType<typeof temporaryFolder>;
let world: ModelWorld;
let rounds: readonly EvalRoundsCase[];
beforeAll(async () => {
  folder = temporaryFolder();
  world = await startModelWorld();
  rounds = (await roundCases()).filter(({ id }) => ROUNDS.includes(id));
});
afterAll(async () => {
  folder?.dispose();
  await world?.sim.close();
});

const withModel = (): LocalReviewer =>
  chooseReviewer(
    { runner: 'agent', apiKey: world.sim.apiKey, baseUrl: world.sim.url },
    { env: {}, onProgress: () => {} },
  ).reviewer;

const report = async (cases: readonly (EvalChangeCase | EvalRoundsCase)[], habit: Habit): Promise<EvalReport> => {
  world.says(scripted(defectsIn(cases), habit));
  return evalReportOf(await evaluateCases(cases, { folder: folder.path, reviewerOf: withModel }));
};

const OTHER_WORDS = ['Look here', 'Please think about this', 'Hm', 'Not good'] as const;

const HABITS = {
  'is careful': CAREFUL,
  'forgets everything': { says: () => [], answers: insistOn },
  'forgets what it said': { ...CAREFUL, says: ({ present }) => present.map((defect) => saying(defect)) },
  'says it again in other words': {
    ...CAREFUL,
    says: ({ present, threads }) =>
      present.map((defect) => saying({ ...defect, about: OTHER_WORDS[threads.length] ?? 'Again' })),
  },
  'insists for ever': { ...CAREFUL, answers: insistOn },
  'resolves everything': { ...CAREFUL, answers: () => RESOLVE },
  'claims everything': {
    ...CAREFUL,
    says: ({ added }) =>
      added.slice(0, 9).map((line) => saying({ ...line, about: `Something is wrong at line ${line.line}` })),
  },
} satisfies Readonly<Record<string, Habit>>;

const FAULTS = ['late', 'repeats', 'wrong', 'closedEarly', 'leftOpen', 'falsePass', 'falseBlock'] as const;

describe('over several reviews', () => {
  /** What is against each of them; `found` is of 7 defects. */
  test.each<readonly [keyof typeof HABITS, number, readonly (typeof FAULTS)[number][]]>([
    ['is careful', 7, []],
    ['forgets everything', 0, ['falsePass']],
    // Repeats in the same words are no new threads: the gate recognises them.
    ['forgets what it said', 7, []],
    ['says it again in other words', 7, ['repeats']],
    ['insists for ever', 7, ['falseBlock', 'leftOpen']],
    ['resolves everything', 7, ['closedEarly']],
    ['claims everything', 6, ['falseBlock', 'leftOpen', 'repeats', 'wrong']],
  ])(
    'one that %s finds %i of 7 defects, and has %j against it',
    async (name, found, expected) => {
      const { rounds: scores, failures } = await report(rounds, HABITS[name]);
      expect(failures).toEqual([]);
      expect(scores?.spent.modelCalls).toBeGreaterThan(0);
      const raised = FAULTS.filter((fault) => (scores?.[fault].part ?? 0) > 0).toSorted();
      expect({ found: scores?.found.part, of: scores?.found.of, raised }).toEqual({ found, of: 7, raised: expected });
    },
    RUN_MS,
  );
});
