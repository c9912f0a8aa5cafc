import type { GitSource } from '../../forge/port-facts.ts';
import { isLoopback } from '../../loopback.ts';
import { gitError, type Protocol } from './git.ts';

export type RemoteSource = {
  readonly url: string;
  readonly protocol: Protocol;
  readonly headRef: string;
  readonly number: string;
  /** The source branch of the head; null when it is unknown. */
  readonly branch: { readonly url: string; readonly ref: string } | null;
};

const HEAD_REF = /^refs\/(?:pull|merge-requests)\/([1-9]\d{0,15})\/head$/;
const MAX_URL_CHARACTERS = 2000;

const refuse = (reason: string) => gitError('GIT_REFUSED', `the git source is refused: ${reason}`, 'fail');

/** Control characters, spaces and backslashes, which a correct URL never contains unescaped. */
const ODD_CHARACTERS = /[\p{Cc}\p{Cf}\s\\]/u;

const parseUrl = (text: string): URL => {
  if (text.length > MAX_URL_CHARACTERS || ODD_CHARACTERS.test(text)) throw refuse('the URL has invalid characters');
  if (!/^(?:https?|file):\/\//.test(text)) throw refuse('the scheme is not https');
  try {
    return new URL(text);
  } catch (cause) {
    throw gitError('GIT_REFUSED', 'the git source is refused: the URL cannot be parsed', 'fail', cause);
  }
};

const protocolOf = (url: URL, allowed: readonly Protocol[]): Protocol => {
  if (url.protocol === 'https:') return 'https';
  if (url.protocol === 'http:' && (allowed.includes('http') || isLoopback(url.hostname))) return 'http';
  if (url.protocol === 'file:' && url.hostname === '' && allowed.includes('file')) return 'file';
  throw refuse('the scheme is not allowed');
};

/** https://git-scm.com/docs/git-check-ref-format, and names with a leading dash. Only ASCII spaces and controls are forbidden. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids them
const BAD_BRANCH = /^[-/]|\.\.|\/\/|@\{|(?:^|\/)\.|\.lock(?:\/|$)|[/.]$|[\0-\x20\x7f~^:?*[\\]/;
/** git has no limit, but a ref becomes a path, for which systems have one. */
const MAX_BRANCH_BYTES = 4000;

const isBranchName = (name: string): boolean =>
  name !== '' && name !== '@' && Buffer.byteLength(name) <= MAX_BRANCH_BYTES && !BAD_BRANCH.test(name);

export const parseBranch = (branch: string): string => {
  if (!isBranchName(branch)) throw refuse('the target branch has no valid name');
  return branch;
};

/** The rules for the URL of a source; see `parseGitSource`. */
export const parseGitUrl = (text: string, allowed: readonly Protocol[]): Pick<RemoteSource, 'url' | 'protocol'> => {
  const url = parseUrl(text);
  const protocol = protocolOf(url, allowed);
  if (url.username !== '' || url.password !== '') throw refuse('the URL contains a credential');
  if (url.search !== '' || url.hash !== '') throw refuse('the URL has a query or fragment');
  if (/(?:^|\/)(?:\.|%2e){2}(?:\/|$)|\/-(?:\/|$)/i.test(text)) throw refuse('the URL has an invalid path');
  return { url: url.href, protocol };
};

/**
 * Validates a fetch source before git sees it. `https` is always allowed; `http` on loopback or when the operator allows
 * it; `file` only when the caller allows it. User information, query, fragment and `..` in the path are refused.
 */
export const parseGitSource = (source: GitSource, allowed: readonly Protocol[]): RemoteSource => {
  const { url: href, protocol } = parseGitUrl(source.url, allowed);
  const url = new URL(href);
  const number = HEAD_REF.exec(source.headRef)?.[1];
  if (number === undefined) throw refuse('the ref is not one of a change request');
  return { url: url.href, protocol, headRef: source.headRef, number, branch: branchOf(source, url) };
};

/** Returns null for an invalid branch, and for a branch on another server, which must not get the credential. Never throws. */
const branchOf = ({ branch = null }: GitSource, { origin }: URL): RemoteSource['branch'] => {
  if (branch === null || !isBranchName(branch.name) || ODD_CHARACTERS.test(branch.url)) return null;
  const url = URL.canParse(branch.url) ? new URL(branch.url) : null;
  const isSame = url !== null && url.origin === origin && url.username === '' && url.search === '' && url.hash === '';
  return isSame ? { url: url.href, ref: `refs/heads/${branch.name}` } : null;
};
