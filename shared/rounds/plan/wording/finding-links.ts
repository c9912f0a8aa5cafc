/**
 * Links to the threads of findings. Plans do not know the addresses, because the poster creates the threads. The poster
 * then replaces the link targets that are written here.
 */
import { escapePipes } from '../../../text/table-cell.ts';
import type { FindingId } from '../../../vocabulary/ids.ts';

/** A line contains at most one such link, as its first link. `title` must have balanced brackets. */
export const findingLink = (title: string, id: FindingId): string => `[${title}](#${id})`;

const TARGET = /\]\(#(F-\d{3,6})\)/;

/** If the address of a thread is unknown, the link to it becomes plain text. */
export const resolveFindingLinks = (text: string, urls: ReadonlyMap<string, string>): string =>
  text
    .split('\n')
    .map((line) => resolveInLine(line, urls))
    .join('\n');

const resolveInLine = (line: string, urls: ReadonlyMap<string, string>): string => {
  const target = TARGET.exec(line);
  const begin = line.indexOf('[');
  if (target === null || begin < 0 || begin >= target.index) return line;
  const url = urls.get(target[1] ?? '');
  const title = line.slice(begin + 1, target.index);
  const after = line.slice(target.index + target[0].length);
  return `${line.slice(0, begin)}${url === undefined ? title : `[${title}](${url})`}${after}`;
};

/** True if a posted text lacks an address to which the planned text links. */
export const lacksFindingLinks = (posted: string, planned: string, urls: ReadonlyMap<string, string>): boolean =>
  planned.split('\n').some((line) => {
    const url = urls.get(TARGET.exec(line)?.[1] ?? '');
    return url !== undefined && !posted.includes(url);
  });

const isBalanced = (text: string): boolean => {
  let depth = 0;
  for (const character of text) {
    if (character === '[') depth += 1;
    else if (character === ']') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
};

const isPaired = (text: string): boolean => !text.includes('``') && text.split('`').length % 2 === 1;

/** Removes escapes of brackets, and breaks links: both would end the link around the title. In code they have no effect. */
const linkable = (prose: string): string =>
  prose.replaceAll(/\\([^]?)/g, (found, next: string) => ('[]'.includes(next) ? next : found)).replaceAll('](', '] (');

/** Puts a title on one line, for a list or a table. It keeps code spans if that is safe. */
export const oneLineTitle = (title: string): string => {
  const line = title.replaceAll(/\s+/g, ' ').trim();
  const paired = isPaired(line) ? line : line.replaceAll('`', "'");
  const pieces = paired.split('`').map((piece, index) => (index % 2 === 1 ? piece : linkable(piece)));
  const spans = pieces.join('`').replaceAll('](#', '] (#');
  const brackets = isBalanced(spans) ? spans : spans.replaceAll('[', '(').replaceAll(']', ')');
  return escapePipes(brackets);
};
