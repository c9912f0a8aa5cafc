/**
 * What the operator's analyzers, the project's own rules and those of `[[rules.from]]` found at a head. It is stored for the
 * run, so that each execution of the run sees the same.
 */
import { z } from 'zod';
import { analyzerOf, AnalyzerName, FailedAnalyzer } from '../../vocabulary/analyzer.ts';
import { Severity } from '../../vocabulary/finding.ts';
import type { RuleHit } from './rule.ts';

export const AnalysisHit = z.object({
  /** `analyzer/rule`, or `source/rule` for an own rule. */
  rule: z.string().min(3).max(200),
  severity: Severity,
  path: z.string().min(1).max(4096),
  startLine: z.int().positive(),
  endLine: z.int().positive(),
  title: z.string().min(1).max(200),
  body: z.string().min(1).max(4000),
  /** True if a comment in the source silences it: then it is no new finding, but a thread about it is not fixed. */
  suppressed: z.boolean(),
  /** The numbers of the weaknesses (CWE). Absent if the analyzer names none. */
  cwes: z.array(z.int().positive()).max(10).optional(),
});
export type AnalysisHit = z.output<typeof AnalysisHit>;

export const Analysis = z.object({
  v: z.literal(1),
  /**
   * Analyzers that ended as they should, each with the files of interest that it checked. `rules`: the own rules that checked
   * the files; absent for an analyzer, whose rules are not known. `knows`: the changed files in a language that the analyzer
   * knows; absent if its `paths` name none.
   */
  ran: z.array(
    z.object({
      name: AnalyzerName,
      paths: z.array(z.string()),
      rules: z.array(z.string().max(200)).optional(),
      knows: z.array(z.string()).optional(),
    }),
  ),
  /** Only hits in files of interest. */
  hits: z.array(AnalysisHit),
  failed: z.array(FailedAnalyzer),
});
export type Analysis = z.output<typeof Analysis>;

export const NO_ANALYSIS: Analysis = { v: 1, ran: [], hits: [], failed: [] };

export const mergeAnalyses = (all: readonly Analysis[]): Analysis => ({
  v: 1,
  ran: all.flatMap(({ ran }) => ran),
  hits: all.flatMap(({ hits }) => hits),
  failed: all.flatMap(({ failed }) => failed),
});

/** Whether an analyzer or an own rule checked this rule in this file, so that a missing hit proves something. */
export const createCovers = ({ ran }: Analysis): ((rule: string | null, path: string) => boolean) => {
  const checked = ran.map(({ name, paths, rules }) => ({
    name,
    paths: new Set(paths),
    rules: rules && new Set(rules),
  }));
  return (rule, path) =>
    rule !== null &&
    checked.some(
      ({ name, paths, rules }) => name === analyzerOf(rule) && paths.has(path) && (rules?.has(rule) ?? true),
    );
};

/** Who of the operator's analyzers knows the language of a changed file and ended as it should, by path, in their order. */
export const readersIn = ({ ran }: Analysis): ReadonlyMap<string, readonly string[]> => {
  const readers = new Map<string, readonly string[]>();
  for (const { name, knows = [] } of ran)
    for (const path of new Set(knows)) readers.set(path, [...(readers.get(path) ?? []), name]);
  return readers;
};

/** Sources of own rules. A source that reports something has checked the file, or is named as failed. */
const ownSources = ({ ran, failed }: Analysis): ReadonlySet<string> =>
  new Set([
    ...ran.filter(({ rules }) => rules !== undefined).map(({ name }) => name),
    ...failed.filter(({ kind }) => kind === 'rules').map(({ name }) => name),
  ]);

/** The quotation is added later, from the text without secrets. Lines behind the end of the file become its last line. */
export const hitsIn = (analysis: Analysis, lines: ReadonlyMap<string, readonly string[]>): readonly RuleHit[] => {
  const own = ownSources(analysis);
  return analysis.hits.flatMap(({ rule, severity, path, startLine, endLine, title, body, suppressed, cwes }) => {
    const last = lines.get(path)?.length;
    if (last === undefined || last === 0) return [];
    return {
      rule: { id: rule, severity, blocking: false, title, explanation: body },
      path,
      startLine: Math.min(startLine, last),
      endLine: Math.min(endLine, last),
      evidence: '',
      suggestion: null,
      ...(cwes === undefined ? {} : { cwes }),
      ...(own.has(analyzerOf(rule) ?? '') ? { own: true as const } : {}),
      ...(suppressed ? { suppressed: true as const } : {}),
    };
  });
};
