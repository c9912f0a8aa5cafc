import { isTestPath } from '../language.ts';
import { lineAt, lineStarts, quote, splitLines } from '../lines.ts';
import type { RuleHit, SourceFile } from '../rule.ts';
import { findSecretRanges, redactRanges } from './secret-ranges.ts';

/** A secret inside one file. Neither the hit nor its evidence holds the secret itself. */
const scanFile = async ({ path, text }: SourceFile, signal: AbortSignal): Promise<readonly RuleHit[]> => {
  const ranges = await findSecretRanges(text, signal);
  if (ranges.length === 0) return [];
  const starts = lineStarts(text);
  const redacted = splitLines(redactRanges(text, ranges));
  const inTests = isTestPath(path);
  return ranges
    .filter((range) => !(inTests && range.harmlessInTests))
    .map(({ start, end, rule }) => {
      const startLine = lineAt(starts, start);
      const endLine = lineAt(starts, end - 1);
      return { rule, path, startLine, endLine, evidence: quote(redacted, startLine, endLine), suggestion: null };
    });
};

/**
 * Every secret in the files, by file and place. Secretlint's own message is never used: it quotes what it found.
 *
 * @throws RulesTimeoutError when a file could not be scanned to its end; the signal's reason when aborted.
 */
export const scanSecrets = async (files: readonly SourceFile[], signal: AbortSignal): Promise<readonly RuleHit[]> => {
  const hits: RuleHit[] = [];
  for (const file of files) hits.push(...(await scanFile(file, signal)));
  return hits;
};
