import { isProse, isTestPath } from '../model/language.ts';
import { lineAt, lineStarts, quote, splitLines } from '../model/lines.ts';
import type { RuleHit, SourceFile } from '../model/rule.ts';
import { findSecretRanges, redactRanges, type SecretRange } from './secret-ranges.ts';

export type ScannedFile = {
  /** Neither the hits nor their evidence hold the secret itself. */
  readonly hits: readonly RuleHit[];
  /** The lines as they may be quoted. */
  readonly lines: readonly string[];
};

const hitsOf = ({ path, text }: SourceFile, ranges: readonly SecretRange[], lines: readonly string[]) => {
  const starts = lineStarts(text);
  const sample = isTestPath(path) || isProse(path);
  return ranges
    .filter((range) => !(sample && range.harmlessInTests))
    .map(({ start, end, rule }): RuleHit => {
      const startLine = lineAt(starts, start);
      const endLine = lineAt(starts, end - 1);
      return { rule, path, startLine, endLine, evidence: quote(lines, startLine, endLine), suggestion: null };
    });
};

/**
 * The secrets of one file by place, and its lines without them. Secretlint's own message is never used: it quotes what it
 * found.
 *
 * @throws RulesTimeoutError when the file could not be scanned to its end; the signal's reason when aborted.
 */
export const scanFileForSecrets = async (file: SourceFile, signal: AbortSignal): Promise<ScannedFile> => {
  const ranges = await findSecretRanges(file.text, signal);
  const lines = splitLines(redactRanges(file.text, ranges));
  return { hits: hitsOf(file, ranges, lines), lines };
};
