import { isSamplePath } from '../model/language.ts';
import { lineAt, lineStarts, quote, splitLines } from '../model/lines.ts';
import type { RuleHit, SourceFile } from '../model/rule.ts';
import { findSecretRanges, redactRanges, type SecretRange } from './secret-ranges.ts';

export type ScannedFile = {
  /** Neither the hits nor their evidence contain the secret. */
  readonly hits: readonly RuleHit[];
  readonly lines: readonly string[];
};

const hitsOf = ({ path, text }: SourceFile, ranges: readonly SecretRange[], lines: readonly string[]) => {
  const starts = lineStarts(text);
  const sample = isSamplePath(path);
  return ranges
    .filter((range) => !(sample && range.harmlessInTests))
    .map(({ start, end, rule }): RuleHit => {
      const startLine = lineAt(starts, start);
      const endLine = lineAt(starts, end - 1);
      return { rule, path, startLine, endLine, evidence: quote(lines, startLine, endLine), suggestion: null };
    });
};

/** Does not use secretlint's own message, which quotes the secret. @throws RulesTimeoutError; the signal's reason. */
export const scanFileForSecrets = async (file: SourceFile, signal: AbortSignal): Promise<ScannedFile> => {
  const ranges = await findSecretRanges(file.text, signal);
  const lines = splitLines(redactRanges(file.text, ranges));
  return { hits: hitsOf(file, ranges, lines), lines };
};
