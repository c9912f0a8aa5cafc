/**
 * Prompts for the CLI's model as an author. The CLI has other tools than our own loop, and ends its work differently.
 */
import { fence } from '../../../../shared/agent/fence.ts';
import { type AuthorPrompt, authorOpening } from '../../../../shared/agent/prompt/author-opening.ts';
import { authorSystem } from '../../../../shared/agent/prompt/system.ts';

const NO_FILES = 'Add no new files: all of your work is discarded if you add a file outside the change.';
const NEW_FILES =
  'Add new files only in a folder that contains a file of the change or in a test folder: all of your work is discarded if you add a file anywhere else.';

const hereText = (canAdd: boolean): string => `In this session:
- Your only tools are Read, Grep, Edit and Write, limited to the working directory, which is the tree of the head. To list files, use Grep with a glob and the pattern ".". ${canAdd ? NEW_FILES : NO_FILES}
- There is no Decline tool and no Addressed tool, and a turn without a tool call does not end the work: when each finding is fixed or declined, give your structured answer, which lists every finding once, under addressed or declined.`;

export const authorSystemPrompt = ({ canAdd }: { readonly canAdd: boolean }): string =>
  [...authorSystem({ canValidate: false, canAdd }).map(({ text }) => text), hereText(canAdd)].join('\n\n');

export type CliPrompt = AuthorPrompt & {
  /** The entries of `paths` that the model sees in redacted or marked form. */
  readonly altered: readonly string[];
  /** What the working directory lacks; null if it is complete. */
  readonly remark: string | null;
};

const lockedText = (altered: readonly string[], boundary: string): string =>
  `The following files are shown altered (secrets removed, invisible characters made visible), so you cannot change them here. Decline findings that can be fixed only in these files:\n${fence('locked-paths', altered.join('\n'), boundary)}`;

export const openingText = ({ altered, remark, ...prompt }: CliPrompt, boundary: string): string =>
  [
    ...authorOpening(prompt, boundary).map(({ text }) => text),
    ...(altered.length === 0 ? [] : [lockedText(altered, boundary)]),
    ...(remark === null ? [] : [remark]),
  ].join('\n\n');

export const authorCorrectionPrompt = (problems: readonly string[]): string =>
  [
    'The answer was not accepted:',
    ...problems.map((text) => `- ${text}`),
    'Your changes to the files are kept. Give the whole answer again, with these points corrected.',
  ].join('\n');
