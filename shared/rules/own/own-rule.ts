/** Rules that a project or the operator's organisation wrote, in ast-grep's own format, each with its examples. */
import type { Glob } from '../../diff/paths/glob-match.ts';
import type { GrepLanguage, StructuralRule } from '../model/rule.ts';

/** The source whose rules are in `.fixpoint/rules/` of the project itself. */
export const PROJECT_SOURCE = 'project';

/** The folder in which a project keeps its own rules. */
export const PROJECT_RULES_FOLDER = '.fixpoint/rules';

export const isRuleFileName = (path: string): boolean => /\.ya?ml$/i.test(path);

/** Whether the file defines rules. Other files in the folder are code like any other. */
export const isProjectRulePath = (path: string): boolean =>
  path.startsWith(`${PROJECT_RULES_FOLDER}/`) && isRuleFileName(path);

/** Limits of one source. They keep the rules of strangers from taking the time of others. */
export const OWN_RULE_LIMITS = {
  files: 100,
  fileBytes: 64 * 1024,
  rules: 100,
  examples: 20,
  exampleChars: 5_000,
} as const;

export type OwnRule = StructuralRule & {
  /** `source/id`. Threads store it. */
  readonly id: string;
  readonly languages: readonly [GrepLanguage];
  /** The file that defines the rule. */
  readonly file: string;
  /** If empty, the rule reads every file of its language. */
  readonly only: readonly Glob[];
  readonly never: readonly Glob[];
  /** Code in which the rule must not match, and code in which it must. */
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
};

/** Something that keeps a source from being applied as it was written. A review that it concerns does not pass. */
export type RuleProblem = {
  /** The file as people know it; null if the problem is about the source as a whole. */
  readonly file: string | null;
  /** The rule's full id; null if it is not known, or if several rules are concerned. */
  readonly rule: string | null;
  /** The only language whose files are concerned; null if it is not known. */
  readonly language: GrepLanguage | null;
  /** Set if every change is concerned, whatever its files are. */
  readonly always?: true;
  /** Set if the next attempt may succeed, as after a timeout. A set with such a problem is not kept. */
  readonly passing?: true;
  /** The rest of a sentence that begins with the file or the source. */
  readonly why: string;
};

/** What one source contributes. */
export type RuleSet = {
  /** The prefix of the ids. */
  readonly name: string;
  readonly rules: readonly OwnRule[];
  readonly problems: readonly RuleProblem[];
};

/** Whether the set is the same whenever it is made from the same files. */
export const isLasting = ({ problems }: RuleSet): boolean => problems.every(({ passing }) => passing !== true);

export type RuleText = { readonly path: string; readonly text: string };
