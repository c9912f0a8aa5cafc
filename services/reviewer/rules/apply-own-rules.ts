/** Applies the project's own rules, read from the target branch, and those of the operator's sources. */
import { OWN_RULES_S } from '../../../shared/config/rule-settings.ts';
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
  /** Time limit of all sets together. Default: `OWN_RULES_S`. */
  readonly totalMs?: number;
};

const hasContent = ({ rules, problems }: RuleSet): boolean => rules.length > 0 || problems.length > 0;

/** No source can change what another one finds. @throws GitError; RulesEngineMissingError; the signal's reason if aborted. */
export const applyOwnRules = async (
  { revisions, target, sets, totalMs = OWN_RULES_S * 1000 }: OwnRules,
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
  const endsAtMs = performance.now() + totalMs;
  const analyses: Analysis[] = [];
  for (const [index, set] of all.entries()) {
    // What one set leaves of its share is for the others. A slow set takes nothing from them.
    const share = (endsAtMs - performance.now()) / (all.length - index);
    analyses.push(await applyRules(set, files, { signal, totalMs: share }));
  }
  return mergeAnalyses(analyses);
};
