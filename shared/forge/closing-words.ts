import type { ChangeRequestFacts } from './port-facts.ts';
import { MAX_CLOSED_ISSUES } from './port-issues.ts';

type Words = Pick<ChangeRequestFacts, 'title' | 'description'>;

const MAX_CHARACTERS = 50_000;

const textOf = ({ title, description }: Words): string => `${title}\n${description}`.slice(0, MAX_CHARACTERS);

/** The forges' default words. A reference to another project (`group/name#7`) does not match. */
const CLOSING =
  /(?<![\w-])(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)):?\s{1,4}#(\d{1,9})(?![\w/])/giu;

/** Numbers of the issues that the text says it closes, in their order. */
export const closedNumbers = (words: Words): readonly number[] => {
  const numbers = [...textOf(words).matchAll(CLOSING)].map(([, number]) => Number(number));
  return [...new Set(numbers)].filter((number) => number > 0).slice(0, MAX_CLOSED_ISSUES);
};

/** An installation may have other closing words, so any reference to an issue counts. */
export const mayCloseIssue = (words: Words): boolean => /#\d|\/(?:issues|work_items)\/\d/.test(textOf(words));
