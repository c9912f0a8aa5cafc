/** Splits the text of a Bash tool call into words. No shell reads the text, and shell syntax has no effect in it. */

export type BashWords =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

export const MAX_COMMAND_CHARACTERS = 2_000;

/** Characters that have a meaning in a shell; allowed only inside single quotes. */
const SHELL_CHARACTERS = new Set('$`\\;&|<>(){}[]*?~!#^"');

const refused = (reason: string): BashWords => ({ kind: 'refused', reason });

const whyTextIsRefused = (text: string): string | null => {
  if (text.length > MAX_COMMAND_CHARACTERS) return `a command of more than ${MAX_COMMAND_CHARACTERS} characters`;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) return 'control character or line break; write one command on one line';
    if (code > 0x7f) return 'non-ASCII character; use Read, Grep or Glob instead';
  }
  return null;
};

/** Splits at spaces. Single quotes take everything literally up to the next quote; adjacent parts form one word. Pure. */
export const splitBashWords = (text: string): BashWords => {
  const reason = whyTextIsRefused(text);
  if (reason !== null) return refused(reason);
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === ' ') {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    if (character !== "'") {
      if (SHELL_CHARACTERS.has(character)) return refused(`${character} outside of single quotes; there is no shell`);
      word = (word ?? '') + character;
      continue;
    }
    const end = text.indexOf("'", at + 1);
    if (end < 0) return refused('unclosed single quote');
    word = (word ?? '') + text.slice(at + 1, end);
    at = end;
  }
  if (word !== null) words.push(word);
  return { kind: 'words', words };
};
