import type { Diff, DiffFile, Hunk } from '../../shared/diff/model.ts';
import { quoteName } from '../../shared/diff/paths/quoted-path.ts';

export type PrintOptions = {
  /** git's `core.quotePath`: escape bytes above 127 in names. Default true, as in git. */
  readonly quoteHigh?: boolean;
};

/**
 * Prints a diff as `git diff` does, with the prefixes `a/` and `b/`: the exact inverse of `parseDiff`.
 * @throws RangeError for combined diffs and files without content, which git does not print in that form
 */
export const printDiff = (diff: Diff, options: PrintOptions = {}): Buffer => {
  const quoteHigh = options.quoteHigh ?? true;
  return Buffer.concat(diff.files.flatMap((file) => printFile(file, quoteHigh)));
};

const printFile = (file: DiffFile, quoteHigh: boolean): readonly Buffer[] => {
  if (file.status !== 'type_changed') return printOne(file, quoteHigh);
  const [gone, fresh] = splitTypeChange(file);
  return [...printOne(gone, quoteHigh), ...printOne(fresh, quoteHigh)];
};

/** git prints a change of type as a deletion and a creation. */
const splitTypeChange = (file: DiffFile): readonly [DiffFile, DiffFile] => [
  {
    ...file,
    status: 'deleted',
    newMode: null,
    newBlob: null,
    ...contentOf(file, (hunk) => hunk.newLines === 0),
  },
  {
    ...file,
    status: 'added',
    oldMode: null,
    oldBlob: null,
    ...contentOf(file, (hunk) => hunk.newLines > 0),
  },
];

/** Links and submodules are text, so at most one of the two sides is binary: the one without hunks. */
const contentOf = (
  file: DiffFile,
  belongs: (hunk: Hunk) => boolean,
): Pick<DiffFile, 'hunks' | 'binary' | 'binaryPatch'> => {
  const hunks = file.hunks.filter(belongs);
  const binary = file.binary && hunks.length === 0;
  return { hunks, binary, binaryPatch: binary ? file.binaryPatch : null };
};

const printOne = (file: DiffFile, quoteHigh: boolean): readonly Buffer[] => {
  const name = (prefix: string, path: string): string => quoteName(prefix + path, quoteHigh);
  const [old, fresh] = [name('a/', file.oldPathRaw), name('b/', file.newPathRaw)];
  const head = [`diff --git ${old} ${fresh}`, ...extendedHeader(file, quoteHigh), ...contentHeader(file, old, fresh)];
  const parts = [Buffer.from(`${head.join('\n')}\n`, 'latin1')];
  if (file.binaryPatch !== null) parts.push(Buffer.from(file.binaryPatch));
  for (const hunk of file.hunks) parts.push(Buffer.from(hunk.source.subarray(hunk.headerStart, hunk.bodyEnd)));
  return parts;
};

const extendedHeader = (file: DiffFile, quoteHigh: boolean): readonly string[] => [
  ...modeLines(file),
  ...similarityLine(file),
  ...moveLines(file, quoteHigh),
  ...indexLine(file),
];

const modeLines = (file: DiffFile): readonly string[] => {
  if (file.status === 'added') return [`new file mode ${file.newMode}`];
  if (file.status === 'deleted') return [`deleted file mode ${file.oldMode}`];
  return file.oldMode === file.newMode ? [] : [`old mode ${file.oldMode}`, `new mode ${file.newMode}`];
};

const similarityLine = (file: DiffFile): readonly string[] => {
  if (file.similarity === null) return [];
  return [file.rewritten ? `dissimilarity index ${100 - file.similarity}%` : `similarity index ${file.similarity}%`];
};

const moveLines = (file: DiffFile, quoteHigh: boolean): readonly string[] => {
  if (file.status !== 'renamed' && file.status !== 'copied') return [];
  const verb = file.status === 'renamed' ? 'rename' : 'copy';
  const [old, fresh] = [quoteName(file.oldPathRaw, quoteHigh), quoteName(file.newPathRaw, quoteHigh)];
  return [`${verb} from ${old}`, `${verb} to ${fresh}`];
};

/** Includes the mode only when it did not change and no other line has it. */
const indexLine = (file: DiffFile): readonly string[] => {
  const known = file.oldBlob ?? file.newBlob;
  if (known === null) return [];
  const zeros = '0'.repeat(known.length);
  const mode = file.oldMode !== null && file.oldMode === file.newMode ? ` ${file.newMode}` : '';
  return [`index ${file.oldBlob ?? zeros}..${file.newBlob ?? zeros}${mode}`];
};

const contentHeader = (file: DiffFile, old: string, fresh: string): readonly string[] => {
  const minus = file.status === 'added' ? '/dev/null' : old;
  const plus = file.status === 'deleted' ? '/dev/null' : fresh;
  if (file.binaryPatch !== null) return ['GIT binary patch'];
  if (file.binary) return [`Binary files ${minus} and ${plus} differ`];
  return file.hunks.length === 0 ? [] : [`--- ${endName(minus)}`, `+++ ${endName(plus)}`];
};

/** A tab marks the end of an unquoted name with spaces. */
const endName = (name: string): string => (!name.startsWith('"') && name.includes(' ') ? `${name}\t` : name);
