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
] as const;
export type GrepLanguage = (typeof GREP_LANGUAGES)[number];

/** JSON form of ast-grep's `rule`, `constraints` and `utils`: https://ast-grep.github.io/reference/yaml.html. */
export type GrepNode = {
  readonly [key: string]: string | number | boolean | GrepNode | readonly (string | GrepNode)[];
};

export type RuleExample = {
  readonly code: string;
  /** The only lines, from 1, on which the rule must fire; empty when it must stay silent. */
  readonly lines: readonly number[];
  /** Needed only if the rule checks the path. */
  readonly path?: string;
  /** Expected suggestion of the first hit; absent: not compared. */
  readonly suggestion?: string;
};

export type RuleFacts = {
  /** Never changes, because threads store it. */
  readonly id: string;
  readonly severity: Severity;
  /** Whether a P2 of this rule blocks; ignored for other severities. */
  readonly blocking: boolean;
  readonly title: string;
  /** Why it matters and what to do instead; shown in the inline comment. */
  readonly explanation: string;
};

export type StructuralRule = RuleFacts & {
  readonly languages: readonly GrepLanguage[];
  readonly rule: GrepNode;
  readonly constraints?: GrepNode;
  readonly utils?: GrepNode;
  /** Rewrite of the matched node in ast-grep's syntax; set only when it is exact. */
  readonly fix?: string;
  /** `production`: not applied to tests, fixtures and examples. Absent: applied everywhere. */
  readonly where?: 'production';
  readonly examples: readonly RuleExample[];
};

export type SourceFile = { readonly path: string; readonly text: string };

/** The new side of a changed file. Line numbers count from 1 in `text`. */
export type ChangedFile = SourceFile & {
  readonly changedLines: ReadonlySet<number>;
  /** Lines of `text` after which the change removed lines without adding others. */
  readonly removedAfter?: ReadonlySet<number>;
};

/** One place where a rule fires, changed or not. Lines count from 1. */
export type RuleHit = {
  readonly rule: RuleFacts;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** At most three lines from `startLine` on, redacted. */
  readonly evidence: string;
  /** Replacement of line `startLine`; null when there is none. */
  readonly suggestion: string | null;
};

export type RuleFinding = DraftFinding & {
  readonly rule: string;
  readonly side: 'new';
  readonly relation: 'current_diff';
};

export type RulesReport = {
  readonly findings: readonly RuleFinding[];
  /** Files that some rule could not read; a missing finding there proves nothing. */
  readonly omitted: readonly OmittedFile[];
};
