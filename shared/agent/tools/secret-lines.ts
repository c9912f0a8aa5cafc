/** Finds the lines of a file that belong to a secret, so that they are recognised when a program prints them elsewhere. */
import { REDACTED } from '../../text/redact.ts';
import type { Protect } from '../present-result.ts';

/** Maps each original line to its redacted form. */
export type SecretLines = ReadonlyMap<string, string>;

/** @throws what `protect` throws: unsearched text must not be shown. */
export const findSecretLines = async (text: string, protect: Protect, signal: AbortSignal): Promise<SecretLines> => {
  const safe = await protect(text, signal);
  const found = new Map<string, string>();
  if (safe === text) return found;
  const lines = text.split('\n');
  const shown = safe.split('\n');
  const kept = new Set(shown);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    // If redaction joined lines, line numbers no longer match.
    const same = lines.length === shown.length ? shown[index] : kept.has(line) ? line : REDACTED;
    if (same !== undefined && same !== line) found.set(line, same);
  }
  return found;
};

/** Hides each line that ends with a secret line, whatever prefix a program added. The longest match wins. */
export const createHiding = (sources: readonly SecretLines[]): ((line: string) => string) => {
  const known = new Map(sources.flatMap((lines) => [...lines]));
  const lengths = [...new Set([...known.keys()].map(({ length }) => length))].toSorted((one, other) => other - one);
  return (line) => {
    for (const length of lengths) {
      if (length > line.length) continue;
      const shown = known.get(line.slice(line.length - length));
      if (shown !== undefined) return line.slice(0, line.length - length) + shown;
    }
    return line;
  };
};
