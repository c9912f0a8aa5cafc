import { type ForgejoLines, toForgejoLines } from '../../diff/position/forgejo-position.ts';
import type { OutgoingInline } from '../port.ts';

export type InlineBody = ForgejoLines & { readonly body: string };

/**
 * One inline comment as `POST pulls/{n}/reviews` takes it. Null for a position that names no line of its own side: the
 * forge would take it for line 0 and fail in the middle of the review.
 */
export const toInlineBody = ({ position, body }: OutgoingInline, supportsRanges: boolean): InlineBody | null => {
  const lines = toForgejoLines(position, { supportsRanges });
  if (lines.old_position === 0 && lines.new_position === 0) return null;
  return { ...lines, body };
};
