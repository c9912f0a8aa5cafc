/**
 * Characters that a reader cannot see, or that change what he sees: controls, zero width, bidirectional overrides, tag
 * characters, line separators, lone surrogates. Tab and line feed are ordinary; a variation selector is, when it
 * follows the picture that it colours.
 */
const HIDDEN =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!\ufe0f)[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?![\t\n])\p{Cc}/gu;

/** `[U+202E]`: ASCII, so that it means the same in a prompt, a terminal and a comment. */
const showCodePoint = (character: string): string =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

/** Every hidden character becomes its code point in brackets; CRLF becomes LF. Idempotent, linear, total. */
export const showHidden = (text: string): string => text.replaceAll('\r\n', '\n').replace(HIDDEN, showCodePoint);

/** Nothing in `text` depends on a character that cannot be seen. */
export const hasHidden = (text: string): boolean => text.replaceAll('\r\n', '\n').search(HIDDEN) !== -1;

/** Takes hidden characters out without a trace: only for comparing, never for showing. */
export const dropHidden = (text: string): string => text.replace(HIDDEN, '');

/**
 * Untrusted text for a terminal: no escape sequence, hyperlink (OSC 8), carriage return or bidirectional override
 * reaches it. Line feeds stay.
 */
export const escapeForTerminal = (text: string): string => showHidden(text);

/** As `escapeForTerminal`, but on one line: for tables and progress views, where a line feed would forge a row. */
export const escapeForTerminalLine = (text: string): string => showHidden(text).replace(/[\t\n]+/g, ' ');
