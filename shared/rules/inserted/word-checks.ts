/** What one test of Python or Ruby says about a value: whether it is a number then, or one of those that the program knows. */

/** Texts and numbers that the program knows. */
const ITEM = String.raw`\s{0,9}(?:[a-zA-Z]?"[^"\\{}]{0,80}"|[a-zA-Z]?'[^'\\{}]{0,80}'|-?\d{1,20}|:\w{1,60}|None|nil|True|False)\s{0,9}`;
const LITERALS = new RegExp(
  String.raw`^(?:frozenset\(|set\()?[([{](?:${ITEM},){0,60}(?:${ITEM})?[)\]}]\)?(?:\.freeze)?$`,
);
const WORDS = /^%[wiWI](?:\[[\w\s./:-]{0,500}\]|\([\w\s./:-]{0,500}\)|\{[\w\s./:-]{0,500}\})(?:\.freeze)?$/;
/** Constants, and lists whose names say that they hold what is allowed. */
const NAMED_LIST =
  /^(?:(?:[\w@]{1,60}(?:\.|::)){0,3}(?:[A-Z][A-Z0-9_]{1,60}|\w{0,40}(?:allow|valid|known|permit|white|support|choices|options)\w{0,40}))(?:\.(?:keys|values)(?:\(\))?)?$/;

/** What somebody else sends: a list of it allows whatever he wants. */
const OF_REQUEST = /^(?:self\.)?(?:req|request|params|args|kwargs|argv)\b/;

const isKnownList = (list: string): boolean =>
  LITERALS.test(list) || WORDS.test(list) || (NAMED_LIST.test(list) && !OF_REQUEST.test(list));

/** Only letters, digits and a few signs, so that nothing can end a quoted text or begin another command. */
const PLAIN = /^(?:\\[dw]|\[(?:\\[dw]|\w-\w|[\w.@:/-]|\\[-.]){1,20}\]|[+*?()]|\{\d{0,4},?\d{0,4}\}){1,20}$/;
const TEXT = /^[rR]?(["'])(.{1,200})\1$/s;

/** Whether everything that the pattern of Python matches is plain. A `match` begins where the text begins. */
const isPlainInPython = (name: string, pattern: string): boolean => {
  const [, , text] = TEXT.exec(pattern.trim()) ?? [];
  if (text === undefined) return false;
  const begins = name !== 'search' || /^(?:\^|\\A)/.test(text);
  const ends = name === 'fullmatch' || /(?:\$|\\Z)$/.test(text);
  return begins && ends && PLAIN.test(text.replace(/^(?:\^|\\A)/, '').replace(/(?:\$|\\Z)$/, ''));
};

/** In Ruby, `^` and `$` match at each line of the text. */
const isPlainInRuby = (pattern: string): boolean => {
  const [, text] = /^\/\\A(.{1,200})\\[zZ]\/[a-z]{0,3}$/s.exec(pattern.trim()) ?? [];
  return text !== undefined && PLAIN.test(text);
};

type Test = readonly [form: RegExp, isMeant: (match: readonly string[], place: string) => boolean];

/** The tests that a value passes if they are true. */
const TESTS: readonly Test[] = [
  [/^(.{1,200}?)\sin\s(.{1,600})$/s, ([, one, list = ''], place) => one === place && isKnownList(list.trim())],
  [/^(.{1,200}?)\.is(?:digit|decimal|numeric|alnum|alpha|identifier)\(\)$/s, ([, one], place) => one === place],
  [
    /^isinstance\((.{1,200}?),\s?\(?(?:int|float|bool|Decimal|(?:uuid\.)?UUID|,|\s){1,9}\)?\)$/s,
    ([, one], place) => one === place,
  ],
  [
    /^(?:bool\()?re\.(fullmatch|match|search)\((.{1,300}),\s?(.{1,200}?)\)\)?$/s,
    ([, name = '', pattern = '', one], place) => one === place && isPlainInPython(name, pattern),
  ],
  [
    /^(.{1,600}?)\.(?:include|member|key|has_key)\?(?:\(|\s)\s?(.{1,200}?)\)?$/s,
    ([, list = '', one], place) => one === place && isKnownList(list.trim()),
  ],
  [/^(.{1,200}?)\.in\?(?:\(|\s)(.{1,600}?)\)?$/s, ([, one, list = ''], place) => one === place && isKnownList(list)],
  [
    /^(.{1,200}?)(?:\s?=~\s?|\.match\??\()(\/.{1,300}?\/[a-z]{0,3})\)?$/s,
    ([, one, pattern = ''], place) => one === place && isPlainInRuby(pattern),
  ],
  [
    /^(\/.{1,300}\/[a-z]{0,3})(?:\s?=~\s?|\s?===\s?|\.match\??\()(.{1,200}?)\)?$/s,
    ([, pattern = '', one], place) => one === place && isPlainInRuby(pattern),
  ],
  [
    /^(.{1,200}?)\.(?:is_a|kind_of|instance_of)\?\(?\s?(?:Integer|Numeric|Float)\)?$/s,
    ([, one], place) => one === place,
  ],
];

/** The same tests, written so that they are true for what they refuse. */
const NEGATED: readonly (readonly [form: RegExp, plain: string])[] = [
  [/^(.{1,200}?)\snot in\s/s, '$1 in '],
  [/^(.{1,600}?)\.exclude\?/s, '$1.include?'],
  [/^(.{1,200}?)\s?!~\s?/s, '$1 =~ '],
  [/^(re\.(?:fullmatch|match|search)\(.{1,500}\)) (?:is|==) None$/s, '$1'],
];
const IS_NONE = / (?:is not|!=) None$/;

/** Whether the code, one test without an operator between conditions, checks the place if it is true, or if it is false. */
export const checksByWords = (code: string, place: string, isTrue: boolean): boolean => {
  const negated = NEGATED.find(([form]) => form.test(code));
  if (negated !== undefined) return !isTrue && checksByWords(code.replace(...negated), place, true);
  if (!isTrue) return false;
  const test = code.replace(IS_NONE, '');
  return TESTS.some(([form, isMeant]) => {
    const found = form.exec(test);
    return found !== null && isMeant([...found], place);
  });
};
