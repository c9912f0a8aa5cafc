/** Records who reviewed the lines of a change. A pass requires these records. */
import { z } from 'zod';

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
});
export type FileReceipt = z.output<typeof FileReceipt>;

/** `lines`: the number of added and removed lines. */
export const ReceiptTotal = z.object({ seenBy: SeenBy, language: z.string(), files: Count, lines: Count });
export type ReceiptTotal = z.output<typeof ReceiptTotal>;

/** Files in a language without rules that no model reviewed. */
export const UnknownLanguage = z.object({ language: z.string(), files: Count });
export type UnknownLanguage = z.output<typeof UnknownLanguage>;

const ORDER: readonly SeenBy[] = SeenBy.options;

/** Returns totals per kind and language, the best kind first. */
export const totalsOf = (files: readonly FileReceipt[]): ReceiptTotal[] => {
  const totals = new Map<string, ReceiptTotal>();
  for (const { language, header, lines } of files) {
    const counts = new Map<SeenBy, number>(header === null ? [] : [[header, 0]]);
    for (const { startLine, line, seenBy } of lines)
      counts.set(seenBy, (counts.get(seenBy) ?? 0) + line - startLine + 1);
    for (const [seenBy, count] of counts) {
      const key = JSON.stringify([seenBy, language]);
      const before = totals.get(key) ?? { seenBy, language, files: 0, lines: 0 };
      totals.set(key, { ...before, files: before.files + 1, lines: before.lines + count });
    }
  }
  return [...totals.values()].toSorted(
    (one, other) =>
      ORDER.indexOf(one.seenBy) - ORDER.indexOf(other.seenBy) ||
      other.lines - one.lines ||
      (one.language < other.language ? -1 : 1),
  );
};

const WORDS: Readonly<Record<SeenBy, string>> = {
  model: 'by the model',
  rules: 'by the built-in rules',
  scan: 'only searched for secrets',
  nobody: 'not looked at',
};

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Returns one line per kind, such as `by the built-in rules: 12 lines of JavaScript in 2 files`. */
export const receiptLines = (totals: readonly ReceiptTotal[]): readonly string[] =>
  ORDER.flatMap((seenBy) => {
    const own = totals.filter((total) => total.seenBy === seenBy);
    const parts = own.map(
      ({ language, files, lines }) => `${count(lines, 'line')} of ${language} in ${count(files, 'file')}`,
    );
    return parts.length === 0 ? [] : [`${WORDS[seenBy]}: ${parts.join(', ')}`];
  });

/** Returns the languages with their numbers of files, sorted by language. */
export const countLanguages = (files: readonly { readonly language: string }[]): UnknownLanguage[] =>
  [...new Set(files.map(({ language }) => language))]
    .toSorted()
    .map((language) => ({ language, files: files.filter((file) => file.language === language).length }));

/** Returns a string such as `F# (2 files), Swift (1 file)`. */
export const languagesText = (unknown: readonly UnknownLanguage[]): string =>
  unknown.map(({ language, files }) => `${language} (${count(files, 'file')})`).join(', ');
