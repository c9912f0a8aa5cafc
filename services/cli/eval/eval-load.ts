import { writeFile } from 'node:fs/promises';
import type { EvalCase } from '../../../shared/eval/case.ts';
import { printCases } from '../../../shared/eval/parse-cases.ts';
import { sampleOf } from '../../../shared/eval/sample.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import type { EvalSetName } from './sets/set-names.ts';
import { SET_READERS } from './sets/set-readers.ts';
import { findClone } from './build/find-clone.ts';
import type { LoadedSet, RefusedCase } from './sets/loaded-set.ts';

export type EvalLoadOptions = {
  readonly out: string;
  readonly repositories?: string;
  readonly sample?: number;
};

/** `fixpoint eval load`: writes the cases to a file, and a summary with every refusal to stdout. */
export const evalLoad = async (set: EvalSetName, path: string, options: EvalLoadOptions): Promise<number> => {
  const loaded = await SET_READERS[set](path);
  const cases = options.sample === undefined ? loaded.cases : sampleOf(loaded.cases, options.sample);
  await writeFile(options.out, printCases(cases));
  const lines = summaryLines({ ...loaded, cases }, loaded.cases.length, await missingClones(cases, options));
  process.stdout.write(`${lines.map(escapeForTerminalLine).join('\n')}\n`);
  return cases.length === 0 ? 1 : 0;
};

type Missing = ReadonlyMap<string, number>;

/** The repositories that `eval run` will have to fetch, with their numbers of cases. */
const missingClones = async (
  cases: readonly EvalCase[],
  { repositories }: Pick<EvalLoadOptions, 'repositories'>,
): Promise<Missing> => {
  const counts = new Map<string, number>();
  for (const each of cases) {
    if (each.kind === 'rounds') continue;
    const { change } = each;
    if (change.kind !== 'commits' && change.kind !== 'patch') continue;
    if (change.repository.kind !== 'fetch') continue;
    const { url } = change.repository;
    if (repositories !== undefined && (await findClone(repositories, url)) !== null) continue;
    counts.set(url, (counts.get(url) ?? 0) + 1);
  }
  return counts;
};

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** The same reasons are told together, because large sets have hundreds of entries. */
const byReason = (refused: readonly RefusedCase[]): readonly string[] => {
  const ids = new Map<string, string[]>();
  for (const { id, why } of refused) ids.set(why, [...(ids.get(why) ?? []), id]);
  return [...ids].map(([why, of]) => `  ${why}: ${of.join(', ')}`);
};

const labelsIn = (each: EvalCase): number =>
  each.kind === 'rounds' ? Object.keys(each.defects).length : each.golden.length;

const summaryLines = ({ cases, refused, remarks }: LoadedSet, usable: number, missing: Missing): readonly string[] => {
  const labels = cases.reduce((sum, each) => sum + labelsIn(each), 0);
  return [
    `${counted(cases.length, 'case')} with ${counted(labels, 'label')}${cases.length === usable ? '' : `, of ${usable} usable`}`,
    ...(refused.length === 0
      ? []
      : [`${counted(refused.length, 'entry').replace(/entrys$/, 'entries')} cannot be built:`]),
    ...byReason(refused),
    ...remarks.map((remark) => `note: ${remark}`),
    ...[...missing].map(([url, count]) => `needs a fetch of ${url} for ${counted(count, 'case')}`),
  ];
};
