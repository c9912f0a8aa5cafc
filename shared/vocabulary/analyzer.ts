/** Analyzers: programs of the operator, such as linters, whose reports become findings. Own rules are reported like them. */
import { z } from 'zod';
import { Severity } from './finding.ts';

/** `sarif`: SARIF 2.1.0. `rdjson`, `rdjsonl`: reviewdog's formats. `checkstyle`: the XML of Checkstyle. */
export const AnalyzerFormat = z.enum(['sarif', 'rdjson', 'rdjsonl', 'checkstyle']);
export type AnalyzerFormat = z.output<typeof AnalyzerFormat>;

/** The three levels of all formats. SARIF calls `info` a note. */
export const AnalyzerLevel = z.enum(['error', 'warning', 'info']);
export type AnalyzerLevel = z.output<typeof AnalyzerLevel>;

/** `off`: results of this level are not reported. */
export const LevelSeverity = z.enum([...Severity.options, 'off']);
export type LevelSeverity = z.output<typeof LevelSeverity>;

/** The name is part of each rule id (`eslint/no-eval`), which threads store. */
export const AnalyzerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected 1 to 32 lower-case letters, digits or "-"');

/** Ids of built-in rules contain no slash. */
export const analyzerRule = (analyzer: string, rule: string): string => `${analyzer}/${rule}`;

/** The analyzer that a rule belongs to; null for a built-in rule. */
export const analyzerOf = (rule: string | null): string | null => {
  const end = rule?.indexOf('/') ?? -1;
  return end <= 0 ? null : (rule?.slice(0, end) ?? null);
};

export const MAX_FAILURE = 500;

/** An analyzer that did not check what it should have checked. Such a review does not pass. */
export const FailedAnalyzer = z.object({
  name: AnalyzerName,
  /** `rules`: the name is that of a source of rules: the project itself, or a `[[rules.from]]`. Absent for an analyzer. */
  kind: z.literal('rules').optional(),
  /** What happened, as the rest of a sentence that begins with the name: "did not end within 60 s". */
  reason: z.string().min(1).max(MAX_FAILURE),
});
export type FailedAnalyzer = z.output<typeof FailedAnalyzer>;

/** The analyzer or the source of rules, as the subject of a sentence. */
export const calledFailed = ({ name, kind }: FailedAnalyzer): string =>
  kind === 'rules' ? `the rules of \`${name}\`` : `analyzer \`${name}\``;
