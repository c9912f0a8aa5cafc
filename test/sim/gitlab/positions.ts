/** Where a diff note may hang (GL lib/gitlab/diff/file.rb, position.rb, app/models/diff_note.rb; forges.md 3.3). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { mergeBase, resolveCommit } from '../forgejo/git.ts';
import { type DiffFile, diffFiles, diffOfPaths, lineAt } from './diffs.ts';
import { flag, optionalInteger, optionalText } from './parameters.ts';
import type { SimMergeRequest, SimPosition, World } from './world.ts';

// JSON schema position.json: only the shape is looked at, wrong content is stored and shown wrongly.
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

/** sha1 of the path, then both running counters at the line (forges.md 3.3). */
export const lineCodeOf = (path: string, line: { readonly old: number; readonly new: number }): string =>
  `${createHash('sha1').update(path).digest('hex')}_${line.old}_${line.new}`;

const pathsOf = ({ old_path: old, new_path: now }: SimPosition): readonly string[] =>
  [...new Set([old, now].filter((path) => path !== null && path !== ''))] as readonly string[];

const known = new Set<string>();

/** Full names of commits only. Nothing is ever collected from a simulated repository: once there, always there. */
const isCommit = async (gitDir: string, sha: string): Promise<boolean> => {
  const key = `${gitDir}\0${sha}`;
  if (known.has(key)) return true;
  const found = (await resolveCommit(gitDir, sha)) === sha;
  if (found) known.add(key);
  return found;
};

/**
 * The file of the position: the first one of the diff that is limited to its paths, and null when its start and head are
 * no commits of this project. The diff goes from start to head by their merge base; the base that was sent is only
 * stored, and says whether the diff is a straight one (GL lib/gitlab/diff/position.rb, diff_refs.rb).
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
 * A text position must be a pair that is exactly a line of the diff, nil included; unchanged lines outside of hunks are
 * unfolded. A file over the limit of a patch has no lines at all (GL doc/administration/diff_limits.md). A position on a
 * whole file has no line code and nothing is looked up for it.
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

/** Whether anybody can see a note on a whole file: the forge does not ask. */
export const isChangedFile = async (mr: SimMergeRequest, position: SimPosition): Promise<boolean> =>
  (await fileAt(mr.project.gitDir, position)) !== null;

/**
 * Of a position in the newest version, once its note is saved: whether the diff that the merge request stores has such a
 * line. It is the diff of all files, so a file that is paired there as renamed is none that was added
 * (GL app/models/diff_note.rb `create_diff_file`).
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
