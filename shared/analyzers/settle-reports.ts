/** Decides what the results of an analyzer are worth: which are hits, and whether their absence proves anything. */
import type { Analyzer } from '../config/analyzer-settings.ts';
import type { AnalysisHit } from '../rules/model/analysis.ts';
import { hitsOf } from './hits-of.ts';
import type { AnalyzerResult, Report } from './report/report.ts';

/** `failure`: why the absence of hits proves nothing; null if it does. */
export type Analyzed = { readonly hits: readonly AnalysisHit[]; readonly failure: string | null };

export type SettledTree = {
  /** Files of interest. */
  readonly files: readonly string[];
  readonly isTreeFile: (path: string) => Promise<boolean>;
};

/** Results in files of interest; a change with more is not reviewed by reading all of them. */
const MAX_HITS = 2_000;

export const noHits = (failure: string): Analyzed => ({ hits: [], failure });

export const settleReports = async (
  reports: readonly Report[],
  analyzer: Pick<Analyzer, 'name' | 'severity'>,
  { files, isTreeFile }: SettledTree,
): Promise<Analyzed> => {
  const results = reports.flatMap((report) => report.results);
  const outside = reports.reduce((sum, report) => sum + report.outside, 0);
  const wanted = new Set(files);
  const hits = hitsOf(
    results.filter(({ path }) => wanted.has(path)),
    analyzer,
  );
  if (hits.length > MAX_HITS) return noHits(`reported more than ${MAX_HITS} problems in files of the change`);
  if (outside > 0) return { hits, failure: `reported ${counted(outside)} without a place inside of the repository` };
  const lost = await countLost(results, isTreeFile);
  if (lost > 0) return { hits, failure: `reported results for ${lost} files that the repository does not contain` };
  return { hits, failure: null };
};

const counted = (count: number): string => (count === 1 ? '1 result' : `${count} results`);

/** Files that are not in the tree: their paths are relative to another folder, so results of other files are lost too. */
const countLost = async (
  results: readonly AnalyzerResult[],
  isTreeFile: SettledTree['isTreeFile'],
): Promise<number> => {
  let lost = 0;
  for (const path of new Set(results.map((result) => result.path))) if (!(await isTreeFile(path))) lost += 1;
  return lost;
};
