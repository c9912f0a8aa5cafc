import { BREAK } from './break-points.ts';
import { dropEnd } from './drop-end.ts';

/** Decides which addresses may be linked. */
export type LinkPolicy = {
  readonly forgeBaseUrl: string;
  /**
   * Address of the change request on which the text is posted; its comments may be linked. If absent, links to comments
   * are not allowed.
   */
  readonly page?: string | undefined;
};

/** A comment on the page itself. A forge records no reference to the page on which a comment is posted. */
const isOnPage = (url: string, page: string | undefined): boolean =>
  page !== undefined &&
  /^https?:\/\/[A-Za-z0-9\-._~/:%+=,]{1,2000}$/.test(page) &&
  url.startsWith(`${page}#`) &&
  /^[a-z][a-z_-]{0,30}\d{1,20}$/i.test(url.slice(page.length + 1));

export const isOwnLink = (url: string, { forgeBaseUrl, page }: LinkPolicy): boolean =>
  isOnPage(url, page) || isForgeLink(url, forgeBaseUrl);

/** Returns the names in the path below the base, as a server reads them. Null if the address is not below the base. */
const namesBelow = (url: string, forgeBaseUrl: string): readonly string[] | null => {
  const base = new URL(`${dropEnd(forgeBaseUrl, (character) => character === '/')}/`);
  const { origin, pathname } = new URL(url, base);
  if (origin !== base.origin || !pathname.startsWith(base.pathname)) return null;
  try {
    return decodeURIComponent(pathname.slice(base.pathname.length)).toLowerCase().split('/').filter(Boolean);
  } catch {
    return null;
  }
};

/**
 * A link must do nothing by itself when a person with permissions follows it. Pages under `/user/` may do something:
 * Gitea signs out on `GET /user/logout` (routers/web/web.go, auth.SignOut). The edit pages do nothing by themselves,
 * whatever the query is: only a POST or PUT from a page of the forge itself writes a file.
 * - GitLab, `/-/edit/` and `/-/new/`: `edit` and `new` render a form (app/controllers/projects/blob_controller.rb);
 *   `file_name`, `file_path`, `content`, `branch_name` and `commit_message` only fill it in; `create` and `update` are
 *   POST and PUT (config/routes/repository.rb).
 * - Forgejo, `/_edit/` and `/_new/`: `editFile` renders a form; `filename` only fills it in
 *   (routers/web/repo/editor.go).
 * - Gitea, the same pages: `EditFile` renders a form, or, for people without write access, a form that offers a fork,
 *   which `POST /_fork/` makes (routers/web/repo/editor_fork.go).
 */
const isHarmless = (url: string, forgeBaseUrl: string): boolean => {
  const names = namesBelow(url, forgeBaseUrl);
  return names !== null && names[0] !== 'user';
};

/**
 * Excludes addresses with a query, because a query could carry data or fill in a form for somebody else. Excludes
 * issues and change requests, because forges record references to them.
 */
const isForgeLink = (url: string, forgeBaseUrl: string): boolean =>
  url.startsWith(`${forgeBaseUrl.replace(/\/+$/, '')}/`) &&
  /^https?:\/\/[A-Za-z0-9\-._~/#:%+=,]{1,2000}$/.test(url) &&
  !/\/(?:issues|pulls|merge_requests|work_items|epics|incidents)\b|#\d/i.test(url) &&
  // GitLab turns these addresses into references, except for those of files and of the pages that edit files.
  !/\/-\/(?!blob\/|tree\/|raw\/|blame\/|edit\/|new\/)/i.test(url) &&
  !/\/commit\/[0-9a-f]{7,64}$/i.test(url) &&
  isHarmless(url, forgeBaseUrl);

const WITHIN = String.raw`[^\s<>\`|"'()[\]\\$]*`;
/** Matches addresses that a renderer could link: with a scheme, `www.`, mail. The bounds keep the time linear. */
const ADDRESS = new RegExp(
  [
    String.raw`[a-z][a-z0-9+.-]{0,15}:\/\/${WITHIN}`,
    String.raw`www\.${WITHIN}`,
    String.raw`[\w.+-]{1,64}@[\w-]{1,63}\.${WITHIN}`,
  ].join('|'),
  'gi',
);
/** Every address contains one of these. Searching a text without any of them for `ADDRESS` takes many times as long. */
const MAY_BE_ADDRESS = /:\/\/|www\.|@/i;
const PUNCTUATION = '.,;:!?*_~';

const withoutPunctuation = (found: string): string => dropEnd(found, (character) => PUNCTUATION.includes(character));

const breakAddress = (url: string): string =>
  url.replace(/:(?=\/\/)/g, `:${BREAK}`).replace(/w(?=ww(?:\.|$))/gi, (w) => `${w}${BREAK}`);

/** A renderer extends an address up to the next white space, even over backticks, so a live link must end there. */
const ENDS = /[.,;:!?)*_~]{0,4}(?=\s|$)/y;

const endsAt = (text: string, at: number, beforeCode: boolean): boolean => {
  ENDS.lastIndex = at;
  const tail = ENDS.exec(text);
  return tail !== null && !(beforeCode && at + tail[0].length === text.length);
};

/** `beforeCode`: a code span follows directly after the text. */
export type Prose = { readonly text: string; readonly beforeCode: boolean };

const OWN_TARGET = /\]\((https?:\/\/[^\s()<>]{1,2000})\)/y;

/** Breaks links, images and definitions: `](` stays only before an address of the forge. */
export const breakLinks = ({ text, beforeCode }: Prose, policy: LinkPolicy): string =>
  text.replace(/\]\(/g, (found, at: number) => {
    OWN_TARGET.lastIndex = at;
    const [whole = '', url = ''] = OWN_TARGET.exec(text) ?? [];
    // The check is the same as in `splitAddresses`, so a link that `splitAddresses` would split is broken here.
    return isOwnLink(url, policy) && endsAt(text, at + whole.length - 1, beforeCode) ? found : `]${BREAK}(`;
  });

export type ProsePiece = { readonly kind: 'plain' | 'own_link' | 'foreign_address'; readonly text: string };

export const splitAddresses = ({ text, beforeCode }: Prose, policy: LinkPolicy): readonly ProsePiece[] => {
  if (!MAY_BE_ADDRESS.test(text)) return [{ kind: 'plain', text }];
  const pieces: ProsePiece[] = [];
  let done = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const url = withoutPunctuation(match[0]);
    const end = match.index + url.length;
    const own = isOwnLink(url, policy) && endsAt(text, end, beforeCode);
    pieces.push({ kind: 'plain', text: text.slice(done, match.index) });
    pieces.push({ kind: own ? 'own_link' : 'foreign_address', text: url });
    done = end;
  }
  pieces.push({ kind: 'plain', text: text.slice(done) });
  return pieces;
};

/** Breaks a link in a table cell, where a code span is not safe, and keeps the address readable. */
export const breakIfAddress = ({ kind, text }: ProsePiece): string =>
  kind === 'foreign_address' ? breakAddress(text) : text;
