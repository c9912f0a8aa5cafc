/** Fences untrusted text for the model between lines that carry the conversation's random boundary. */
import { dataFence } from '../text/data-fence.ts';
import { showHidden } from '../text/visible.ts';

/** Never fails. If the text contains the boundary, it was copied from this conversation, and the boundary is replaced. */
export const fence = (label: string, text: string, boundary: string): string => {
  const fenced = dataFence(label, text, boundary);
  if (fenced.kind === 'fenced') return fenced.block;
  // Hidden characters are made visible first; otherwise removing them later could restore the boundary.
  const harmless = showHidden(text).replaceAll(new RegExp(boundary, 'gi'), '[boundary]');
  const again = dataFence(label, harmless, boundary);
  return again.kind === 'fenced' ? again.block : harmless;
};
