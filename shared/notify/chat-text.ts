/** What the chat formats share: strangers choose the names of projects, and a chat gives meaning to many characters. */
import { BREAK } from '../text/break-points.ts';
import { cutPoint } from '../text/cut.ts';
import { showHidden } from '../text/visible.ts';

const MAX_LENGTH = 400;
const MAX_TARGET = 1_000;

/** One bounded line without characters that nobody sees, and without code spans, which could swallow what follows. */
export const oneLine = (text: string): string => {
  const line = showHidden(text)
    .replace(/[\t\n]+/g, ' ')
    .replaceAll('`', "'");
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, cutPoint(line, MAX_LENGTH))}…`;
};

/**
 * After an "@" no mention begins any more (`@channel`, `@here`, `@all`, `@room`, a name), after "<" no mention and no link
 * of Slack's, after "://" and between the parts of a host name nothing becomes a link by itself, after "&" no entity.
 */
export const breakMarks = (text: string): string =>
  text.replace(/[@<&#~]|:(?=\/\/)|\.(?=\p{L})/gu, (mark) => `${mark}${BREAK}`);

/** Safe in every format of a link; null when it is no web address, or a very long one. */
export const linkTarget = (url: string | null): string | null => {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, username, password, href } = new URL(url);
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '' || password !== '') return null;
  const target = href.replace(/[^A-Za-z0-9\-._/:?#=%+,;[\]]/g, (character) =>
    [...Buffer.from(character, 'utf8')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
  return target.length <= MAX_TARGET ? target : null;
};
