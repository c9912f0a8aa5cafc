/** The operator's analyzers and the project's own rules in a local review. */
import { analyze } from '../../../shared/analyzers/analyze.ts';
import { type Analyzer, isFromCi } from '../../../shared/config/analyzer-settings.ts';
import { type Analysis, mergeAnalyses } from '../../../shared/rules/model/analysis.ts';
import type { AnalyzeFiles, FilesToAnalyze } from '../../reviewer/rules/analyze-packet.ts';
import { applyOwnRules } from '../../reviewer/rules/apply-own-rules.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';

/** A local repository is no project of a forge and has no CI, so analyzers that need one are left out, with a notice. */
export const localAnalyzers = (
  config: Pick<Config, 'analyzer' | 'rules'> | null,
  onNotice: (line: string) => void,
): readonly Analyzer[] => {
  const all = config?.analyzer ?? [];
  const sources = (config?.rules.from ?? []).map(({ name }) => name);
  if (sources.length > 0)
    onNotice(`${sources.join(', ')}: not used, because a local review reads no [[rules.from]] from a forge`);
  const fromCi = all.filter(isFromCi);
  if (fromCi.length > 0)
    onNotice(`${namesOf(fromCi)}: not used, because a local review has no CI jobs whose reports could be read`);
  const left = all.filter((analyzer) => !isFromCi(analyzer) && analyzer.projects.length > 0);
  if (left.length > 0)
    onNotice(`${namesOf(left)}: not run, because these analyzers have \`projects\`, and a local review has none`);
  return all.filter((analyzer) => !isFromCi(analyzer) && analyzer.projects.length === 0);
};

const namesOf = (analyzers: readonly Analyzer[]): string => analyzers.map(({ name }) => name).join(', ');

type LocalHead = {
  readonly revisions: Revisions;
  readonly head: CommitSha;
  /** The commit that the change is merged into. Its own rules apply. */
  readonly target: CommitSha;
  readonly checkoutFolder: string;
  readonly cage: Cage | null;
};

/** Runs the analyzers once, even if the rules review again after the model has failed. */
export const analyzeLocally = (
  { revisions, head, target, checkoutFolder, cage }: LocalHead,
  analyzers: readonly Analyzer[],
): AnalyzeFiles => {
  let made: Promise<Analysis> | null = null;
  const ciReport = async (): Promise<null> => null;
  const analyzing = { cage, analyzers, checkoutFolder, nowMs: () => performance.now() };
  const both = async (asked: FilesToAnalyze, signal: AbortSignal): Promise<Analysis> =>
    mergeAnalyses([
      await analyze({ revisions, head, project: null, files: asked.files, ciReport }, analyzing, signal),
      await applyOwnRules({ revisions, target, sets: [] }, asked, signal),
    ]);
  return (asked, signal) => (made ??= both(asked, signal));
};
