/** Fences untrusted text for the model between lines that carry the conversation's boundary. */
import { dataFence } from '../text/data-fence.ts';
import { withoutBoundary } from './boundary.ts';

/** Contract: the label is a constant in code, and the boundary is from `boundary.ts`. The boundary in the text is replaced. */
export const fence = (label: string, text: string, boundary: string): string => {
  const fenced = dataFence(label, withoutBoundary(text, boundary), boundary);
  if (fenced.kind === 'refused') throw new TypeError(`the text cannot be fenced: ${fenced.reason}`);
  return fenced.block;
};
