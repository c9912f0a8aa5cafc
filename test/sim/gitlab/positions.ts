/** Validates positions of diff notes (GL lib/gitlab/diff/file.rb, position.rb, app/models/diff_note.rb; forges.md 3.3). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { mergeBase, resolveCommit } from '../forgejo/git.ts';
import { type DiffFile, diffFiles, diffOfPaths, lineAt } from './diffs.ts';
import { flag, optionalInteger, optionalText } from './parameters.ts';
import type { SimMergeRequest, SimPosition, World } from './world.ts';

// JSON schema position.json: only the shape is validated; wrong content is stored and shown wrongly.
const LineEnd = z.object({
  line_code: z.string().max(100).optional(),
  type: z.string().nullish(),
  old_line: optionalInteger,
  new_line: optionalInteger,
});

export const PositionParameter = z.object({
  base_sha: z.string(),
  start_sha: z.string(),
  head_sha: z.string(),
  position_type: z.enum(['text', 'image', 'file']),
  old_path: optionalText,
  new_path: optionalText,
  old_line: optionalInteger,
  new_line: optionalInteger,
  ignore_whitespace_change: flag.optional(),
  line_range: z.object({ start: LineEnd.optional(), end: LineEnd.optional() }).nullish(),
});
export type PositionParameter = z.output<typeof PositionParameter>;

const toPosition = (sent: PositionParameter): SimPosition => ({
  base_sha: sent.base_sha,
  start_sha: sent.start_sha,
  head_sha: sent.head_sha,
  old_path: sent.old_path ?? null,
  new_path: sent.new_path ?? null,
  position_type: sent.position_type,
  old_line: sent.old_line ?? null,
  new_line: sent.new_line ?? null,
  line_range: sent.line_range ?? null,
});

export const positionOrNull = (sent: PositionParameter | null | undefined): SimPosition | null =>
  sent === null || sent === undefined ? null : toPosition(sent);

/** SHA-1 of the path, then both line counters at the line (forges.md 3.3). */
export const lineCodeOf = (path: string, line: { readonly old: number; readonly new: number }): string =>
  `${createHash('sha1').update(path).digest('hex')}_${line.old}_${line.new}`;

const pathsOf = ({ old_path: old, new_path: now }: SimPosition): readonly string[] =>
  [...new Set([old, now].filter((path) => path !== null && path !== ''))] as readonly string[];

const known = new Set<string>();

/** Accepts only full commit ids. Cached: a simulated repository never deletes commits. */
const isCommit = async (gitDir: string, sha: string): Promise<boolean> => {
  const key = `${gitDir}\0${sha}`;
  if (known.has(key)) return true;
  const found = (await resolveCommit(gitDir, sha)) === sha;
  if (found) known.add(key);
  return found;
};

/**
 * Finds the position's file: the first file in the diff of its paths, or null when start or head is not a commit of this
 * project. The diff starts at the merge base of start and head; the sent base is only stored, and tells whether the diff
 * is a direct one (GL lib/gitlab/diff/position.rb, diff_refs.rb).
 */
const fileAt = async (gitDir: string, position: SimPosition): Promise<DiffFile | null> => {
  const { base_sha: base, start_sha: start, head_sha: head } = position;
  const paths = pathsOf(position);
  if (paths.length === 0 || !(await isCommit(gitDir, start)) || !(await isCommit(gitDir, head))) return null;
  const from = base === start ? start : await mergeBase(gitDir, start, head);
  if (from === null) return null;
  return (await diffOfPaths({ gitDir, from, to: head, paths }))[0] ?? null;
};

const isTooLarge = (world: World, { patch }: DiffFile): boolean =>
  Buffer.byteLength(patch) > world.diffLimits.maxPatchBytes;

export type Placed =
  | { readonly kind: 'placed'; readonly lineCode: string | null }
  | { readonly kind: 'refused'; readonly errors: Readonly<Record<string, readonly string[]>> };

const noLineCode: Placed = {
  kind: 'refused',
  errors: { line_code: ["can't be blank", 'must be a valid line code'] },
};

const lineOf = (file: DiffFile, position: SimPosition) =>
  lineAt(file, { oldLine: position.old_line, newLine: position.new_line });

/**
 * A text position must match a line of the diff exactly, including nulls; unchanged lines outside of hunks are valid. A
 * file over the patch limit has no lines (GL doc/administration/diff_limits.md). A position on a whole file has no line
 * code and is not validated.
 */
export const placeNote = async (world: World, mr: SimMergeRequest, position: SimPosition): Promise<Placed> => {
  if (mr.versions.length === 0)
    return { kind: 'refused', errors: { noteable: ["doesn't support new-style diff notes"] } };
  if (position.position_type !== 'text') return { kind: 'placed', lineCode: null };
  const file = await fileAt(mr.project.gitDir, position);
  const line = file === null || isTooLarge(world, file) ? undefined : lineOf(file, position);
  if (file === null || line === undefined) return noLineCode;
  return { kind: 'placed', lineCode: lineCodeOf(file.newPath === '' ? file.oldPath : file.newPath, line) };
};

/** Whether a note on a whole file would be visible; the forge does not check it. */
export const isChangedFile = async (mr: SimMergeRequest, position: SimPosition): Promise<boolean> =>
  (await fileAt(mr.project.gitDir, position)) !== null;

/**
 * For a saved note in the newest version: whether the merge request's stored diff has such a line. That diff covers all
 * files, so a file that is a rename there is not an added one (GL app/models/diff_note.rb `create_diff_file`).
 */
export const isInStoredDiff = async (world: World, mr: SimMergeRequest, position: SimPosition): Promise<boolean> => {
  const newest = mr.versions.at(-1);
  const isCurrent =
    newest?.baseSha === position.base_sha &&
    newest.startSha === position.start_sha &&
    newest.headSha === position.head_sha;
  if (!isCurrent || position.position_type !== 'text') return true;
  const paths = new Set(pathsOf(position));
  const stored = (await diffFiles(mr.project.gitDir, newest.baseSha, newest.headSha)).slice(
    0,
    world.diffLimits.maxFiles,
  );
  const file = stored.find(({ oldPath, newPath }) => paths.has(oldPath) || paths.has(newPath));
  return file !== undefined && lineOf(file, position) !== undefined;
};
