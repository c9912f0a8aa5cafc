import { type FileDraft, startFile } from './file-draft.ts';
import { advance, openFile, type Scanner } from './scanner.ts';

/** `git diff --submodule=log|diff` writes one line instead of a header, then indented log lines or nested diffs. */
const MOVED = /^Submodule (.+) ([0-9a-f]{4,64})\.{2,3}([0-9a-f]{4,64})(?: \([a-z ]+\))?:?$/s;
const DIRTY = /^Submodule (.+) contains (?:modified|untracked) content$/s;
const ABSENT = /^0+$/;
const GITLINK = '160000';

/** The submodule pointer counts as one changed line, as in `git diff --numstat`. */
export const stepSubmodule = (scanner: Scanner, text: string, lineEnd: number): boolean => {
  const moved = MOVED.exec(text);
  const path = (moved ?? DIRTY.exec(text))?.[1];
  if (path === undefined) return false;
  const old = moved?.[2] ?? null;
  const fresh = moved?.[3] ?? null;
  if (scanner.file?.origin === 'submodule' && scanner.file.headerRest === path) {
    // The "contains modified content" line and the pointer line of one submodule belong to one entry.
    advance(scanner, lineEnd);
    return true;
  }
  openFile(scanner, pointerFile({ path, old, fresh, inputLine: scanner.line }));
  advance(scanner, lineEnd);
  return true;
};

type Pointer = { path: string; old: string | null; fresh: string | null; inputLine: number };

const pointerFile = ({ path, old, fresh, inputLine }: Pointer): FileDraft => {
  const created = old !== null && ABSENT.test(old);
  const deleted = fresh !== null && ABSENT.test(fresh);
  return {
    ...startFile('submodule', path, inputLine),
    created,
    deleted,
    oldMode: GITLINK,
    newMode: GITLINK,
    oldBlob: created ? null : old,
    newBlob: deleted ? null : fresh,
    removed: created ? 0 : 1,
    added: deleted ? 0 : 1,
  };
};
