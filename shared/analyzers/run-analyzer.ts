/** Runs one analyzer on a checkout and decides whether its report can be relied on. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Analyzer, FILES_ARGUMENT } from '../config/analyzer-settings.ts';
import type { AnalysisHit } from '../rules/model/analysis.ts';
import { CAGED_WORKSPACE, type Cage } from '../workspace/cage/cage.ts';
import { COPY, runCaged } from './caged-report.ts';
import { fileBatches } from './file-batches.ts';
import { hitsOf } from './hits-of.ts';
import { parseReport } from './report/parse-report.ts';
import type { AnalyzerResult, Report } from './report/report.ts';

export type AnalyzedTree = {
  readonly cage: Cage;
  /** The checkout of the head. */
  readonly root: string;
  /** Files of interest that the analyzer can check; at least one. */
  readonly files: readonly string[];
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
};

/** `failure`: why the absence of hits proves nothing; null if it does. */
export type Analyzed = { readonly hits: readonly AnalysisHit[]; readonly failure: string | null };

/** Results in files of interest; a change with more is not reviewed by reading all of them. */
const MAX_HITS = 2_000;

export const runAnalyzer = async (analyzer: Analyzer, tree: AnalyzedTree, signal: AbortSignal): Promise<Analyzed> => {
  const endsAtMs = tree.nowMs() + analyzer.timeoutS * 1000;
  const reports: Report[] = [];
  for (const command of commandsOf(analyzer, tree.files)) {
    const timeoutMs = endsAtMs - tree.nowMs();
    const ended = await runCaged(analyzer, { ...tree, command, timeoutMs }, signal);
    if (ended.kind === 'failed') return nothing(ended.reason);
    const place = { format: analyzer.format, analyzer: analyzer.name, roots: [CAGED_WORKSPACE, COPY] };
    const report = parseReport(ended.report, place);
    if (report.kind === 'unreadable') return nothing(report.reason);
    if (ended.code !== 0 && report.results.length + report.outside === 0)
      return nothing(`ended with exit code ${ended.code} and reported nothing`);
    reports.push(report);
  }
  return settle(reports, analyzer, tree);
};

const nothing = (failure: string): Analyzed => ({ hits: [], failure });

/** One command, or several if the files do not fit into the arguments of one. */
const commandsOf = ({ command }: Analyzer, files: readonly string[]): readonly (readonly string[])[] =>
  command.includes(FILES_ARGUMENT)
    ? fileBatches(files).map((batch) => command.flatMap((word) => (word === FILES_ARGUMENT ? batch : [word])))
    : [command];

const settle = async (
  reports: readonly Report[],
  analyzer: Analyzer,
  { root, files }: AnalyzedTree,
): Promise<Analyzed> => {
  const results = reports.flatMap((report) => report.results);
  const outside = reports.reduce((sum, report) => sum + report.outside, 0);
  const wanted = new Set(files);
  const hits = hitsOf(
    results.filter(({ path }) => wanted.has(path)),
    analyzer,
  );
  if (hits.length > MAX_HITS) return nothing(`reported more than ${MAX_HITS} problems in files of the change`);
  if (outside > 0) return { hits, failure: `reported ${counted(outside)} without a place inside of the repository` };
  const lost = await countLost(results, root);
  if (lost > 0) return { hits, failure: `reported results for ${lost} files that the repository does not contain` };
  return { hits, failure: null };
};

const counted = (count: number): string => (count === 1 ? '1 result' : `${count} results`);

/** Files that are not in the tree: their paths are relative to another folder, so results of other files are lost too. */
const countLost = async (results: readonly AnalyzerResult[], root: string): Promise<number> => {
  let lost = 0;
  for (const path of new Set(results.map((result) => result.path)))
    if (!(await isTreeFile(join(root, path)))) lost += 1;
  return lost;
};

export const isTreeFile = async (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
