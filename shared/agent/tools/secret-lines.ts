/**
 * Lines of files that hold a secret or a part of one, so that they are known again where a program shows them apart from
 * the rest of their file: the third line of a private key does not look like one.
 */
import { REDACTED } from '../../text/redact.ts';
import type { Protect } from '../present-result.ts';

/** Each line as it stands in the file, and what may be shown of it. */
export type SecretLines = ReadonlyMap<string, string>;

/** @throws what `protect` throws: what could not be looked at must not be shown. */
export const findSecretLines = async (text: string, protect: Protect, signal: AbortSignal): Promise<SecretLines> => {
  const safe = await protect(text, signal);
  const found = new Map<string, string>();
  if (safe === text) return found;
  const lines = text.split('\n');
  const shown = safe.split('\n');
  const kept = new Set(shown);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    // Where lines were joined, numbers no longer tell which is which.
    const same = lines.length === shown.length ? shown[index] : kept.has(line) ? line : REDACTED;
    if (same !== undefined && same !== line) found.set(line, same);
  }
  return found;
};

/**
 * Hides lines that end with one of these, whatever a program wrote in front: a sign, a name, a number. The longest one
 * counts. One look per length, so that a crafted file with many of them costs little.
 */
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
