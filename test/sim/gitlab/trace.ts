/**
 * Moves a diff note from its version to the newest one, or marks it as outdated
 * (GL lib/gitlab/diff/position_tracer/line_strategy.rb).
 */
import { type DiffFile, diffFiles } from './diffs.ts';
import type { DiffRefs } from './mr-facts.ts';
import { lineCodeOf } from './positions.ts';
import type { SimPosition } from './world.ts';

type Mapped = { readonly path: string; readonly line: number };

/** Maps a line of one commit to another; null when it was deleted. An unchanged file keeps its lines. */
const follow = (files: readonly DiffFile[], from: Mapped): Mapped | null => {
  const file = files.find((candidate) => candidate.oldPath === from.path && candidate.kind !== 'added');
  if (file === undefined) return from;
  const line = file.lines.find((candidate) => candidate.mark !== '+' && candidate.old === from.line);
  // A rename without changes has no lines.
  if (line === undefined) return file.lines.length === 0 ? { path: file.newPath, line: from.line } : null;
  return line.mark === ' ' ? { path: file.newPath, line: line.new } : null;
};

export type Traced =
  | { readonly kind: 'moved'; readonly position: SimPosition; readonly lineCode: string | null }
  | { readonly kind: 'outdated' };

const outdated: Traced = { kind: 'outdated' };

type Wanted = { readonly side: 'old' | 'new'; readonly at: Mapped };

const inNewest = (position: SimPosition, refs: DiffRefs, files: readonly DiffFile[], wanted: Wanted): Traced => {
  const { side, at } = wanted;
  const file = files.find((candidate) => (side === 'new' ? candidate.newPath : candidate.oldPath) === at.path);
  const hidden = side === 'new' ? '-' : '+';
  const line = file?.lines.find((candidate) => candidate.mark !== hidden && candidate[side] === at.line);
  if (file === undefined || line === undefined) return outdated;
  // A removed line that was restored is not searched on the new side.
  if (side === 'old' && line.mark !== '-') return outdated;
  const moved: SimPosition = {
    ...position,
    ...refs,
    old_path: file.oldPath,
    new_path: file.newPath,
    old_line: line.mark === '+' ? null : line.old,
    new_line: line.mark === '-' ? null : line.new,
  };
  return { kind: 'moved', position: moved, lineCode: lineCodeOf(file.newPath, line) };
};

export const tracePosition = async (gitDir: string, position: SimPosition, refs: DiffRefs): Promise<Traced> => {
  if (position.position_type !== 'text') return traceFile(gitDir, position, refs);
  const newest = await diffFiles(gitDir, refs.base_sha, refs.head_sha);
  if (position.new_line !== null) {
    const heads = await diffFiles(gitDir, position.head_sha, refs.head_sha);
    const at = follow(heads, { path: position.new_path ?? '', line: position.new_line });
    return at === null ? outdated : inNewest(position, refs, newest, { side: 'new', at });
  }
  const bases = await diffFiles(gitDir, position.base_sha, refs.base_sha);
  const at = follow(bases, { path: position.old_path ?? '', line: position.old_line ?? 0 });
  return at === null ? outdated : inNewest(position, refs, newest, { side: 'old', at });
};

const traceFile = async (gitDir: string, position: SimPosition, refs: DiffRefs): Promise<Traced> => {
  const newest = await diffFiles(gitDir, refs.base_sha, refs.head_sha);
  const file = newest.find((candidate) => candidate.newPath === position.new_path);
  if (file === undefined) return outdated;
  const moved = { ...position, ...refs, old_path: file.oldPath, new_path: file.newPath };
  return { kind: 'moved', position: moved, lineCode: null };
};
