/** Reads the own rules of one commit: all YAML files of a folder. */
import { loadRules } from '../rules/own/load-rules.ts';
import {
  isRuleFileName,
  OWN_RULE_LIMITS,
  PROJECT_RULES_FOLDER,
  PROJECT_SOURCE,
  type RuleProblem,
  type RuleSet,
  type RuleText,
} from '../rules/own/own-rule.ts';
import type { CommitSha } from '../vocabulary/ids.ts';
import type { FileContent, Revisions } from '../workspace/git/revisions.ts';
import { printablePath } from '../workspace/tree/paths.ts';

export type RuleFolder = {
  /** The prefix of the rules' ids. */
  readonly name: string;
  readonly commit: CommitSha;
  readonly folder: string;
};

/** A folder of rules also has other files: guidelines for a model, and tests. */
export const MAX_LISTED_RULES = 2_000;

export type Reader = Pick<Revisions, 'listFiles' | 'readFile'>;

/** @throws GitError; RulesEngineMissingError; the signal's reason if aborted. */
export const readRules = async (
  revisions: Reader,
  { name, commit, folder }: RuleFolder,
  signal: AbortSignal,
): Promise<RuleSet> => {
  const { files, complete } = await revisions.listFiles(commit, { maxFiles: MAX_LISTED_RULES, under: folder }, signal);
  const paths = files.flatMap(({ path }) => (path !== null && isRuleFileName(path) ? [path] : [])).toSorted();
  const problems: RuleProblem[] = [];
  if (!complete)
    problems.push(problemOf(null, `are not all used: there are more than ${MAX_LISTED_RULES} files in their folder`));
  if (paths.length > OWN_RULE_LIMITS.files)
    problems.push(problemOf(null, `are not all used: there are more than ${OWN_RULE_LIMITS.files} files`));
  const texts: RuleText[] = [];
  for (const path of paths.slice(0, OWN_RULE_LIMITS.files)) {
    const content = await revisions.readFile({ commit, path, maxBytes: OWN_RULE_LIMITS.fileBytes }, signal);
    if (content.kind === 'text') texts.push({ path: printablePath(path), text: content.text });
    else problems.push(problemOf(printablePath(path), WHY_NOT[content.kind]));
  }
  if (texts.length === 0) return { name, rules: [], problems };
  const set = await loadRules(name, texts, signal);
  return { ...set, problems: [...problems, ...set.problems] };
};

const WHY_NOT: Readonly<Record<Exclude<FileContent['kind'], 'text'>, string>> = {
  binary: 'it is not a text file',
  too_large: `it is larger than ${OWN_RULE_LIMITS.fileBytes / 1024} KiB`,
  symlink: 'it is a link',
  submodule: 'it is a submodule',
  missing: 'it does not exist',
};

const problemOf = (file: string | null, why: string): RuleProblem => ({ file, rule: null, language: null, why });

/** The rules of the project itself. `target`: the target branch, so that a change cannot edit the rules of its own review. */
export const readProjectRules = async (revisions: Reader, target: CommitSha, signal: AbortSignal): Promise<RuleSet> =>
  readRules(revisions, { name: PROJECT_SOURCE, commit: target, folder: PROJECT_RULES_FOLDER }, signal);
