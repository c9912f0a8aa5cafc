import { dropHidden, showHidden } from './visible.ts';

export type DataFence =
  | { readonly kind: 'fenced'; readonly block: string }
  /** The boundary is weak, or occurs in the text. */
  | { readonly kind: 'refused'; readonly reason: 'weak_boundary' | 'boundary_in_text' };

const BOUNDARY = /^[0-9a-z]{16,64}$/;
const LABEL = /^[a-z][a-z0-9_-]{0,40}$/;

/**
 * This is only an additional defence, because a model may ignore the boundary.
 * @param label what the text is (`title`, `diff`, …); always a constant in code.
 * @param boundary 16 to 64 lower-case letters and digits that nobody can predict.
 */
export const dataFence = (label: string, text: string, boundary: string): DataFence => {
  if (!BOUNDARY.test(boundary) || !LABEL.test(label)) return { kind: 'refused', reason: 'weak_boundary' };
  if (dropHidden(text).toLowerCase().includes(boundary)) return { kind: 'refused', reason: 'boundary_in_text' };
  return { kind: 'fenced', block: `<data-${boundary} ${label}>\n${showHidden(text)}\n</data-${boundary}>` };
};
