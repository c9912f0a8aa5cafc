/** Decides whether an author's changes may be applied: either all of them or none. Pure. */
import type { TreeEntry } from '../../../shared/workspace/git/trees.ts';
import { folderOf, type HeadFolders, type NewFilePlace, whyNoNewFile } from './new-file.ts';
import { type PathRules, whyPathIsProtected } from './protected-paths.ts';

/** One file that the author changed. `odd`: not a regular file, or too large. */
export type AuthorFile =
  | { readonly kind: 'write'; readonly path: string; readonly content: Uint8Array }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'odd'; readonly path: string; readonly what: string };

export type ChangeRequestFile = Pick<TreeEntry, 'kind' | 'mode' | 'objectId'>;

export type ChangeRules = PathRules & {
  readonly maxFiles: number;
  readonly newFiles: boolean;
  readonly maxBytes: number;
  /** The loaded secrets; no file content may contain one. */
  readonly secrets: readonly string[];
};

export type ChangeContext = {
  readonly files: ReadonlyMap<string, ChangeRequestFile>;
  /** For each path of the fix that is not in `files`: its parent folders at the head. */
  readonly folders: HeadFolders;
  readonly rules: ChangeRules;
};

/** A changed file keeps its `mode`, and a new file gets the mode of a plain file: a fix cannot make a file executable. */
export type Edit = { readonly path: string; readonly mode: string; readonly content: Uint8Array | null };

export type EditRefusal = { readonly path: string; readonly reason: string };

export type ChangeDecision =
  | { readonly kind: 'apply'; readonly edits: readonly Edit[] }
  | {
      readonly kind: 'refused';
      readonly code: 'CHANGE_REFUSED' | 'CHANGE_TOO_LARGE';
      readonly refusals: readonly EditRefusal[];
    }
  | { readonly kind: 'empty' };

/** If one file is refused, the whole change is refused, because a partial fix is useless. */
export const decideChange = (changes: readonly AuthorFile[], context: ChangeContext): ChangeDecision => {
  const { files, rules } = context;
  if (changes.length === 0) return { kind: 'empty' };
  const bytes = changes.reduce((sum, change) => sum + (change.kind === 'write' ? change.content.length : 0), 0);
  if (changes.length > rules.maxFiles || bytes > rules.maxBytes) {
    const reason = `${changes.length} files of ${bytes} bytes`;
    return { kind: 'refused', code: 'CHANGE_TOO_LARGE', refusals: [{ path: '', reason }] };
  }
  const place = { folders: context.folders, touched: touchedFolders(context), paths: changes.map(({ path }) => path) };
  const seen = new Set<string>();
  const refusals: EditRefusal[] = [];
  const edits: Edit[] = [];
  for (const change of changes) {
    const file = files.get(change.path);
    const reason = seen.has(change.path) ? 'it is named twice' : whyNotChanged(change, place, context);
    seen.add(change.path);
    if (reason !== null) refusals.push({ path: change.path, reason });
    else if (change.kind !== 'odd') edits.push(editOf(change, file?.mode ?? PLAIN));
  }
  return refusals.length > 0 ? { kind: 'refused', code: 'CHANGE_REFUSED', refusals } : { kind: 'apply', edits };
};

const PLAIN = '100644';

const editOf = (change: Exclude<AuthorFile, { kind: 'odd' }>, mode: string): Edit => ({
  path: change.path,
  mode,
  content: change.kind === 'write' ? change.content : null,
});

const REGULAR: ReadonlySet<string> = new Set([PLAIN, '100755']);

const isRegular = ({ kind, mode }: ChangeRequestFile): boolean => kind === 'file' && REGULAR.has(mode);

/**
 * The folders in which the change touches at least one file that is not protected (CI files are protected). A fix may
 * add files only in these folders.
 */
const touchedFolders = ({ files, rules }: ChangeContext): ReadonlySet<string> =>
  new Set(
    [...files].flatMap(([path, file]) =>
      isRegular(file) && whyPathIsProtected(path, rules) === null ? [folderOf(path)] : [],
    ),
  );

const NO_FILE = 'it is not a file of the change request';

const whyNotChanged = (change: AuthorFile, place: NewFilePlace, { files, rules }: ChangeContext): string | null => {
  const protection = whyPathIsProtected(change.path, rules);
  if (protection !== null) return protection;
  if (change.kind === 'odd') return `it is ${change.what}`;
  const file = files.get(change.path);
  if (file !== undefined && !isRegular(file)) return 'it is not a regular file';
  if (file === undefined) {
    const reason = change.kind === 'write' && rules.newFiles ? whyNoNewFile(change.path, place) : NO_FILE;
    if (reason !== null) return reason;
  }
  return change.kind === 'write' ? whyNotContent(change.content, rules) : null;
};

const whyNotContent = (content: Uint8Array, { secrets }: ChangeRules): string | null => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  if (bytes.includes(0)) return 'its content is binary';
  return secrets.some((secret) => secret !== '' && bytes.includes(secret)) ? 'its content contains a secret' : null;
};
