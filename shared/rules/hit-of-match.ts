/** Turns a match of ast-grep into a hit, if the rule means it. */
import { z } from 'zod';
import { insertsForeignValue } from './inserted/harmless.ts';
import { RulesEngineFailedError } from './model/errors.ts';
import { isTestPath } from './model/language.ts';
import { quote, splitLines } from './model/lines.ts';
import type { GrepLanguage, RuleHit, SourceFile, StructuralRule } from './model/rule.ts';
import type { ParsedPart } from './parsed-parts.ts';
import { createSlowPatterns, type SlowPatterns } from './patterns/slow-patterns.ts';

const Point = z.object({ line: z.number().int().nonnegative() });
const Offsets = z.object({ start: z.number().int().nonnegative(), end: z.number().int().nonnegative() });
export const Match = z.object({
  file: z.string(),
  ruleId: z.string(),
  text: z.string(),
  range: z.object({ start: Point, end: Point }),
  replacement: z.string().optional(),
  replacementOffsets: Offsets.optional(),
  metaVariables: z.object({ single: z.record(z.string(), z.object({ text: z.string() })) }).optional(),
});
export type Match = z.output<typeof Match>;

export type Prepared = Pick<ParsedPart, 'firstLine'> & {
  readonly file: SourceFile;
  readonly name: string;
  readonly content: string;
  readonly language: GrepLanguage;
};

export type TakenApart = Pick<Prepared, 'file' | 'firstLine' | 'language'> & {
  readonly lines: readonly string[];
  /** The lines of the parsed part alone. */
  readonly own: readonly string[];
  readonly bytes: Buffer;
  readonly isSlow: SlowPatterns;
};

/** The first line with the rewrite applied; null if the rewrite spans more lines or does not match the bytes of the file. */
const suggestionOf = (match: Match, { firstLine, lines, own, bytes }: TakenApart): string | null => {
  const { line: row } = match.range.start;
  // Where a script block begins or ends within the line, the line is more than the parser saw.
  if (own[row] !== lines[firstLine + row - 1]) return null;
  if (match.replacement === undefined || match.replacementOffsets === undefined) return null;
  if (match.range.start.line !== match.range.end.line || match.replacement.includes('\n')) return null;
  const { start, end } = match.replacementOffsets;
  if (bytes.subarray(start, end).toString() !== match.text) return null;
  const before = bytes.subarray(bytes.lastIndexOf('\n', start - 1) + 1, start).toString();
  const next = bytes.indexOf('\n', end);
  const after = bytes.subarray(end, next === -1 ? bytes.length : next).toString();
  const line = `${start === 0 ? '' : before}${match.replacement}${after}`;
  return line.endsWith('\r') ? line.slice(0, -1) : line;
};

export const takeApart = (
  { file, firstLine, language, content }: Prepared,
  knownPatterns: Map<string, boolean>,
): TakenApart => ({
  file,
  firstLine,
  language,
  lines: splitLines(file.text),
  own: splitLines(content),
  bytes: Buffer.from(content),
  isSlow: createSlowPatterns(content, knownPatterns),
});

const metavariable = ({ metaVariables }: Match, name: string): string => {
  const value = metaVariables?.single[name]?.text;
  if (value === undefined) throw new RulesEngineFailedError({ reason: 'no metavariable' });
  return value;
};

/** What the rule asks of a match beyond its shape. */
const isMeant = (match: Match, { builds, slowOn }: StructuralRule, taken: TakenApart): boolean => {
  const { firstLine, lines, language, isSlow } = taken;
  const use = { lines, line: firstLine + match.range.start.line, language };
  if (slowOn !== undefined && !isSlow({ pattern: match.text, text: metavariable(match, slowOn) }, use)) return false;
  if (builds === undefined) return true;
  const { from } = builds;
  return insertsForeignValue(from === undefined ? match.text : metavariable(match, from), builds, use);
};

export const hitOf = (match: Match, taken: TakenApart, rules: ReadonlyMap<string, StructuralRule>): RuleHit | null => {
  const { file, firstLine, lines } = taken;
  const rule = rules.get(match.ruleId.slice(0, match.ruleId.indexOf('@')));
  if (rule === undefined) throw new RulesEngineFailedError({ reason: 'unknown rule' });
  if (rule.where === 'production' && isTestPath(file.path)) return null;
  const startLine = firstLine + match.range.start.line;
  const endLine = Math.min(firstLine + match.range.end.line, lines.length);
  if (!isMeant(match, rule, taken)) return null;
  return {
    rule,
    path: file.path,
    startLine,
    endLine,
    evidence: quote(lines, startLine, endLine),
    suggestion: suggestionOf(match, taken),
  };
};
