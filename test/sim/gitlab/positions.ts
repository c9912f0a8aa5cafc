/** Where a diff note may hang (GL lib/gitlab/diff/file.rb, position.rb, app/models/diff_note.rb; forges.md 3.3). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { resolveCommit } from '../forgejo/git.ts';
import { type DiffFile, diffFiles, lineAt } from './diffs.ts';
import { flag, optionalInteger, optionalText } from './parameters.ts';
import type { SimMergeRequest, SimPosition } from './world.ts';

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

/** Both paths are needed, as the diff has them: the same one twice for a new file, old and new for a rename. */
const fileAt = (files: readonly DiffFile[], position: SimPosition): DiffFile | undefined =>
  files.find((file) => file.oldPath === position.old_path && file.newPath === position.new_path);

const known = new Set<string>();

/** Full names of commits only. Nothing is ever collected from a simulated repository: once there, always there. */
const isCommit = async (gitDir: string, sha: string): Promise<boolean> => {
  const key = `${gitDir}\0${sha}`;
  if (known.has(key)) return true;
  const found = (await resolveCommit(gitDir, sha)) === sha;
  if (found) known.add(key);
  return found;
};

/** The diff between the commits that the position names; null when they are not commits of this project. */
const diffOf = async (gitDir: string, position: SimPosition): Promise<readonly DiffFile[] | null> => {
  for (const sha of [position.base_sha, position.start_sha, position.head_sha])
    if (!(await isCommit(gitDir, sha))) return null;
  return diffFiles(gitDir, position.base_sha, position.head_sha);
};

export type Placed =
  | { readonly kind: 'placed'; readonly lineCode: string | null }
  | { readonly kind: 'refused'; readonly errors: Readonly<Record<string, readonly string[]>> };

const noLineCode: Placed = {
  kind: 'refused',
  errors: { line_code: ["can't be blank", 'must be a valid line code'] },
};

/**
 * A text position must be a pair that is exactly a line of the diff, nil included; unchanged lines outside of hunks are
 * unfolded. A position on a whole file has no line code and nothing is looked up for it.
 */
export const placeNote = async (mr: SimMergeRequest, position: SimPosition): Promise<Placed> => {
  if (mr.versions.length === 0)
    return { kind: 'refused', errors: { noteable: ["doesn't support new-style diff notes"] } };
  if (position.position_type !== 'text') return { kind: 'placed', lineCode: null };
  const files = await diffOf(mr.project.gitDir, position);
  const file = files === null ? undefined : fileAt(files, position);
  const line =
    file === undefined ? undefined : lineAt(file, { oldLine: position.old_line, newLine: position.new_line });
  if (file === undefined || line === undefined) return noLineCode;
  return { kind: 'placed', lineCode: lineCodeOf(file.newPath === '' ? file.oldPath : file.newPath, line) };
};

/** Whether anybody can see a note on a whole file: the forge does not ask. */
export const isChangedFile = async (mr: SimMergeRequest, position: SimPosition): Promise<boolean> => {
  const files = await diffOf(mr.project.gitDir, position);
  return files !== null && fileAt(files, position) !== undefined;
};
