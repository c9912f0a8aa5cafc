/**
 * Removes secrets from a diff, file names included. Whole files are searched first, because a hunk may show only part of a
 * private key. Each hunk is searched too, because a file may not be available. Line numbers stay the same.
 */
import { firstLines } from '../../diff/hunk-lines.ts';
import type { DiffFile, Hunk } from '../../diff/model.ts';
import type { Protect } from '../present-result.ts';

export type FileTexts = {
  /** Contract: the text at the head; null when the file does not exist there. */
  readonly headText: (path: string) => Promise<string | null>;
  readonly baseText: (path: string) => Promise<string | null>;
};

type Lines = readonly string[] | null;
type Sides = { readonly head: Lines; readonly base: Lines };

/** Returns null when redaction joined lines. Line numbers then no longer match, so the hunk is searched by itself. */
const protectLines = async (text: string, protect: Protect, signal: AbortSignal): Promise<Lines> => {
  const lines = (await protect(text, signal)).split('\n');
  return lines.length === text.split('\n').length ? lines : null;
};

const readSide = async (text: string | null, protect: Protect, signal: AbortSignal): Promise<Lines> =>
  text === null ? null : protectLines(text, protect, signal);

const rowsOf = (hunk: Hunk): readonly string[] =>
  hunk.source.toString('utf8', hunk.bodyStart, hunk.bodyEnd).split('\n').slice(0, -1);

const fromFiles = (hunk: Hunk, rows: readonly string[], sides: Sides): readonly string[] => {
  const next = firstLines(hunk);
  return rows.map((row) => {
    const sign = row.charAt(0);
    if (sign === '\\') return row;
    const oldLine = sign === '+' ? null : next.old++;
    const newLine = sign === '-' ? null : next.new++;
    const line = newLine === null ? sides.base?.[(oldLine ?? 0) - 1] : sides.head?.[newLine - 1];
    return line === undefined || row === '' ? row : sign + line;
  });
};

const fromHunk = async (
  { parents }: Hunk,
  rows: readonly string[],
  { protect, signal }: { readonly protect: Protect; readonly signal: AbortSignal },
): Promise<readonly string[]> => {
  const texts = rows.map((row) => row.slice(parents));
  const together = await protectLines(texts.join('\n'), protect, signal);
  const lines: string[] = [];
  for (const [index, row] of rows.entries()) {
    const text = together === null ? await protect(texts[index] ?? '', signal) : (together[index] ?? '');
    lines.push(row.startsWith('\\') ? row : row.slice(0, parents) + text);
  }
  return lines;
};

const rebuild = (hunk: Hunk, header: string, rows: readonly string[]): Hunk => {
  const head = Buffer.from(`${header}\n`);
  const body = Buffer.from(rows.map((row) => `${row}\n`).join(''));
  const source = Buffer.concat([head, body]);
  return { ...hunk, source, headerStart: 0, bodyStart: head.length, bodyEnd: source.length };
};

type Protecting = { readonly sides: Sides; readonly protect: Protect; readonly signal: AbortSignal };

/**
 * Git takes a hunk's heading from an earlier line, which may be part of a key. It is kept only if a redacted line begins with it.
 */
const isSafeSection = (section: string, { head, base }: Sides): boolean =>
  section === '' || [head, base].some((lines) => lines?.some((line) => line.startsWith(section)) ?? false);

const protectHunk = async (hunk: Hunk, { sides, protect, signal }: Protecting): Promise<Hunk> => {
  const rows = rowsOf(hunk);
  const known = hunk.parents === 1 ? fromFiles(hunk, rows, sides) : rows;
  const safe = await fromHunk(hunk, known, { protect, signal });
  const keepsSection = isSafeSection(hunk.section, sides);
  if (keepsSection && safe.every((row, index) => row === rows[index])) return hunk;
  const header = hunk.source.toString('utf8', hunk.headerStart, hunk.bodyStart - 1);
  const marks = keepsSection ? header : header.replace(/^(@@+ .*? @@+).*$/s, '$1');
  return { ...rebuild(hunk, marks, safe), section: keepsSection ? hunk.section : '' };
};

const protectPaths = async (
  { oldPath, newPath }: DiffFile,
  protect: Protect,
  signal: AbortSignal,
): Promise<Pick<DiffFile, 'oldPath' | 'newPath'>> => {
  const safe = await protect(newPath, signal);
  return { newPath: safe, oldPath: oldPath === newPath ? safe : await protect(oldPath, signal) };
};

/** Returns the same files in the same order. @throws what `protect` and the readers throw. */
export const protectDiff = async (
  files: readonly DiffFile[],
  { headText, baseText, protect }: FileTexts & { readonly protect: Protect },
  signal: AbortSignal,
): Promise<readonly DiffFile[]> => {
  const safe: DiffFile[] = [];
  for (const file of files) {
    const sides: Sides =
      file.hunks.length === 0 || file.parents !== 1
        ? { head: null, base: null }
        : {
            head: await readSide(await headText(file.newPath), protect, signal),
            base: await readSide(await baseText(file.oldPath), protect, signal),
          };
    const hunks: Hunk[] = [];
    for (const hunk of file.hunks) hunks.push(await protectHunk(hunk, { sides, protect, signal }));
    safe.push({ ...file, ...(await protectPaths(file, protect, signal)), hunks });
  }
  return safe;
};
