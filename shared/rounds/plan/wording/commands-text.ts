import { shownCommand } from './shown-command.ts';
import { PLAIN_COMMANDS } from '../../model/user-command.ts';
import type { Fold } from '../../model/posting/post-plan.ts';

/** Lists the commands that people with write access can give the bot. */
export const commandList = (mention: string | undefined): string => {
  const shown = (words: string): string => shownCommand(mention, words);
  return [
    `- ${shown('review')}, optionally with instructions: reviews the newest commit`,
    `- ${shown('review --full')}: reviews the whole change again`,
    `- ${shown('review src/')}: reviews a file or folder that the last review left out`,
    `- ${shown('dismiss F-001 because …')}: closes a finding permanently`,
    `- ${shown('dismiss F-001 always because …')}: also drafts an entry that ignores it in later change requests`,
    `- ${shown('explain F-001')}: shows a finding again`,
    `- ${shown('fix')}: fixes the blocking findings, if fixes are enabled; must be at the start of a line`,
    ...PLAIN_COMMANDS.flatMap(({ words, help }) =>
      help === null ? [] : [`- ${words.map((word) => shown(word)).join(', ')}: ${help}`],
    ),
  ].join('\n');
};

const COMMANDS = 'Commands';

export const isCommandsFold = ({ title }: Fold): boolean => title === COMMANDS;

export const commandsFold = (mention: string | undefined): Fold => ({
  title: COMMANDS,
  text: `Accounts with write access can use these commands. Replying in a thread needs no command.\n\n${commandList(mention)}`,
});
