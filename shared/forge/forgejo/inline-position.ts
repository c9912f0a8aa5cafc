import type { Position } from '../../diff/position.ts';
import type { OutgoingInline } from '../port.ts';

/** One inline comment in the words of `POST pulls/{n}/reviews`: line numbers in the file, not offsets in the diff. */
export type InlineBody = {
  readonly path: string;
  readonly body: string;
  readonly new_position: number;
  readonly old_position: number;
  readonly extra_lines_count?: number;
};

type Span = { readonly first: number; readonly last: number };

const spanOf = ({ side, start, end }: Position): Span | null => {
  const first = side === 'new' ? start.newLine : start.oldLine;
  const last = side === 'new' ? end.newLine : end.oldLine;
  return first === null || last === null || first > last ? null : { first, last };
};

/**
 * Null for a position that names no line of its own side: the forge would take it for line 0 and fail in the middle of
 * the review. Where the forge has no ranges the comment hangs on the last line.
 */
export const toInlineBody = ({ position, body }: OutgoingInline, ranges: boolean): InlineBody | null => {
  const span = spanOf(position);
  if (span === null) return null;
  const line = ranges ? span.first : span.last;
  const extra = ranges && span.last > span.first ? { extra_lines_count: span.last - span.first } : {};
  const onNew = position.side === 'new';
  return {
    path: onNew ? position.newPath : position.oldPath,
    body,
    new_position: onNew ? line : 0,
    old_position: onNew ? 0 : line,
    ...extra,
  };
};
