import { type AnalyzerSettings, longestAnalysisS } from '../config/analyzer-settings.ts';
import type { ForgeSettings } from '../config/forge-settings.ts';
import type { Analysis } from '../rules/model/analysis.ts';
import { projectIn } from '../runtime/settings-of-brief.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { Cage } from '../workspace/cage/cage.ts';
import { analyze, type AnalyzedHead } from './analyze.ts';

export type HeadToAnalyze = Omit<AnalyzedHead, 'project'> & {
  readonly changeRequest: ChangeRequest;
  readonly gitUrl: string;
};

export type Analyzers = {
  readonly analyze: (head: HeadToAnalyze, signal: AbortSignal) => Promise<Analysis>;
  readonly analysisS: number;
};

type Connecting = { readonly cage: Cage | null; readonly checkoutFolder: string };
type Settings = { readonly analyzer: AnalyzerSettings; readonly forges: readonly ForgeSettings[] };

export const connectAnalyzers = ({ analyzer: analyzers, forges }: Settings, means: Connecting): Analyzers => ({
  analysisS: longestAnalysisS(analyzers),
  analyze: async ({ changeRequest, gitUrl, ...head }, signal) => {
    const { baseUrl = '' } = forges.find(({ id }) => id === changeRequest.forge) ?? {};
    const project = projectIn(gitUrl, baseUrl);
    return analyze({ ...head, project }, { ...means, analyzers, nowMs: () => performance.now() }, signal);
  },
});
