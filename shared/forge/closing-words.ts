import { readBlocks } from '../text/blocks.ts';
import { splitCodeSpans } from '../text/code-spans.ts';
import type { ChangeRequestFacts } from './port-facts.ts';
import { MAX_CLOSED_ISSUES } from './port-issues.ts';

type Words = Pick<ChangeRequestFacts, 'title' | 'description'>;

const MAX_CHARACTERS = 50_000;

const textOf = ({ title, description }: Words): string => `${title}\n${description}`.slice(0, MAX_CHARACTERS);

/** The default words of Forgejo and Gitea. A reference to another project (`group/name#7`) does not match. */
const CLOSING = /(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s{1,4}#(\d{1,9})(?![\w/])/giu;

/**
 * Numbers of the issues that the text claims to close, in the order of the text. Forgejo and Gitea read neither code
 * nor comments.
 */
export const closedNumbers = (words: Words): readonly number[] => {
  const text = withoutComments(withoutCode(textOf(words).replaceAll('\r\n', '\n')));
  const numbers = [...text.matchAll(CLOSING)].map(([, number]) => Number(number));
  return [...new Set(numbers)].filter((number) => number > 0).slice(0, MAX_CLOSED_ISSUES);
};

const withoutCode = (text: string): string =>
  readBlocks(text)
    .map((block) => (block.kind === 'code' ? '' : proseOf(block.line)))
    .join('\n');

const proseOf = (line: string): string =>
  splitCodeSpans(line)
    .map(({ kind, text }) => (kind === 'code' ? '``' : text))
    .join('');

/** A comment that is not closed hides the rest of the text. */
const withoutComments = (text: string): string => {
  const [before = '', ...comments] = text.split('<!--');
  return [before, ...comments.map((part) => part.slice(endOf(part)))].join(' ');
};

const endOf = (comment: string): number => {
  const at = comment.indexOf('-->');
  return at === -1 ? comment.length : at + '-->'.length;
};

/** An installation may use other closing words, so this is true for any reference to an issue. */
export const mayCloseIssue = (words: Words): boolean => /#\d|\/(?:issues|work_items)\/\d/.test(textOf(words));
