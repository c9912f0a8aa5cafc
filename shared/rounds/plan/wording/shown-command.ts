/** A command to copy, in a code span: there, the mention notifies nobody and the bot ignores it. */
export const shownCommand = (mention: string | undefined, words: string): string =>
  mention === undefined ? `\`${words}\`` : `\`@${mention} ${words}\``;
