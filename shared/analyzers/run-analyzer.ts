/** Runs one analyzer on a checkout and decides whether its report can be relied on. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandAnalyzer, FILES_ARGUMENT } from '../config/analyzer-settings.ts';
import { CAGED_WORKSPACE, type Cage } from '../workspace/cage/cage.ts';
import { COPY, runCaged } from './caged-report.ts';
import { fileBatches } from './file-batches.ts';
import { parseReport } from './report/parse-report.ts';
import type { Report } from './report/report.ts';
import { type Analyzed, noHits, settleReports } from './settle-reports.ts';

export type AnalyzedTree = {
  readonly cage: Cage;
  /** The checkout of the head. */
  readonly root: string;
  /** Files of interest that the analyzer can check; at least one. */
  readonly files: readonly string[];
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
};

export const runAnalyzer = async (
  analyzer: CommandAnalyzer,
  tree: AnalyzedTree,
  signal: AbortSignal,
): Promise<Analyzed> => {
  const endsAtMs = tree.nowMs() + analyzer.timeoutS * 1000;
  const reports: Report[] = [];
  for (const command of commandsOf(analyzer, tree.files)) {
    const timeoutMs = endsAtMs - tree.nowMs();
    const ended = await runCaged(analyzer, { ...tree, command, timeoutMs }, signal);
    if (ended.kind === 'failed') return noHits(ended.reason);
    const place = { format: analyzer.format, analyzer: analyzer.name, roots: [CAGED_WORKSPACE, COPY] };
    const report = parseReport(ended.report, place);
    if (report.kind === 'unreadable') return noHits(report.reason);
    if (ended.code !== 0 && report.results.length + report.outside === 0)
      return noHits(`ended with exit code ${ended.code} and reported nothing`);
    reports.push(report);
  }
  const { files, root } = tree;
  return settleReports(reports, analyzer, { files, isTreeFile: async (path) => isTreeFile(join(root, path)) });
};

/** One command, or several if the files do not fit into the arguments of one. */
const commandsOf = ({ command }: CommandAnalyzer, files: readonly string[]): readonly (readonly string[])[] =>
  command.includes(FILES_ARGUMENT)
    ? fileBatches(files).map((batch) => command.flatMap((word) => (word === FILES_ARGUMENT ? batch : [word])))
    : [command];

export const isTreeFile = async (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
