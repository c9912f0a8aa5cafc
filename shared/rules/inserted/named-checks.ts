/** Functions of the program that check or clean a value, by their names. What they let pass, another file says. */

/** A function that says whether its argument is acceptable. */
const CHECKS =
  /(?<!in)valid|(?:^|_)(?:check|verify)(?:_|$)|(?:^|_)is_?(?:safe|allowed|permitted|clean)|white_?list|allow_?list|alpha|alnum/i;
const CHECKS_IN_CAMEL_CASE = /^(?:check|verify)[A-Z]|^is(?:Safe|Allowed|Permitted|Clean)/;
/** The pattern that a constant name stands for. */
const NAMED_PATTERN = /^(?:[\w.]{1,60}\.)?[A-Z][A-Z0-9_]{0,40}\.(?:fullmatch|match|test|matches)\??$/;
/** A function that returns its argument cleaned. What only removes markup leaves quotes. */
const CLEANS =
  /(?<!xss_?)clean|saniti[sz]|(?<!in)secure|(?<!mark|html)(?:^|_)(?:make_?)?safe(?:_|$)|protect|purif|(?<!in)valid|(?:^|_)(?:check|verify)_(?!output|call)|anti_?inject|filter_(?:sql|text|string|name|user)|(?<!un|de|strip_?|remove_?)(?:escap|quot)/i;
const CLEANS_IN_CAMEL_CASE = /[a-z]Safe$|^(?:check|verify)[A-Z]/;

const lastName = (name: string): string => name.split(/[.:>\\]/).at(-1) ?? '';

/** Whether the call, as the whole of a condition, lets only acceptable values pass. `given`: its arguments. */
export const checksByItsName = (name: string, given: string, place: string): boolean => {
  const isGiven = given.split(',').some((each) => each.trim() === place);
  if (!isGiven) return false;
  if (/^filter_var$/i.test(name)) return /FILTER_VALIDATE_/.test(given);
  return NAMED_PATTERN.test(name) || [CHECKS, CHECKS_IN_CAMEL_CASE].some((words) => words.test(lastName(name)));
};

const CALL =
  /(?<![\w$])(?:\$?\w{1,40}(?:->|::|\.)){0,3}\\?(\w{1,60})\s?\((?:[^()]|\((?:[^()]|\([^()]{0,100}\)){0,100}\)){0,200}\)/g;

/** The code with a number in place of each call of a function that cleans what it gets. */
export const withoutCleaned = (code: string): string =>
  code.replaceAll(CALL, (call: string, name: string) =>
    CLEANS.test(name) || CLEANS_IN_CAMEL_CASE.test(name) ? '1' : call,
  );
