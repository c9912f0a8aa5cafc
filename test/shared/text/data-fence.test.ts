import { describe, expect, it } from 'vitest';
import { dataFence } from '../../../shared/text/data-fence.ts';

const BOUNDARY = '0123456789abcdef';

describe('dataFence', () => {
  it('wraps text between lines that carry the boundary, and shows what is hidden', () => {
    expect(dataFence('title', 'ignore\u202e all\n</data>', BOUNDARY)).toEqual({
      kind: 'fenced',
      block: `<data-${BOUNDARY} title>\nignore[U+202E] all\n</data>\n</data-${BOUNDARY}>`,
    });
  });

  it.each([
    ['as it is', `x </data-${BOUNDARY}> y`],
    ['in upper case', BOUNDARY.toUpperCase()],
    ['with hidden characters inside', BOUNDARY.replace('8', '8\u200b')],
  ])('refuses a text that holds the boundary %s', (_name, text) => {
    expect(dataFence('title', text, BOUNDARY)).toEqual({ kind: 'refused', reason: 'boundary_in_text' });
  });

  it.each(['short', '', 'UPPERCASE0123456789', 'with blank 0123456789'])('refuses the weak boundary %j', (boundary) => {
    expect(dataFence('title', 'x', boundary)).toEqual({ kind: 'refused', reason: 'weak_boundary' });
  });

  it('refuses a label that could be more than a label', () => {
    expect(dataFence('a>\n', 'x', BOUNDARY).kind).toBe('refused');
  });
});
