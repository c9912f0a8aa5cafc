/** Says how to get a review of what the last review left out. */
import { parseUserCommand } from '../../commands/parse-command.ts';
import { shownCommand } from './shown-command.ts';

const MAX_SHOWN = 10;

/** Characters that a code span or a comment may change. */
const UNSAFE = /[`<>\p{Cc}]/u;

/** The path as a command names it, in quotes if it needs them. Undefined if the bot could not read it back. */
const wordOf = (path: string, mention: string): string | undefined =>
  UNSAFE.test(path) ? undefined : [path, `"${path}"`].find((word) => readBack(word, mention) === path);

const readBack = (word: string, mention: string): string | undefined => {
  const command = parseUserCommand(`@${mention} review ${word}`, mention);
  return command?.kind === 'review' ? command.only : undefined;
};

/** One line for each path, with the command to copy. A path that no command can name is left out. */
export const reviewCommands = (left: readonly string[], mention: string | undefined): readonly string[] =>
  left
    .flatMap((path) => wordOf(path, mention ?? 'bot') ?? [])
    .slice(0, MAX_SHOWN)
    .map((word) => `- ${shownCommand(mention, `review ${word}`)}`);

/** Empty if another review would leave out the same. */
export const leftText = (askFor: readonly string[] | undefined, mention: string | undefined): string => {
  const lines = reviewCommands(askFor ?? [], mention);
  if (lines.length === 0) return '';
  const more = (askFor?.length ?? 0) - lines.length;
  const rest = more > 0 ? [`- and ${more} more`] : [];
  return `#### Left out\n\nThis review did not look at all files. These commands review the rest, one part at a time, and skip what was already reviewed:\n\n${[...lines, ...rest].join('\n')}`;
};
