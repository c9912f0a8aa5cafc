/** Turns a match of ast-grep into a hit, if the rule means it. */
import { z } from 'zod';
import { isCheckedAbove } from './inserted/checked-values.ts';
import { isComparedAbove } from './inserted/compared-values.ts';
import { type Inserted, printedValues } from './inserted/inserted-values.ts';
import type { Use } from './inserted/local-values.ts';
import { foreignValues, insertsForeignValue, linesToForeignValue } from './inserted/harmless.ts';
import { isText, isVisiblyForeign } from './inserted/visibly-foreign.ts';
import type { FollowLimit } from './inserted/follow-limit.ts';
import { RulesEngineFailedError } from './model/errors.ts';
import { isInstallerPath, isPageScript, isTestPath, isToolPath } from './model/language.ts';
import { quote, splitLines } from './model/lines.ts';
import type { GrepLanguage, RuleFacts, RuleHit, SourceFile, StructuralRule } from './model/rule.ts';
import type { ParsedPart } from './parsed-parts.ts';
import { isCallersText } from './patterns/callers-text.ts';
import { isExcusable } from './tls-context.ts';
import { createSlowPatterns, type SlowPatterns } from './patterns/slow-patterns.ts';

const Point = z.object({ line: z.number().int().nonnegative() });
const Offsets = z.object({ start: z.number().int().nonnegative(), end: z.number().int().nonnegative() });
export const RuleMatch = z.object({
  file: z.string(),
  ruleId: z.string(),
  text: z.string(),
  message: z.string().optional(),
  range: z.object({ start: Point, end: Point }),
  replacement: z.string().optional(),
  replacementOffsets: Offsets.optional(),
  metaVariables: z
    .object({ single: z.record(z.string(), z.object({ text: z.string(), range: z.object({ start: Point }) })) })
    .optional(),
});
export type RuleMatch = z.output<typeof RuleMatch>;

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
  readonly work: FollowLimit;
};

/** The first line with the rewrite applied; null if the rewrite spans more lines or does not match the bytes of the file. */
const suggestionOf = (match: RuleMatch, { firstLine, lines, own, bytes }: TakenApart): string | null => {
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
  work: FollowLimit,
): TakenApart => ({
  file,
  firstLine,
  language,
  lines: splitLines(file.text),
  own: splitLines(content),
  bytes: Buffer.from(content),
  isSlow: createSlowPatterns(content, knownPatterns),
  work,
});

type Metavariable = Pick<RuleMatch, 'text'> & { readonly range: Pick<RuleMatch['range'], 'start'> };

const metavariable = ({ metaVariables }: RuleMatch, name: string): Metavariable => {
  const value = metaVariables?.single[name];
  if (value === undefined) throw new RulesEngineFailedError({ reason: 'no metavariable' });
  return value;
};

/**
 * Null if the match lacks what the rule asks for beyond its shape. Otherwise the line that makes the match a finding: where a
 * value is inserted, or the first line for rules about other things.
 */
const lineMeant = (match: RuleMatch, rule: StructuralRule, taken: TakenApart): number | null => {
  const { builds, slowOn, unlessChecked } = rule;
  const { firstLine, lines, language, isSlow, work } = taken;
  const line = firstLine + match.range.start.line;
  const use = { lines, line, language, work };
  if (slowOn !== undefined) {
    const { text } = metavariable(match, slowOn);
    if (!isSlow({ pattern: match.text, text }, use) || !isCallersText(text, use)) return null;
  }
  if (unlessChecked !== undefined && isCheckedAbove(metavariable(match, unlessChecked).text, use)) return null;
  if (builds === undefined) return line;
  const built = builds.from === undefined ? match : metavariable(match, builds.from);
  if (!insertsForeignValue(built.text, builds, use)) return null;
  return firstLine + built.range.start.line + linesToForeignValue(built.text, builds, use);
};

/** The values that `graveIf` is about: those that a string inserts, or in C what is printed into it. */
const judgedValues = (
  match: RuleMatch,
  { builds, graveOn = builds?.from }: StructuralRule,
  use: Use,
): readonly Inserted[] => {
  const { text } = graveOn === undefined ? match : metavariable(match, graveOn);
  if (builds !== undefined) return foreignValues(text, builds, use);
  return use.language === 'C' || use.language === 'Cpp'
    ? printedValues(text, use.language)
    : [{ code: text, before: '' }];
};

/** The facts of the rule, with a milder severity if it asks for evidence that the code does not show. Null if it is silent then. */
const factsFor = (match: RuleMatch, rule: StructuralRule, taken: TakenApart): RuleFacts | null => {
  const { builds, graveIf, mildIf, mildIfCompared, unlessChecked } = rule;
  const { firstLine, lines, language, work } = taken;
  const use = { lines, line: firstLine + match.range.start.line, language, work };
  const compared = mildIfCompared === true ? unlessChecked : undefined;
  if (compared !== undefined && isComparedAbove(metavariable(match, compared).text, use))
    return { ...rule, severity: 'P2', blocking: false };
  if (graveIf === undefined) return rule;
  const values = judgedValues(match, rule, use);
  const isRun = builds?.for === 'shell' || builds?.for === 'code';
  if (isVisiblyForeign(values, graveIf, use, isRun)) return rule;
  return mildIf === 'text' && !isText(values, use) ? null : { ...rule, severity: 'P2', blocking: false };
};

/**
 * In an installer the operator chooses the parameters of functions, so they are no evidence against a statement, and in a task
 * or a tool its user does, so they are none against a command. Those of a script of a web page are chosen by the page, and are
 * none against code. A rule may name other code in which they are none.
 */
const ruleAt = (path: string, rule: StructuralRule, text: string): StructuralRule =>
  rule.graveIf !== undefined &&
  ((rule.builds?.for === 'sql' && isInstallerPath(path)) ||
    (rule.builds?.for === 'shell' && isToolPath(path)) ||
    (rule.builds?.for === 'code' && isPageScript(path)) ||
    rule.outsideOnlyIf?.test(text) === true)
    ? { ...rule, graveIf: 'outside' }
    : rule;

export const hitOf = (
  match: RuleMatch,
  taken: TakenApart,
  rules: ReadonlyMap<string, StructuralRule>,
): RuleHit | null => {
  const { file, firstLine, lines } = taken;
  const rule = rules.get(match.ruleId.slice(0, match.ruleId.indexOf('@')));
  if (rule === undefined) throw new RulesEngineFailedError({ reason: 'unknown rule' });
  if (rule.where === 'production' && isTestPath(file.path)) return null;
  const startLine = firstLine + match.range.start.line;
  const endLine = Math.min(firstLine + match.range.end.line, lines.length);
  const insertedLine = lineMeant(match, rule, taken);
  if (insertedLine === null) return null;
  const facts = factsFor(match, ruleAt(file.path, rule, match.text), taken);
  if (facts === null) return null;
  const hit: RuleHit = {
    rule: facts,
    path: file.path,
    startLine,
    endLine,
    ...(insertedLine > startLine && insertedLine <= endLine ? { insertedLine } : {}),
    evidence: quote(lines, startLine, endLine),
    ...(rule.message === undefined || match.message === undefined ? {} : { message: match.message }),
    suggestion: suggestionOf(match, taken),
  };
  return isExcusable(hit, lines) ? { ...hit, rule: { ...facts, severity: 'P2', blocking: false } } : hit;
};
