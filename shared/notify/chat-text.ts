/**
 * The escaping that all chat formats need: project names are untrusted text, and many characters have a special meaning
 * in chats.
 */
import { BREAK } from '../text/break-points.ts';
import { cutPoint } from '../text/cut.ts';
import { showHidden } from '../text/visible.ts';

const MAX_LENGTH = 400;
const MAX_TARGET = 1_000;

/** Returns one line of limited length, without invisible characters and without backticks: a code span could hide other text. */
export const oneLine = (text: string): string => {
  const line = showHidden(text)
    .replace(/[\t\n]+/g, ' ')
    .replaceAll('`', "'");
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, cutPoint(line, MAX_LENGTH))}…`;
};

/**
 * Breaks mentions after "@" (`@channel`, `@here`, `@all`, `@room`, a name), and Slack's mentions and links after "<".
 * Breaks automatic links at "://" and at the dots of host names, and entities after "&".
 */
export const breakMarks = (text: string): string =>
  text.replace(/[@<&#~]|:(?=\/\/)|\.(?=\p{L})/gu, (mark) => `${mark}${BREAK}`);

/** Returns a URL that is safe in every link format, or null when the URL is not a web address or is very long. */
export const linkTarget = (url: string | null): string | null => {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, username, password, href } = new URL(url);
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '' || password !== '') return null;
  const target = href.replace(/[^A-Za-z0-9\-._/:?#=%+,;[\]]/g, (character) =>
    [...Buffer.from(character, 'utf8')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
  return target.length <= MAX_TARGET ? target : null;
};
