/**
 * The rows of `deploy/guide/quality.md`: `npx tsx test/bench/public-sets.ts SETS CLONES [SET...]`. SETS has checkouts named
 * BugsInPy, SecBench.js and aacr-bench; CLONES has clones as for `fixpoint eval run --repositories`. Only cases whose clone
 * is there are reviewed, so nothing is fetched, except for the packages of SecBench.js.
 */
import path from 'node:path';
import { EVAL_FIXTURES, evaluateCases } from '../services/cli/eval/own-set.ts';
import { findClone } from '../../services/cli/eval/build/find-clone.ts';
import type { EvalSetName } from '../../services/cli/eval/sets/set-names.ts';
import { SET_READERS } from '../../services/cli/eval/sets/set-readers.ts';
import type { EvalChangeCase } from '../../shared/eval/case.ts';
import { type EvalReport, evalReportOf } from '../../shared/eval/report.ts';
import type { Share } from '../../shared/eval/share.ts';
import { temporaryFolder } from '../shared/workspace/repository.ts';

type Choice = {
  readonly set: EvalSetName;
  readonly folder: string;
  readonly name: (cases: readonly EvalChangeCase[]) => string;
  readonly choose: (cases: readonly EvalChangeCase[], clones: string) => Promise<readonly EvalChangeCase[]>;
};

const urlOf = ({ change }: EvalChangeCase): string | null =>
  (change.kind === 'commits' || change.kind === 'patch') && change.repository.kind === 'fetch'
    ? change.repository.url
    : null;

const withClone: Choice['choose'] = async (cases, clones) => {
  const chosen: EvalChangeCase[] = [];
  for (const each of cases) {
    const url = urlOf(each);
    if (url !== null && (await findClone(clones, url)) !== null) chosen.push(each);
  }
  return chosen;
};

const PER_CATEGORY = 8;

const firstOfEach: Choice['choose'] = async (cases) => {
  const counts = new Map<string, number>();
  return cases.filter(({ golden }) => {
    const category = golden[0]?.category ?? '';
    const count = (counts.get(category) ?? 0) + 1;
    counts.set(category, count);
    return count <= PER_CATEGORY;
  });
};

const projectsIn = (cases: readonly EvalChangeCase[]): number => new Set(cases.map(urlOf)).size;

const CHOICES: readonly Choice[] = [
  { set: 'folder', folder: path.join(EVAL_FIXTURES, 'own'), name: () => 'our own set', choose: async (cases) => cases },
  { set: 'bugsinpy', folder: 'BugsInPy', name: (of) => `BugsInPy, ${projectsIn(of)} projects`, choose: withClone },
  {
    set: 'secbench',
    folder: 'SecBench.js',
    name: () => `SecBench.js, ${PER_CATEGORY} of each kind`,
    choose: firstOfEach,
  },
  { set: 'aacr', folder: 'aacr-bench', name: (of) => `AACR-Bench, ${projectsIn(of)} projects`, choose: withClone },
];

const outOf = ({ part, of }: Share): string => (of === 0 ? 'none' : `${part} of ${of}`);

const inWords = ({ value, interval }: Share, per = 100): string =>
  value === null
    ? '-'
    : `${(value * per).toFixed(per === 1 ? 2 : 1)} (${((interval?.low ?? 0) * per).toFixed(1)} to ${((interval?.high ?? 0) * per).toFixed(1)})`;

const print = (name: string, { total, failures }: EvalReport): void => {
  const { precision, recall, falseClean, cleanPass, noise, reviews, inconclusive } = total;
  console.log(`| ${[name, 'rules', reviews, outOf(precision), outOf(recall), outOf(falseClean)].join(' | ')} |`);
  console.log(
    `    false-clean ${inWords(falseClean)} %, inconclusive ${inconclusive}, clean passed ${outOf(cleanPass)}, ` +
      `findings without a label per 1,000 lines ${inWords(noise, 1)}`,
  );
  for (const { caseId, message } of failures) console.log(`    not reviewed: ${caseId}: ${message}`);
};

const measure = async ({ set, folder, name, choose }: Choice, sets: string, clones: string): Promise<void> => {
  const { cases } = await SET_READERS[set](path.resolve(sets, folder));
  const chosen = await choose(
    cases.filter((each): each is EvalChangeCase => each.kind !== 'rounds'),
    clones,
  );
  const work = temporaryFolder();
  try {
    const where = { folder: work.path, repositories: clones };
    print(name(chosen), evalReportOf(await evaluateCases(chosen, { ...where, reviewerOf: () => ({ kind: 'rules' }) })));
  } finally {
    work.dispose();
  }
};

const [sets, clones, ...wanted] = process.argv.slice(2);
if (sets === undefined || clones === undefined) {
  console.error('give the folder with the checkouts of the sets, and the folder with the clones of their projects');
  process.exit(2);
}
for (const choice of CHOICES)
  if (wanted.length === 0 || wanted.includes(choice.set))
    await measure(choice, path.resolve(sets), path.resolve(clones));
