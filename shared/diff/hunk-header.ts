/** Line counts that a diff states; both sides of a hunk. */
export type HunkRange = { readonly start: number; readonly lines: number };

export type HunkHeader = {
  /** One range per parent, then the new side. */
  readonly old: readonly HunkRange[];
  readonly new: HunkRange;
  readonly section: string;
};

const RANGE = /^(\d{1,9})(?:,(\d{1,9}))?$/;

const parseRange = (sign: string, text: string): HunkRange | null => {
  const match = text.startsWith(sign) ? RANGE.exec(text.slice(1)) : null;
  if (match === null) return null;
  const lines = match[2] === undefined ? 1 : Number(match[2]);
  const start = Number(match[1]);
  // Lines count from 1; only an empty side may stand at 0.
  return start === 0 && lines > 0 ? null : { start, lines };
};

/**
 * Reads `@@ -1,2 +3,4 @@ section`, with one more `@` and range per further parent in a combined diff.
 * `parents` is what the file header announced; null when the line is malformed.
 */
export const parseHunkHeader = (line: string, parents: number): HunkHeader | null => {
  const fence = '@'.repeat(parents + 1);
  if (!line.startsWith(`${fence} `)) return null;
  const close = line.indexOf(` ${fence}`, fence.length);
  if (close === -1) return null;
  const ranges = line.slice(fence.length + 1, close).split(' ');
  if (ranges.length !== parents + 1) return null;
  const old: HunkRange[] = [];
  for (const text of ranges.slice(0, parents)) {
    const range = parseRange('-', text);
    if (range === null) return null;
    old.push(range);
  }
  const fresh = parseRange('+', ranges[parents] ?? '');
  const section = line.slice(close + 1 + fence.length);
  return fresh === null ? null : { old, new: fresh, section: section.startsWith(' ') ? section.slice(1) : section };
};
