/** Parts of a review's opening that save a turn: the code elsewhere that a change affects, and its history. */
import { fence } from '../fence.ts';
import { cutText } from './threads.ts';

/** Untrusted and already redacted. Empty lists are left out. */
export type AroundChange = {
  /** Places outside the diff that use changed code, as `path:line name`. */
  readonly uses: readonly string[];
  /** Definitions of names used in the changed lines, as `path:line name`. */
  readonly definitions: readonly string[];
  /** Paths of tests that mention changed code or files. */
  readonly tests: readonly string[];
  /** Messages of the change's commits, newest first. */
  readonly commits: readonly string[];
};

export const NOTHING_AROUND: AroundChange = { uses: [], definitions: [], tests: [], commits: [] };

const SECTIONS: readonly (readonly [key: keyof AroundChange, label: string, intro: string])[] = [
  ['commits', 'commits', "The change's commit messages, newest first:"],
  ['uses', 'uses', 'Places outside the diff that use changed code:'],
  ['definitions', 'definitions', 'Definitions of names used in the changed lines:'],
  ['tests', 'tests', 'Tests that mention changed code or files:'],
];

export const surroundingSections = (around: AroundChange, boundary: string): readonly string[] =>
  SECTIONS.flatMap(([key, label, intro]) =>
    around[key].length === 0 ? [] : [`${intro}\n${fence(label, around[key].join('\n'), boundary)}`],
  );

/** An issue that the change closes, as its authors wrote it. */
export type PromptIssue = { readonly number: number; readonly title: string; readonly text: string };

const MAX_TITLE = 300;
const MAX_TEXT = 3_000;
/** Shorter for a later review, because an earlier review contained the whole text. */
const MAX_LATER_TEXT = 500;

export const issuesSection = (
  issues: readonly PromptIssue[],
  { isLater, boundary }: { readonly isLater: boolean; readonly boundary: string },
): string | null => {
  if (issues.length === 0) return null;
  const each = issues.map(({ number, title, text }) => {
    const body = text.trim() === '' ? '' : `\n${cutText(text, isLater ? MAX_LATER_TEXT : MAX_TEXT)}`;
    return fence('issue', `#${number} ${cutText(title, MAX_TITLE)}${body}`, boundary);
  });
  return `The change closes these issues; check that it does what they ask:\n${each.join('\n')}`;
};

export const failedChecksSection = (names: readonly string[], boundary: string): string | null => {
  if (names.length === 0) return null;
  return `These CI jobs have failed at this head; their logs are not available:\n${fence('failed-checks', names.join('\n'), boundary)}`;
};
