import { isCiFile, isSamplePath } from '../model/language.ts';
import { lineAt, lineStarts, quote, splitLines } from '../model/lines.ts';
import type { RuleHit, SourceFile } from '../model/rule.ts';
import { findSecretRanges, redactRanges, type SecretRange } from './secret-ranges.ts';

export type ScannedFile = {
  /** Neither the hits nor their evidence contain the secret. */
  readonly hits: readonly RuleHit[];
  readonly lines: readonly string[];
};

/** A database that exists for one run of a pipeline. */
const THROWAWAY_DATABASE =
  /\b(?:mysql|mariadb|postgres|postgresql|pgsql|mongo|mongodb|redis|rabbitmq|sa|db|database)\b|_(?:db|database)_|\b(?:MYSQL|MARIADB|POSTGRES|PG|MONGO|REDIS|RABBITMQ|DB|SA)_?[A-Z_]{0,40}PASS/i;
/** A comment that shows data in JSON, such as an answer of a server. */
const DATA_IN_COMMENT = /^\s{0,200}(?:#|\/\/|\*)[:\s*]{0,9}[{"]/;

/** Whether the line shows that a value with the name of a credential opens nothing. */
const opensNothing = (path: string, line: string): boolean =>
  DATA_IN_COMMENT.test(line) || (isCiFile(path) && THROWAWAY_DATABASE.test(line));

const hitsOf = ({ path, text }: SourceFile, ranges: readonly SecretRange[], lines: readonly string[]) => {
  const starts = lineStarts(text);
  const sample = isSamplePath(path);
  return ranges
    .filter(
      ({ start, harmlessInTests }) =>
        !harmlessInTests || !(sample || opensNothing(path, lines[lineAt(starts, start) - 1] ?? '')),
    )
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
