/**
 * Splits the text of a Bash tool call into words. No shell reads the text, and shell syntax has no effect in it. Text
 * that a shell would expand or change is refused, so that a command never does something other than what the model
 * expects.
 */

export type BashWords =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

export const MAX_COMMAND_CHARACTERS = 2_000;

/** Characters that have a meaning in a shell; allowed only inside quotes. */
const SHELL_CHARACTERS = new Set('$`\\;&|<>(){}[]*?!#');

/** Inside a word, a shell does not change these characters, as in `HEAD~1` and `HEAD^`. */
const INSIDE_WORDS = new Set('~^');

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

const whyCharacterIsRefused = (character: string, isFirst: boolean): string | null => {
  if (SHELL_CHARACTERS.has(character)) return `${character} outside of quotes; there is no shell`;
  if (INSIDE_WORDS.has(character) && isFirst) return `${character} at the start of a word; there is no shell`;
  return null;
};

type Quoted = { readonly text: string; readonly end: number } | { readonly reason: string };

/** Reads from the opening quote at `at`. */
const readQuoted = (text: string, at: number): Quoted => {
  const quote = text.charAt(at);
  const end = text.indexOf(quote, at + 1);
  if (end < 0) return { reason: quote === "'" ? 'unclosed single quote' : 'unclosed double quote' };
  const inside = text.slice(at + 1, end);
  // A shell replaces these characters inside double quotes.
  const replaced = quote === '"' ? /[$`\\!]/.exec(inside)?.[0] : undefined;
  return replaced === undefined
    ? { text: inside, end }
    : { reason: `${replaced} inside of double quotes; use single quotes` };
};

/** Splits at spaces. Quotes take everything literally up to the next quote; adjacent parts form one word. Pure. */
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
    if (character !== "'" && character !== '"') {
      const why = whyCharacterIsRefused(character, word === null);
      if (why !== null) return refused(why);
      word = (word ?? '') + character;
      continue;
    }
    const quoted = readQuoted(text, at);
    if ('reason' in quoted) return refused(quoted.reason);
    word = (word ?? '') + quoted.text;
    at = quoted.end;
  }
  if (word !== null) words.push(word);
  return { kind: 'words', words };
};
