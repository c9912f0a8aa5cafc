/** Parses the name of a change request as a person typed it. Nothing is looked up here. */
import { factsOf, ForgeKind } from '../../../shared/forge/kinds/forge-kind.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type Address =
  /** `path` is everything between host and number, so it may begin with the sub-path of the forge. */
  | {
      readonly kind: 'web';
      /** The kinds of forges that have such an address. */
      readonly kinds: readonly ForgeKind[];
      readonly origin: string;
      readonly path: readonly string[];
      readonly number: number;
    }
  /** An address without a forge, which the caller already knows. */
  | { readonly kind: 'named'; readonly path: readonly string[]; readonly number: number }
  | { readonly kind: 'configured'; readonly forge: string; readonly projectId: number; readonly number: number };

const WEB_FORMS = ForgeKind.options.map((kind) => {
  const { nestedGroups, changeRequestPath } = factsOf(kind);
  return `https://HOST/${nestedGroups ? 'GROUP/PROJECT' : 'OWNER/REPO'}${changeRequestPath}N`;
});

export const ADDRESS_FORMS = [...new Set(WEB_FORMS), 'OWNER/REPO#N', 'FORGE/PROJECT_ID/N'].join(', ');

const refuse = (reason: string): UsageError => new UsageError(`${reason}; expected ${ADDRESS_FORMS}`);

const MAX_LENGTH = 2_000;
const NUMBER = /^[1-9]\d{0,9}$/;
/** The largest number that every forge parses. */
const MAX_NUMBER = 2_147_483_647;
const SEGMENT = /^[A-Za-z0-9_.-]{1,255}$/;
const NAMED = /^([^#!\s]+)[#!]([1-9]\d{0,9})$/;
const CONFIGURED = /^([a-z0-9][a-z0-9-]{0,31})\/([1-9]\d{0,14})\/([1-9]\d{0,9})$/;

/** @throws UsageError with one sentence */
export const parseAddress = (text: string): Address => {
  if (text.length > MAX_LENGTH) throw refuse('this address is too long');
  if (/^https?:\/\//i.test(text)) return parseWeb(text);
  const [, named, number] = NAMED.exec(text) ?? [];
  if (named !== undefined && number !== undefined) {
    const path = named.split('/');
    if (path.length >= 2 && path.every(isName)) return { kind: 'named', path, number: parseNumber(number) };
  }
  const [, forge, projectId, own] = CONFIGURED.exec(text) ?? [];
  if (forge !== undefined && own !== undefined)
    return { kind: 'configured', forge, projectId: Number(projectId), number: parseNumber(own) };
  throw refuse(`"${text}" names no change request`);
};

const isName = (segment: string): boolean => SEGMENT.test(segment) && segment !== '.' && segment !== '..';

const parseNumber = (text: string): number => {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (number <= MAX_NUMBER) return number;
  throw refuse(`"${text}" is not the number of a change request`);
};

const parseWeb = (text: string): Address => {
  if (!URL.canParse(text)) throw refuse('this is not a URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw new UsageError('the URL contains a user name or a password: remove it, and set the token in the environment');
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const { origin } = url;
  const at = segments.findLastIndex(
    (segment, index) => index > 0 && NUMBER.test(segments[index + 1] ?? '') && kindsOf(segment).length > 0,
  );
  const kinds = kindsOf(segments[at] ?? '');
  if (kinds.length === 0) throw otherPage(segments);
  const path = segments.slice(0, at).filter((segment, index, all) => !(segment === '-' && index === all.length - 1));
  if (path.length < 2 || !path.every(isName)) throw refuse('this URL names no project');
  return { kind: 'web', kinds, origin, path, number: parseNumber(segments[at + 1] ?? '') };
};

/** The kinds that have this segment before the number of a change request. */
const kindsOf = (segment: string): readonly ForgeKind[] =>
  ForgeKind.options.filter((kind) => factsOf(kind).changeRequestPath.endsWith(`/${segment}/`));

const otherPage = (segments: readonly string[]): UsageError => {
  if (segments.includes('pull')) return new UsageError('this is a GitHub URL, and Fixpoint does not support GitHub');
  if (segments.includes('issues') || segments.includes('work_items')) return refuse('this is the URL of an issue');
  return refuse('this is not the URL of a change request');
};
