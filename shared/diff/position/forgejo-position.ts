import type { Position, PositionLine } from './position.ts';

/**
 * A review comment for `POST /repos/{owner}/{repo}/pulls/{index}/reviews`. Its positions are line numbers of the files, not
 * offsets in the diff. An `old_position` above 0 has priority; `new_position` is then 0.
 */
export type ForgejoLines = {
  readonly path: string;
  readonly old_position: number;
  readonly new_position: number;
  /** Number of lines after the first line. Only set for ranges, which Forgejo supports from version 16. */
  readonly extra_lines_count?: number;
};

export type ForgejoOptions = {
  /** If false, the comment is placed on the last line of the range. */
  readonly supportsRanges: boolean;
};

export const toForgejoLines = (position: Position, { supportsRanges }: ForgejoOptions): ForgejoLines => {
  const onOld = isOnOldSide(position);
  const start = numberOf(position.start, onOld);
  const end = numberOf(position.end, onOld);
  const ranged = supportsRanges && start !== null && end !== null && end > start;
  const line = (ranged ? start : end) ?? 0;
  return {
    // The forge blames a removed line at the merge base, where a renamed file still has its old name. If a path cannot be
    // blamed, the whole review fails. Drawback: the forge's diff page shows comments only under the new name.
    path: onOld ? position.oldPath : position.newPath,
    old_position: onOld ? line : 0,
    new_position: onOld ? 0 : line,
    ...(ranged ? { extra_lines_count: end - start } : {}),
  };
};

const numberOf = (line: PositionLine, onOld: boolean): number | null => (onOld ? line.oldLine : line.newLine);

/** A single context line uses the new side, because the forge blames the file at the head, where the new path exists. */
const isOnOldSide = ({ side, start, end }: Position): boolean =>
  side === 'old' && !(end.kind === 'context' && start.newLine === end.newLine);
