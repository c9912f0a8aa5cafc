/** The operator's analyzers in a local review: those of the configuration that the caller names. */
import { analyze } from '../../../shared/analyzers/analyze.ts';
import type { Analyzer } from '../../../shared/config/analyzer-settings.ts';
import type { Analysis } from '../../../shared/rules/model/analysis.ts';
import type { AnalyzeFiles } from '../../reviewer/rules/analyze-packet.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';

/** A local repository is no project of a forge, so analyzers with `projects` are left out, with a notice. */
export const localAnalyzers = (
  config: Pick<Config, 'analyzer'> | null,
  onNotice: (line: string) => void,
): readonly Analyzer[] => {
  const all = config?.analyzer ?? [];
  const left = all.filter(({ projects }) => projects.length > 0).map(({ name }) => name);
  if (left.length > 0)
    onNotice(`${left.join(', ')}: not run, because these analyzers have \`projects\`, and a local review has none`);
  return all.filter(({ projects }) => projects.length === 0);
};

type LocalHead = {
  readonly revisions: Revisions;
  readonly head: CommitSha;
  readonly checkoutFolder: string;
  readonly cage: Cage | null;
};

/** Runs the analyzers once, even if the rules review again after the model has failed. */
export const analyzeLocally = (
  { revisions, head, checkoutFolder, cage }: LocalHead,
  analyzers: readonly Analyzer[],
): AnalyzeFiles | undefined => {
  if (analyzers.length === 0) return undefined;
  let made: Promise<Analysis> | null = null;
  const analyzing = { cage, analyzers, checkoutFolder, nowMs: () => performance.now() };
  return (files, signal) => (made ??= analyze({ revisions, head, project: null, files }, analyzing, signal));
};
