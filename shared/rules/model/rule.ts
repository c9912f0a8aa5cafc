import type { DraftFinding, Severity } from '../../vocabulary/finding.ts';
import type { OmittedFile } from '../../vocabulary/coverage.ts';

/** Languages by the names that ast-grep gives them. */
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

/** JSON as ast-grep reads it: `rule`, `constraints`, `utils` of https://ast-grep.github.io/reference/yaml.html. */
export type GrepNode = {
  readonly [key: string]: string | number | boolean | GrepNode | readonly (string | GrepNode)[];
};

export type RuleExample = {
  readonly code: string;
  /** Lines on which the rule must fire, counted from 1, and no others. Empty: the rule must stay silent. */
  readonly lines: readonly number[];
  /** Only where the rule looks at the path. */
  readonly path?: string;
  /** What the first finding must suggest. Left out: not compared. */
  readonly suggestion?: string;
};

/** What every built-in rule says about itself, however it finds its places. */
export type RuleFacts = {
  /** Stable: threads name it for ever. */
  readonly id: string;
  readonly severity: Severity;
  /** Whether a P2 of this rule blocks. Other severities ignore it. */
  readonly blocking: boolean;
  readonly title: string;
  /** Why it matters and what to do instead; shown to the author in the inline comment. */
  readonly explanation: string;
};

export type StructuralRule = RuleFacts & {
  readonly languages: readonly GrepLanguage[];
  readonly rule: GrepNode;
  readonly constraints?: GrepNode;
  readonly utils?: GrepNode;
  /** Rewrite of the matched node, in ast-grep's syntax. Only where it is exact. */
  readonly fix?: string;
  /** `production`: silent in tests, fixtures and examples. Left out: everywhere. */
  readonly where?: 'production';
  readonly examples: readonly RuleExample[];
};

export type SourceFile = { readonly path: string; readonly text: string };

/** The new side of one file of the change. Line numbers count from 1 in `text`. */
export type ChangedFile = SourceFile & {
  readonly changedLines: ReadonlySet<number>;
  /** Lines of `text` right behind which the change removed lines without putting others there. */
  readonly removedAfter?: ReadonlySet<number>;
};

/** One place where a rule fires, before anybody asks whether the change touched it. Lines count from 1. */
export type RuleHit = {
  readonly rule: RuleFacts;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** At most three lines from `startLine` on, secrets replaced. */
  readonly evidence: string;
  /** Replacement of the one line `startLine`, or null. */
  readonly suggestion: string | null;
};

export type RuleFinding = DraftFinding & {
  readonly rule: string;
  readonly side: 'new';
  readonly relation: 'current_diff';
};

export type RulesReport = {
  readonly findings: readonly RuleFinding[];
  /** Files that some rule could not read, so that nobody takes silence for a clean bill. */
  readonly omitted: readonly OmittedFile[];
};
