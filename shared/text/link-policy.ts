import { BREAK } from './break-points.ts';
import { dropEnd } from './drop-end.ts';

/**
 * The only live links lead to the configured forge, without a query (which could carry data or an action), and not to
 * an issue or change request: a forge records those as references, and closing words act on them.
 */
export const isOwnLink = (url: string, forgeBaseUrl: string): boolean =>
  url.startsWith(`${forgeBaseUrl.replace(/\/+$/, '')}/`) &&
  /^https?:\/\/[A-Za-z0-9\-._~/#:%+=,]{1,2000}$/.test(url) &&
  !/\/(?:issues|pulls|merge_requests|work_items|epics|incidents)\b|#\d/i.test(url) &&
  // What GitLab makes a reference of, except files at a commit.
  !/\/-\/(?!blob\/|tree\/|raw\/|blame\/)/i.test(url) &&
  !/\/commit\/[0-9a-f]{7,64}$/i.test(url);

const WITHIN = String.raw`[^\s<>\`|"'()[\]\\$]*`;
/**
 * Addresses as any renderer would find them: with a scheme, `www.`, mail. The scheme and the mailbox are bounded, so
 * that a long word costs no more than its length.
 */
const ADDRESS = new RegExp(
  [
    String.raw`[a-z][a-z0-9+.-]{0,15}:\/\/${WITHIN}`,
    String.raw`www\.${WITHIN}`,
    String.raw`[\w.+-]{1,64}@[\w-]{1,63}\.${WITHIN}`,
  ].join('|'),
  'gi',
);
const PUNCTUATION = '.,;:!?*_~';

const withoutPunctuation = (found: string): string => dropEnd(found, (character) => PUNCTUATION.includes(character));

const breakAddress = (url: string): string =>
  url.replace(/:(?=\/\/)/g, `:${BREAK}`).replace(/w(?=ww(?:\.|$))/gi, (w) => `${w}${BREAK}`);

/**
 * Renderers let an address run on to the next white space, over backticks too, and would then pair the rest of the
 * line's backticks otherwise than we do: so a live one must end where it seems to end.
 */
const ENDS = /[.,;:!?)*_~]{0,4}(?=\s|$)/y;

const endsAt = (text: string, at: number, beforeCode: boolean): boolean => {
  ENDS.lastIndex = at;
  const tail = ENDS.exec(text);
  return tail !== null && !(beforeCode && at + tail[0].length === text.length);
};

/** A piece of prose, and whether a code span follows it at once. */
export type Prose = { readonly text: string; readonly beforeCode: boolean };

const OWN_TARGET = /\]\((https?:\/\/[^\s()<>]{1,2000})\)/y;

/** Links, images and definitions: `](` survives only in front of an address of the forge itself. */
export const breakLinks = ({ text, beforeCode }: Prose, forgeBaseUrl: string): string =>
  text.replace(/\]\(/g, (found, at: number) => {
    OWN_TARGET.lastIndex = at;
    const [whole = '', url = ''] = OWN_TARGET.exec(text) ?? [];
    // From the bracket on, as `splitAddresses` judges the address: a link that it would take apart is broken here.
    return isOwnLink(url, forgeBaseUrl) && endsAt(text, at + whole.length - 1, beforeCode) ? found : `]${BREAK}(`;
  });

/** Alternating pieces of a prose text: plain text, and addresses with what may be done about them. */
export type ProsePiece = { readonly kind: 'plain' | 'own_link' | 'foreign_address'; readonly text: string };

export const splitAddresses = ({ text, beforeCode }: Prose, forgeBaseUrl: string): readonly ProsePiece[] => {
  const pieces: ProsePiece[] = [];
  let done = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const url = withoutPunctuation(match[0]);
    const end = match.index + url.length;
    const own = isOwnLink(url, forgeBaseUrl) && endsAt(text, end, beforeCode);
    pieces.push({ kind: 'plain', text: text.slice(done, match.index) });
    pieces.push({ kind: own ? 'own_link' : 'foreign_address', text: url });
    done = end;
  }
  pieces.push({ kind: 'plain', text: text.slice(done) });
  return pieces;
};

/** For places where a code span is not safe (table cells): the address loses its life but stays as it is. */
export const breakIfAddress = ({ kind, text }: ProsePiece): string =>
  kind === 'foreign_address' ? breakAddress(text) : text;
