import { BREAK } from './break-points.ts';

/**
 * The only live links lead to the configured forge, without a query (which could carry data or an action), and not to
 * an issue or change request: a forge records those as references, and closing words act on them.
 */
export const isOwnLink = (url: string, forgeBaseUrl: string): boolean =>
  url.startsWith(`${forgeBaseUrl.replace(/\/+$/, '')}/`) &&
  /^https?:\/\/[A-Za-z0-9\-._~/#:%+=,]{1,2000}$/.test(url) &&
  !/\/(?:issues|pulls|merge_requests|work_items|epics|incidents)\b/i.test(url);

/** An address as any renderer would find it. The scheme is bounded, so that a long word costs no more than its length. */
const ADDRESS = /[a-z][a-z0-9+.-]{0,15}:\/\/[^\s<>`|"'()[\]\\$]*|(?<![a-z0-9])www\.[^\s<>`|"'()[\]\\$]*/gi;
const PUNCTUATION = '.,;:!?*_~';

/** A loop, because a pattern that ends in `+$` costs the square of a long run of dots. */
const withoutPunctuation = (found: string): string => {
  let end = found.length;
  while (end > 0 && PUNCTUATION.includes(found.charAt(end - 1))) end -= 1;
  return found.slice(0, end);
};

const breakAddress = (url: string): string =>
  url.replace(/:(?=\/\/)/g, `:${BREAK}`).replace(/^w(?=ww\.)/i, (w) => `${w}${BREAK}`);

/** Alternating pieces of a prose text: plain text, and addresses with what may be done about them. */
export type ProsePiece = { readonly kind: 'plain' | 'own_link' | 'foreign_address'; readonly text: string };

export const splitAddresses = (text: string, forgeBaseUrl: string): readonly ProsePiece[] => {
  const pieces: ProsePiece[] = [];
  let done = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const url = withoutPunctuation(match[0]);
    pieces.push({ kind: 'plain', text: text.slice(done, match.index) });
    pieces.push({ kind: isOwnLink(url, forgeBaseUrl) ? 'own_link' : 'foreign_address', text: url });
    done = match.index + url.length;
  }
  pieces.push({ kind: 'plain', text: text.slice(done) });
  return pieces;
};

/** For places where a code span is not safe (table cells): the address loses its life but stays as it is. */
export const breakAddresses = (text: string, forgeBaseUrl: string): string =>
  splitAddresses(text, forgeBaseUrl)
    .map((piece) => (piece.kind === 'foreign_address' ? breakAddress(piece.text) : piece.text))
    .join('');
