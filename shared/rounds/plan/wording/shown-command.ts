/**
 * A command as people can copy it, in code: there it calls nobody, and the bot hears nothing that it says itself. Where
 * the name is not known, only the words that stand behind it.
 */
export const shownCommand = (mention: string | undefined, words: string): string =>
  mention === undefined ? `\`${words}\`` : `\`@${mention} ${words}\``;
