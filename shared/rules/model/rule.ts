import type { DraftFinding, Severity } from '../../vocabulary/finding.ts';
import type { OmittedFile } from '../../vocabulary/coverage.ts';

export const GREP_LANGUAGES = [
  'JavaScript',
  'TypeScript',
  'Tsx',
  'Python',
  'Go',
  'Java',
  'Ruby',
  'Php',
  'Bash',
  'CSharp',
  'Rust',
  'C',
  'Cpp',
  'Kotlin',
  'Yaml',
] as const;
export type GrepLanguage = (typeof GREP_LANGUAGES)[number];

/** Kinds of files that only line rules read, and those whose scripts are read by the rules of another language. */
export type LineLanguage = 'Dockerfile' | 'Terraform' | 'SQL' | 'Vue' | 'Svelte';

/** ast-grep's `rule`, `constraints` and `utils` in JSON form: https://ast-grep.github.io/reference/yaml.html. */
export type GrepNode = {
  readonly [key: string]: string | number | boolean | GrepNode | readonly (string | GrepNode)[];
};

export type RuleExample = {
  readonly code: string;
  /** The only lines, counted from 1, on which the rule must fire; empty if it must not fire. */
  readonly lines: readonly number[];
  /** Those of `lines` whose finding is a P2 that does not block although the rule is graver. */
  readonly mild?: readonly number[];
  /** The path of the sample; only needed if the rule checks the path. */
  readonly path?: string;
  /** Expected suggestion of the first hit; if absent, suggestions are not compared. */
  readonly suggestion?: string;
};

export type RuleFacts = {
  /** The id never changes, because threads store it. */
  readonly id: string;
  readonly severity: Severity;
  /** Whether a P2 of this rule blocks. It is ignored for other severities. */
  readonly blocking: boolean;
  readonly title: string;
  /** Why the problem matters and what to do instead; shown in the inline comment. */
  readonly explanation: string;
  /** `explained`: there is no finding if a comment beside the match, or in the line above it, explains the code. */
  readonly silentIf?: 'explained';
};

/** What the resulting string is used as. */
export type BuiltFor = 'shell' | 'sql' | 'html' | 'code';

export type Builds = {
  readonly for: BuiltFor;
  /** The metavariable with the string, or with the name that holds it. If absent, the whole match is the string. */
  readonly from?: string;
  /** `counts`: the rule also applies to a name whose value is unknown. */
  readonly unknown?: 'counts';
  /** `request`: the rule applies only to values that visibly come from a request. */
  readonly only?: 'request';
};

/**
 * What the code must show: data from outside, or at least a value that only a caller can have chosen, or a parameter that a
 * statement inserts between quotes.
 */
export type Evidence = 'outside' | 'outside or parameter' | 'outside or text';

export type StructuralRule = RuleFacts & {
  readonly languages: readonly GrepLanguage[];
  readonly rule: GrepNode;
  readonly constraints?: GrepNode;
  readonly utils?: GrepNode;
  /** Set if the rule applies only to matches that contain a value that somebody else may choose (`inserted/`). */
  readonly builds?: Builds;
  /** Set if the finding is a P2 that does not block, unless the code shows that somebody else chooses the value. */
  readonly graveIf?: Evidence;
  /** Matches the text of a match in which a parameter is no evidence, as `graveIf: 'outside'`. */
  readonly outsideOnlyIf?: RegExp;
  /** The metavariable with the value that `graveIf` is about. If absent, that of `builds`, or the whole match. */
  readonly graveOn?: string;
  /** Set if there is a finding without this evidence only where a value is inserted between quotes, and is no number or id. */
  readonly mildIf?: 'text';
  /** The metavariable with a value. Set if there is no finding where a check above makes sure of it (`inserted/checked-values.ts`). */
  readonly unlessChecked?: string;
  /** Set if the finding is a P2 where a `case` above compares the value of `unlessChecked`, or what it is made from, with known ones. */
  readonly mildIfCompared?: true;
  /**
   * The metavariable with the text that the match, a regular expression or its name, is applied to. Set if the rule applies
   * only to a pattern that takes quadratic time on a text from outside (`patterns/`).
   */
  readonly slowOn?: string;
  /** Set if the rule follows values through whole functions. It is not applied to a file on which the rules take too long. */
  readonly follows?: true;
  /** Text of the finding with metavariables of the match. If absent, the title says what is wrong. */
  readonly message?: string;
  /** Metavariables of `message` that are made from others. */
  readonly transform?: GrepNode;
  /** Rewrite of the matched node in ast-grep's syntax; only set if the rewrite is exact. */
  readonly fix?: string;
  /** `production`: the rule is not applied to tests, fixtures and examples. If absent, it is applied everywhere. */
  readonly where?: 'production';
  readonly examples: readonly RuleExample[];
};

export type TextRule = RuleFacts & {
  /** Returns the first and last line, counted from 1, of every place where the rule fires. `mild`: a P2 that does not block. */
  readonly scan: (lines: readonly string[], path: string) => readonly (readonly [number, number, 'mild'?])[];
  /** The kind of file that the rule reads; absent for any text. */
  readonly language?: LineLanguage | 'CI definition';
  readonly where?: 'production';
  readonly examples: readonly RuleExample[];
};

export type SourceFile = { readonly path: string; readonly text: string };

/** A changed file in its new version. Line numbers refer to `text` and count from 1. */
export type ChangedFile = SourceFile & {
  readonly changedLines: ReadonlySet<number>;
  /** Lines of `text` after which the change removed lines without adding any. */
  readonly removedAfter?: ReadonlySet<number>;
};

/** One place that a rule matches, whether the place was changed or not. Lines count from 1. */
export type RuleHit = {
  readonly rule: RuleFacts;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** The line between them that inserts a value of somebody else; absent if no single line does. */
  readonly insertedLine?: number;
  /** At most three lines, beginning at `startLine`, redacted. */
  readonly evidence: string;
  /** The rule's `message` with the metavariables of this match. Absent if the rule has none. */
  readonly message?: string;
  /** The replacement of line `startLine`; null if there is none. */
  readonly suggestion: string | null;
  /** The numbers of the weaknesses (CWE) that an analyzer names for it. Absent if it names none. */
  readonly cwes?: readonly number[];
  /** Set if the rule is one of the project's own, or of a `[[rules.from]]`. */
  readonly own?: true;
  /** Set if a comment in the source silences it, which only an analyzer reports. */
  readonly suppressed?: true;
};

export type RuleFinding = DraftFinding & {
  readonly rule: string;
  readonly side: 'new';
  readonly relation: 'current_diff';
};

export type RulesReport = {
  readonly findings: readonly RuleFinding[];
  /** Files that some rule could not read. If such a file has no finding, that proves nothing. */
  readonly omitted: readonly OmittedFile[];
};
