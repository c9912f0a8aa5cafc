/** Names of functions whose result is harmless: those that quote their argument, and those that return a number. */

/** A function that returns a number, by its name. */
const NUMBER_FUNCTION =
  /(?:^|_)(?:int|integer|float)$|(?:int|float)val$|absint$|2int$|(?:to|get|as|parse)_?(?:int|integer|float)$/i;

export const isNumberFunction = (name: string): boolean => NUMBER_FUNCTION.test(name);

/** A function that undoes quoting, such as `urllib.parse.unquote`. */
const UNDOES = '(?:un_?|(?<![a-z])de_?|(?:strip|trim|remove)_?)(?:quot|escap)';
const UNQUOTING_FUNCTION = new RegExp(UNDOES, 'i');
const UNQUOTING_NAME = new RegExp(`[\\w.:>$\\\\-]{0,80}${UNDOES}\\w{0,40}`, 'gi');

/** A function whose name contains the pattern, unless it undoes what the pattern names. Classes have names too. */
export const isQuotingFunction = (name: string, pattern: RegExp): boolean =>
  pattern.test(name) && !UNQUOTING_FUNCTION.test(name.split(/[.:>\\-]/).at(-1) ?? '');

/** The code without the names of functions that undo quoting. */
export const withoutUnquoting = (code: string): string => code.replaceAll(UNQUOTING_NAME, '');
