import type { ByteString, Diff, DiffFile } from './model.ts';
import { hunkContent } from './hunk-content.ts';

export type FilePair = { readonly file: DiffFile; readonly previous: DiffFile | null };
export type PairedFiles = { readonly pairs: readonly FilePair[]; readonly goneFiles: readonly DiffFile[] };

type Finder = (file: DiffFile, left: ReadonlySet<DiffFile>) => DiffFile | undefined;

/** Pairs files one to one by these criteria in turn: same name, renamed between heads, same base file, added with the same content. */
export const pairFiles = (previous: Diff, current: Diff, betweenHeads: Diff | null): PairedFiles => {
  const left = new Set(previous.files);
  const found = new Map<DiffFile, DiffFile>();
  for (const find of findersFor(previous, betweenHeads)) {
    for (const file of current.files) {
      const match = found.has(file) ? undefined : find(file, left);
      if (match === undefined) continue;
      found.set(file, match);
      left.delete(match);
    }
  }
  const pairs = current.files.map((file) => ({ file, previous: found.get(file) ?? null }));
  return { pairs, goneFiles: [...left] };
};

const findersFor = (previous: Diff, betweenHeads: Diff | null): readonly Finder[] => {
  const byNewPath = index(previous, (file) => file.newPathRaw);
  const byOldPath = index(previous, (file) =>
    file.status === 'added' || file.status === 'copied' ? null : file.oldPathRaw,
  );
  const byContent = index(previous, (file) => (file.status === 'added' ? wholeContent(file) : null));
  const renames = renamesOf(betweenHeads);
  const take =
    (map: ReadonlyMap<string, DiffFile>, key: (file: DiffFile) => string | null | undefined): Finder =>
    (file, left) => {
      const wanted = key(file);
      const match = wanted === null || wanted === undefined ? undefined : map.get(wanted);
      return match !== undefined && left.has(match) ? match : undefined;
    };
  return [
    take(byNewPath, (file) => file.newPathRaw),
    take(byNewPath, (file) => renames.get(file.newPathRaw)),
    take(byOldPath, (file) => (file.status === 'added' || file.status === 'copied' ? null : file.oldPathRaw)),
    take(byContent, (file) => (file.status === 'added' ? wholeContent(file) : null)),
  ];
};

/** Drops keys that several files share, because they are ambiguous. */
const index = (diff: Diff, keyOf: (file: DiffFile) => string | null): ReadonlyMap<string, DiffFile> => {
  const map = new Map<string, DiffFile>();
  const shared = new Set<string>();
  for (const file of diff.files) {
    const key = keyOf(file);
    if (key === null) continue;
    if (map.has(key)) shared.add(key);
    map.set(key, file);
  }
  for (const key of shared) map.delete(key);
  return map;
};

const renamesOf = (between: Diff | null): ReadonlyMap<ByteString, ByteString> =>
  new Map(
    (between?.files ?? [])
      .filter((file) => file.status === 'renamed')
      .map((file) => [file.newPathRaw, file.oldPathRaw]),
  );

/** Returns null for files without text, because all empty files are alike. */
const wholeContent = (file: DiffFile): string | null =>
  file.hunks.length === 0 || !file.complete ? null : file.hunks.map(hunkContent).join('\n');
