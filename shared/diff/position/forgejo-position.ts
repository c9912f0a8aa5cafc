import type { Position, PositionLine } from './position.ts';

/**
 * A review comment of `POST /repos/{owner}/{repo}/pulls/{index}/reviews`. The numbers are lines of the files, not
 * offsets in the diff; an `old_position` above 0 wins, so the other one is 0.
 */
export type ForgejoLines = {
  readonly path: string;
  readonly old_position: number;
  readonly new_position: number;
  /** How many lines follow the first one; from Forgejo 16 on. */
  readonly extra_lines_count?: number;
};

export type ForgejoOptions = {
  /** Without it the comment hangs on the last line of the range. */
  readonly supportsRanges: boolean;
};

export const toForgejoLines = (position: Position, { supportsRanges }: ForgejoOptions): ForgejoLines => {
  const onOld = isOnOldSide(position);
  const start = numberOf(position.start, onOld);
  const end = numberOf(position.end, onOld);
  const ranged = supportsRanges && start !== null && end !== null && end > start;
  const line = (ranged ? start : end) ?? 0;
  return {
    // A removed line is blamed at the merge base, where a renamed file still has its old name; a path that cannot be
    // blamed there fails the whole review. The price: the forge's diff page files comments under the new name only.
    path: onOld ? position.oldPath : position.newPath,
    old_position: onOld ? line : 0,
    new_position: onOld ? 0 : line,
    ...(ranged ? { extra_lines_count: end - start } : {}),
  };
};

const numberOf = (line: PositionLine, onOld: boolean): number | null => (onOld ? line.oldLine : line.newLine);

/** A single unchanged line goes to the new side: the forge blames that file at the head, where its path is right. */
const isOnOldSide = ({ side, start, end }: Position): boolean =>
  side === 'old' && !(end.kind === 'context' && start.newLine === end.newLine);
