/** Records who reviewed the lines of a change. A pass requires these records. */
import { z } from 'zod';
import { AnalyzerName } from './analyzer.ts';

/**
 * - `model`: shown completely in the prompt or read by the reviewer, and at the end still complete in its conversation.
 * - `rules`: all rules of the language completed on an error-free parse.
 * - `scan`: searched for secrets, and by text rules unless the file is excluded.
 */
export const SeenBy = z.enum(['model', 'rules', 'scan', 'nobody']);
export type SeenBy = z.output<typeof SeenBy>;

const Count = z.number().int().nonnegative();

/** Added lines are on the new side, removed lines on the old side. */
export const LineReceipt = z.object({
  side: z.enum(['new', 'old']),
  startLine: z.number().int().positive(),
  line: z.number().int().positive(),
  seenBy: SeenBy,
});
export type LineReceipt = z.output<typeof LineReceipt>;

export const FileReceipt = z.object({
  path: z.string(),
  language: z.string(),
  /**
   * Who reviewed changes that have no lines: a rename, a changed mode, a link or a submodule. Null if there are none.
   */
  header: SeenBy.nullable(),
  lines: z.array(LineReceipt),
  /**
   * The operator's analyzers that checked the file and know its language. A line that is `scan` was seen by them. Absent
   * if there are none.
   */
  analyzers: z.array(AnalyzerName).optional(),
});
export type FileReceipt = z.output<typeof FileReceipt>;

/** `lines`: the number of added and removed lines. `analyzers`: only with `scan`, as in `FileReceipt`. */
export const ReceiptTotal = z.object({
  seenBy: SeenBy,
  language: z.string(),
  files: Count,
  lines: Count,
  analyzers: z.array(AnalyzerName).optional(),
});
export type ReceiptTotal = z.output<typeof ReceiptTotal>;

/** Files in a language without rules that neither a model nor an analyzer reviewed. */
export const UnknownLanguage = z.object({ language: z.string(), files: Count });
export type UnknownLanguage = z.output<typeof UnknownLanguage>;

type Total = Pick<ReceiptTotal, 'seenBy' | 'analyzers'>;

/** Analyzers are better than a search for secrets only, and the rules are better than analyzers. */
const rankOf = ({ seenBy, analyzers }: Total): number =>
  SeenBy.options.indexOf(seenBy) - (analyzers === undefined ? 0 : 0.5);

/** Returns totals per kind, analyzers and language, the best kind first. */
export const totalsOf = (files: readonly FileReceipt[]): ReceiptTotal[] => {
  const totals = new Map<string, ReceiptTotal>();
  for (const { language, header, lines, analyzers } of files) {
    const counts = new Map<SeenBy, number>(header === null ? [] : [[header, 0]]);
    for (const { startLine, line, seenBy } of lines)
      counts.set(seenBy, (counts.get(seenBy) ?? 0) + line - startLine + 1);
    for (const [seenBy, count] of counts) {
      const read = seenBy === 'scan' && analyzers !== undefined ? { analyzers } : {};
      const key = JSON.stringify([seenBy, language, read]);
      const before = totals.get(key) ?? { seenBy, language, files: 0, lines: 0, ...read };
      totals.set(key, { ...before, files: before.files + 1, lines: before.lines + count });
    }
  }
  return [...totals.values()].toSorted(
    (one, other) => rankOf(one) - rankOf(other) || other.lines - one.lines || (one.language < other.language ? -1 : 1),
  );
};

const WORDS: Readonly<Record<SeenBy, string>> = {
  model: 'by the model',
  rules: 'by the built-in rules',
  scan: 'only searched for secrets',
  nobody: 'not looked at',
};

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

const wordsOf = ({ seenBy, analyzers = [] }: Total): string => {
  if (analyzers.length === 0) return WORDS[seenBy];
  return `by the ${analyzers.length === 1 ? 'analyzer' : 'analyzers'} ${analyzers.join(' and ')}`;
};

/** Returns one line per kind, such as `by the built-in rules: 12 lines of JavaScript in 2 files`. */
export const receiptLines = (totals: readonly ReceiptTotal[]): readonly string[] => {
  const parts = new Map<string, readonly string[]>();
  for (const total of totals.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const { language, files, lines } = total;
    const part = `${count(lines, 'line')} of ${language} in ${count(files, 'file')}`;
    parts.set(wordsOf(total), [...(parts.get(wordsOf(total)) ?? []), part]);
  }
  return [...parts].map(([who, what]) => `${who}: ${what.join(', ')}`);
};

/** Returns the languages with their numbers of files, sorted by language. */
export const countLanguages = (files: readonly { readonly language: string }[]): UnknownLanguage[] =>
  [...new Set(files.map(({ language }) => language))]
    .toSorted()
    .map((language) => ({ language, files: files.filter((file) => file.language === language).length }));

/** Returns a string such as `F# (2 files), Swift (1 file)`. */
export const languagesText = (unknown: readonly UnknownLanguage[]): string =>
  unknown.map(({ language, files }) => `${language} (${count(files, 'file')})`).join(', ');
