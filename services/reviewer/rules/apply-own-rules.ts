/** Applies the project's own rules, read from the target branch, and those of the operator's sources. */
import { readProjectRules, type Reader } from '../../../shared/rule-sources/read-rules.ts';
import { type Analysis, mergeAnalyses } from '../../../shared/rules/model/analysis.ts';
import { applyRules, type FileToCheck } from '../../../shared/rules/own/apply-rules.ts';
import type { RuleSet } from '../../../shared/rules/own/own-rule.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { FilesToAnalyze } from './analyze-packet.ts';

export type OwnRules = {
  readonly revisions: Reader;
  /** The commit of the target branch. */
  readonly target: CommitSha;
  /** The sources of the operator for the project. */
  readonly sets: readonly RuleSet[];
};

const hasContent = ({ rules, problems }: RuleSet): boolean => rules.length > 0 || problems.length > 0;

/** No source can change what another one finds. @throws GitError; RulesEngineMissingError; the signal's reason if aborted. */
export const applyOwnRules = async (
  { revisions, target, sets }: OwnRules,
  asked: FilesToAnalyze,
  signal: AbortSignal,
): Promise<Analysis> => {
  const all = [...sets, await readProjectRules(revisions, target, signal)].filter(hasContent);
  if (all.length === 0) return mergeAnalyses([]);
  const files: FileToCheck[] = [];
  for (const { path, rule } of asked.files.filter(({ hasNoLines }) => hasNoLines !== true)) {
    const text = await asked.textOf(path);
    if (text !== null) files.push({ path, rule, text });
  }
  const analyses: Analysis[] = [];
  for (const set of all) analyses.push(await applyRules(set, files, { signal }));
  return mergeAnalyses(analyses);
};
