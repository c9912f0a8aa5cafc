/** What the CLI's model is told as an author: its tools and its end are others than those of our own loop. */
import { fence } from '../../../../shared/agent/fence.ts';
import { type AuthorPrompt, authorOpening } from '../../../../shared/agent/prompt/author-opening.ts';
import { authorSystem } from '../../../../shared/agent/prompt/system.ts';

const NO_FILES = 'Make no new files: one file outside of the change undoes all of your work.';
const NEW_FILES =
  'Make no new file but in a folder with a file of the change or among the tests: one file anywhere else undoes all of your work.';

const hereText = (canAdd: boolean): string => `In this session:
- Your only tools are Read, Grep, Edit and Write, below the working directory, which is the tree of the head. To list files, use Grep with a glob and the pattern ".". ${canAdd ? NEW_FILES : NO_FILES}
- There is no Decline and no Addressed, and a turn without a call is not the end: when each finding is mended or declined, hand in your structured answer, with every finding once, under addressed or under declined.`;

export const authorSystemPrompt = ({ canAdd }: { readonly canAdd: boolean }): string =>
  [...authorSystem({ canValidate: false, canAdd }).map(({ text }) => text), hereText(canAdd)].join('\n\n');

export type CliPrompt = AuthorPrompt & {
  /** Of `paths`, those that are not shown as they are. */
  readonly altered: readonly string[];
};

const lockedText = (altered: readonly string[], boundary: string): string =>
  `Of these files the following are shown with parts taken out or made visible, so that they cannot be changed here. Decline what could only be mended in them:\n${fence('locked-paths', altered.join('\n'), boundary)}`;

export const openingText = ({ altered, ...prompt }: CliPrompt, boundary: string): string =>
  [
    ...authorOpening(prompt, boundary).map(({ text }) => text),
    ...(altered.length === 0 ? [] : [lockedText(altered, boundary)]),
  ].join('\n\n');

export const authorCorrectionPrompt = (problems: readonly string[]): string =>
  [
    'The answer was not taken:',
    ...problems.map((text) => `- ${text}`),
    'What you have changed in the files stays. Hand in the whole answer again, with these points put right.',
  ].join('\n');
