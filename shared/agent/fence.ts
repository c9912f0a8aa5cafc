/** Untrusted text for the model: between lines that carry the conversation's random boundary. */
import { dataFence } from '../text/data-fence.ts';
import { showHidden } from '../text/visible.ts';

/**
 * Total: a text that holds the boundary was written by somebody who has seen this conversation, so by the model; the
 * boundary is taken out of it, and nothing else.
 */
export const fence = (label: string, text: string, boundary: string): string => {
  const fenced = dataFence(label, text, boundary);
  if (fenced.kind === 'fenced') return fenced.block;
  // Made visible first: hidden characters inside a boundary then break it for good.
  const harmless = showHidden(text).replaceAll(new RegExp(boundary, 'gi'), '[boundary]');
  const again = dataFence(label, harmless, boundary);
  return again.kind === 'fenced' ? again.block : harmless;
};
