/** Says how to get a review of what the last review left out. */
import { shownCommand } from './shown-command.ts';

const MAX_SHOWN = 10;

/** A path with other characters cannot be written in a command. */
const isPlain = (path: string): boolean => /^[^`"\p{Cc}]+$/u.test(path);

const wordOf = (path: string): string => (/\s/u.test(path) || !/[/.]/.test(path) ? `"${path}"` : path);

/** One line for each path, with the command to copy. */
export const reviewCommands = (left: readonly string[], mention: string | undefined): readonly string[] =>
  left
    .filter(isPlain)
    .slice(0, MAX_SHOWN)
    .map((path) => `- ${shownCommand(mention, `review ${wordOf(path)}`)}`);

/** Empty if another review would leave out the same. */
export const leftText = (askFor: readonly string[] | undefined, mention: string | undefined): string => {
  const lines = reviewCommands(askFor ?? [], mention);
  if (lines.length === 0) return '';
  const more = (askFor?.length ?? 0) - lines.length;
  const rest = more > 0 ? [`- and ${more} more`] : [];
  return `#### Left out\n\nThis review did not look at all files. These commands review the rest, one part at a time; nothing that was reviewed is reviewed again:\n\n${[...lines, ...rest].join('\n')}`;
};
