import { type AnalyzerSettings, longestAnalysisS } from '../config/analyzer-settings.ts';
import type { ForgeSettings } from '../config/forge-settings.ts';
import type { Analysis } from '../rules/model/analysis.ts';
import { projectIn } from '../runtime/settings-of-brief.ts';
import type { ChangeRequest, RunId } from '../vocabulary/ids.ts';
import type { Cage } from '../workspace/cage/cage.ts';
import type { CiReport } from './ci/ci-report.ts';
import { analyze, type AnalyzedHead } from './analyze.ts';

export type HeadToAnalyze = Omit<AnalyzedHead, 'project' | 'ciReport'> & {
  readonly runId: RunId;
  readonly changeRequest: ChangeRequest;
  readonly gitUrl: string;
};

export type Analyzers = {
  readonly analyze: (head: HeadToAnalyze, signal: AbortSignal) => Promise<Analysis>;
  readonly analysisS: number;
};

type Connecting = {
  readonly cage: Cage | null;
  readonly checkoutFolder: string;
  /** Contract: loads what guard has stored of the report of this analyzer for this run. */
  readonly loadReport: (runId: RunId, name: string) => Promise<CiReport | null>;
};
type Settings = { readonly analyzer: AnalyzerSettings; readonly forges: readonly ForgeSettings[] };

export const connectAnalyzers = (
  { analyzer: analyzers, forges }: Settings,
  { loadReport, ...means }: Connecting,
): Analyzers => ({
  analysisS: longestAnalysisS(analyzers),
  analyze: async ({ changeRequest, gitUrl, runId, ...head }, signal) => {
    const { baseUrl = '' } = forges.find(({ id }) => id === changeRequest.forge) ?? {};
    const project = projectIn(gitUrl, baseUrl);
    const ciReport = async (name: string) => loadReport(runId, name);
    return analyze({ ...head, project, ciReport }, { ...means, analyzers, nowMs: () => performance.now() }, signal);
  },
});
