/**
 * Matches invisible characters and characters that change how text is displayed, except for tab, line feed, and a variation
 * selector after an emoji.
 */
const HIDDEN =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!\ufe0f)[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?![\t\n])\p{Cc}/gu;

/** Most text is only this, and finding that out is much faster than searching it for all of `HIDDEN`. */
const PRINTABLE = /^[\t\n\x20-\x7e]*$/;

/** Returns, for example, `[U+202E]`. This is ASCII, so it looks the same in a prompt, a terminal and a comment. */
const showCodePoint = (character: string): string =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

/** Replaces hidden characters with their code points, and CRLF with LF. Idempotent, linear, never throws. */
export const showHidden = (text: string): string =>
  PRINTABLE.test(text) ? text : text.replaceAll('\r\n', '\n').replace(HIDDEN, showCodePoint);

/** True if `after` has more such code points than `before`, which has hidden characters: somebody who saw them so wrote them. */
export const copiesShown = (before: string, after: string): boolean =>
  hasHidden(before) && countShown(after) > countShown(before);

const countShown = (text: string): number => [...text.matchAll(/\[U\+[0-9A-F]{4,6}\]/g)].length;

export const hasHidden = (text: string): boolean =>
  !PRINTABLE.test(text) && text.replaceAll('\r\n', '\n').search(HIDDEN) !== -1;

/** Use the result only for comparing and never for showing, because the removal is not visible. */
export const dropHidden = (text: string): string => (PRINTABLE.test(text) ? text : text.replace(HIDDEN, ''));

/** Ensures that no escape sequence, hyperlink (OSC 8), carriage return or bidirectional override reaches the terminal. Line feeds stay. */
export const escapeForTerminal = (text: string): string => showHidden(text);

/** Like `escapeForTerminal`, but on one line, because a line feed could forge a row of a table or progress view. */
export const escapeForTerminalLine = (text: string): string => showHidden(text).replace(/[\t\n]+/g, ' ');
