import type { FileDraft } from './file-draft.ts';
import { isDevNull, readSideName } from './file-names.ts';
import { unquoteName } from '../paths/quoted-path.ts';

/** `taken`: the line belongs to the file header. `other`: it does not. */
export type HeaderOutcome = 'taken' | 'other' | { readonly problem: string };

type Reader = (draft: FileDraft, rest: string) => string | null;

const MODE = /^[0-7]{6}$/;
const BLOB = /^[0-9a-f]{4,64}$/;
const ABSENT = /^0+$/;
const PERCENT = /^(\d{1,3})%$/;

const readName = (rest: string): string | null => (rest.startsWith('"') ? (unquoteName(rest, 0)?.name ?? null) : rest);

const readSide =
  (side: 'minus' | 'plus'): Reader =>
  (draft, rest) => {
    const name = readSideName(rest);
    if (name === null || name === '') return 'the file name is malformed';
    draft[side] = name;
    if (isDevNull(name)) draft[side === 'minus' ? 'created' : 'deleted'] = true;
    return null;
  };

const readEnd =
  (end: 'from' | 'to', copied: boolean): Reader =>
  (draft, rest) => {
    const name = readName(rest);
    if (name === null || name === '') return 'the file name is malformed';
    draft[end] = name;
    draft.copied = copied;
    return null;
  };

/** A combined diff lists one mode per parent; the first one becomes the old mode. */
const readMode =
  (set: (draft: FileDraft, mode: string) => void): Reader =>
  (draft, rest) => {
    const mode = rest.split(',')[0] ?? '';
    if (!MODE.test(mode)) return 'the file mode is malformed';
    set(draft, mode);
    return null;
  };

/** Reads `1111111..2222222 100644`. A combined diff has one old blob per parent. The line contains the mode if it is unchanged. */
const readIndex: Reader = (draft, rest) => {
  const dots = rest.indexOf('..');
  const blank = rest.indexOf(' ', dots);
  const olds = rest.slice(0, dots);
  const old = olds.includes(',') ? olds.slice(0, olds.indexOf(',')) : olds;
  const fresh = rest.slice(dots + 2, blank === -1 ? rest.length : blank);
  const mode = blank === -1 ? null : rest.slice(blank + 1);
  if (dots === -1 || !BLOB.test(old) || !BLOB.test(fresh) || (mode !== null && !MODE.test(mode))) {
    return 'the index line is malformed';
  }
  draft.oldBlob = ABSENT.test(old) ? null : old;
  draft.newBlob = ABSENT.test(fresh) ? null : fresh;
  draft.oldMode ??= mode;
  draft.newMode ??= mode;
  return null;
};

const readCombinedModes: Reader = (draft, rest) => {
  const [olds = '', fresh = ''] = rest.split('..');
  const old = olds.split(',')[0] ?? '';
  if (!MODE.test(old) || !MODE.test(fresh)) return 'the file mode is malformed';
  draft.oldMode = old;
  draft.newMode = fresh;
  return null;
};

const readPercent =
  (rewritten: boolean): Reader =>
  (draft, rest) => {
    const percent = Number(PERCENT.exec(rest)?.[1] ?? Number.NaN);
    if (!(percent <= 100)) return 'malformed similarity';
    draft.similarity = rewritten ? 100 - percent : percent;
    draft.rewritten = rewritten;
    return null;
  };

/** The extended headers of `git diff`, documented in gitformat under "Generating patch text with -p". */
const READERS: readonly (readonly [string, Reader])[] = [
  ['index ', readIndex],
  ['--- ', readSide('minus')],
  ['+++ ', readSide('plus')],
  [
    'new file mode ',
    readMode((draft, mode) => {
      draft.created = true;
      draft.newMode = mode;
    }),
  ],
  [
    'deleted file mode ',
    readMode((draft, mode) => {
      draft.deleted = true;
      draft.oldMode = mode;
    }),
  ],
  [
    'old mode ',
    readMode((draft, mode) => {
      draft.oldMode = mode;
    }),
  ],
  [
    'new mode ',
    readMode((draft, mode) => {
      draft.newMode = mode;
    }),
  ],
  ['mode ', readCombinedModes],
  ['similarity index ', readPercent(false)],
  ['dissimilarity index ', readPercent(true)],
  ['rename from ', readEnd('from', false)],
  ['rename to ', readEnd('to', false)],
  ['copy from ', readEnd('from', true)],
  ['copy to ', readEnd('to', true)],
];

const BINARY_MARKER = /^(?:Binary files|Files) .* differ$/s;

export const readHeaderLine = (draft: FileDraft, line: string): HeaderOutcome => {
  for (const [prefix, read] of READERS) {
    if (!line.startsWith(prefix)) continue;
    const problem = read(draft, line.slice(prefix.length));
    return problem === null ? 'taken' : { problem };
  }
  if (!BINARY_MARKER.test(line)) return 'other';
  draft.binary = true;
  return 'taken';
};
