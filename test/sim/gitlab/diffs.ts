/** Diffs between two commits by git, file by file, with every line of the changed files. */
import { runGit } from '../forgejo/git.ts';
import { type HunkLine, readHunk } from '../forgejo/diff-hunk.ts';

export type DiffFile = {
  readonly oldPath: string;
  readonly newPath: string;
  readonly kind: 'added' | 'deleted' | 'renamed' | 'changed';
  readonly oldMode: string;
  readonly newMode: string;
  /** Hunks with three lines of context, without file headers; empty for renames, mode changes and binary files. */
  readonly patch: string;
  /** Every line of the file, also unchanged lines outside of hunks. */
  readonly lines: readonly HunkLine[];
};

type RawEntry = Pick<DiffFile, 'oldPath' | 'newPath' | 'kind' | 'oldMode' | 'newMode'>;

const kinds: Readonly<Record<string, DiffFile['kind']>> = { A: 'added', D: 'deleted', R: 'renamed', C: 'renamed' };

const readRaw = (out: string): readonly RawEntry[] => {
  const fields = out.split('\0');
  const entries: RawEntry[] = [];
  for (let at = 0; at < fields.length && fields[at] !== ''; ) {
    const [oldMode = ':000000', newMode = '000000', , , status = 'M'] = (fields[at] ?? '').split(' ');
    const moved = status.startsWith('R') || status.startsWith('C');
    const oldPath = fields[at + 1] ?? '';
    const newPath = moved ? (fields[at + 2] ?? '') : oldPath;
    const kind = kinds[status.slice(0, 1)] ?? 'changed';
    entries.push({ oldPath, newPath, kind, oldMode: oldMode.slice(1), newMode });
    at += moved ? 3 : 2;
  }
  return entries;
};

/**
 * Content lines begin with a space, a sign or a backslash, so only headers match. Splits only at line feeds, because
 * content may hold any other kind of line break.
 */
const splitFiles = (patch: string): readonly string[] => patch.split(/\n(?=diff --git )/).filter((part) => part !== '');

const hunksOf = (file: string): string => {
  const at = file.indexOf('\n@@ ');
  return at < 0 ? '' : `${file.slice(at + 1).replace(/\n$/, '')}\n`;
};

const linesOf = (hunks: string): readonly HunkLine[] =>
  hunks
    .replace(/\n$/, '')
    .split(/\n(?=@@ )/)
    .filter((hunk) => hunk !== '')
    .flatMap((hunk) => {
      const [header = '', ...body] = hunk.split('\n');
      return readHunk(header, body);
    });

const wholeFile = 10_000_000;

/** Gitaly detects renames from 30 % similarity on (`CommitDiff`: `--find-renames=30%`); git's default is 50 %. */
export const findRenames = '--find-renames=30%';

type Range = { readonly gitDir: string; readonly from: string; readonly to: string; readonly paths: readonly string[] };

const compute = async ({ gitDir, from, to, paths }: Range): Promise<readonly DiffFile[]> => {
  const only = paths.length === 0 ? [] : ['--', ...paths.map((path) => `:(literal)${path}`)];
  const diff = (...options: readonly string[]): Promise<string> =>
    runGit(gitDir, ['diff', findRenames, '--no-color', '--no-ext-diff', ...options, from, to, ...only]);
  const [raw, short, long] = await Promise.all([diff('--raw', '-z'), diff('-U3'), diff(`-U${wholeFile}`)]);
  const patches = splitFiles(short);
  const unfolded = splitFiles(long);
  return readRaw(raw).map((entry, index) => ({
    ...entry,
    patch: hunksOf(patches[index] ?? ''),
    lines: linesOf(hunksOf(unfolded[index] ?? '')),
  }));
};

const kept = new Map<string, Promise<readonly DiffFile[]>>();
const keptAtMost = 500;

/** Cached, because a diff of two commits never changes. Rejects for an unknown commit. */
export const diffFiles = (gitDir: string, from: string, to: string): Promise<readonly DiffFile[]> =>
  diffOfPaths({ gitDir, from, to, paths: [] });

/** Only the given paths: with one path of a renamed file, git shows a new or a deleted file. */
export const diffOfPaths = (range: Range): Promise<readonly DiffFile[]> => {
  const key = [range.gitDir, range.from, range.to, ...range.paths].join('\0');
  const known = kept.get(key);
  if (known !== undefined) return known;
  const computing = compute(range);
  computing.catch(() => kept.delete(key));
  if (kept.size >= keptAtMost) kept.clear();
  kept.set(key, computing);
  return computing;
};

/** Finds one line as the forge shows it: an unchanged line has both numbers. */
export const lineAt = (
  file: DiffFile,
  pair: { readonly oldLine: number | null; readonly newLine: number | null },
): HunkLine | undefined =>
  file.lines.find((line) => {
    const oldLine = line.mark === '+' ? null : line.old;
    const newLine = line.mark === '-' ? null : line.new;
    return oldLine === pair.oldLine && newLine === pair.newLine;
  });
