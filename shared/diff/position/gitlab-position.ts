import { createHash } from 'node:crypto';
import type { Position, PositionLine } from './position.ts';

/** The lines of a text position, as in GitLab's REST documentation, "Create a new thread in the merge request diff". */
export type GitlabLines = {
  readonly old_path: string;
  readonly new_path: string;
  readonly old_line?: number;
  readonly new_line?: number;
  readonly line_range?: { readonly start: GitlabRangeEnd; readonly end: GitlabRangeEnd };
};

export type GitlabRangeEnd = {
  readonly line_code: string;
  /** The type of the line; null for a context line. */
  readonly type: 'new' | 'old' | null;
  readonly old_line: number | null;
  readonly new_line: number | null;
};

/**
 * Returns `sha1(path)_old_new` with the running counters of both sides, computed from the new path as in GitLab. GitLab
 * stores the code without checking it, and shows a comment with a wrong code in the wrong place.
 */
export const gitlabLineCode = (path: string, line: PositionLine): string =>
  `${createHash('sha1').update(path).digest('hex')}_${line.lineCodeOld}_${line.lineCodeNew}`;

const TYPES = { added: 'new', removed: 'old', context: null } as const;

const toRangeEnd = (path: string, line: PositionLine): GitlabRangeEnd => ({
  line_code: gitlabLineCode(path, line),
  type: TYPES[line.kind],
  old_line: line.oldLine,
  new_line: line.newLine,
});

/**
 * An added line needs only its new number, a removed line only its old number, and a context line both. GitLab refuses any
 * other combination ("line_code must be a valid line code"). GitLab shows the note below the last line of a range.
 */
export const toGitlabLines = (position: Position): GitlabLines => {
  const { oldPath, newPath, start, end } = position;
  return {
    old_path: oldPath,
    new_path: newPath,
    ...(end.oldLine === null ? {} : { old_line: end.oldLine }),
    ...(end.newLine === null ? {} : { new_line: end.newLine }),
    ...(isRange(position) ? { line_range: { start: toRangeEnd(newPath, start), end: toRangeEnd(newPath, end) } } : {}),
  };
};

const isRange = ({ start, end }: Position): boolean =>
  start.lineCodeOld !== end.lineCodeOld || start.lineCodeNew !== end.lineCodeNew;
