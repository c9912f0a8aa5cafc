/** Sorts the words of one command into options, operands and paths, and refuses a word that its rule does not allow. */
import { type CommandRule, DIGITS, FORMAT, VALUE_PATTERNS, type ValueKind } from './bash-grammar.ts';

export type BashRefusal = {
  readonly kind: 'refused';
  /** The refused word; empty when no single word is the cause. */
  readonly word: string;
  readonly reason: string;
};

export type SortedWords = {
  readonly kind: 'sorted';
  /** Each option is one word that includes its value, so that a value cannot be read as another option. */
  readonly options: readonly string[];
  readonly operands: readonly string[];
  readonly paths: readonly string[];
};

export const refuse = (word: string, reason: string): BashRefusal => ({ kind: 'refused', word, reason });

const SHAPES: Readonly<Record<ValueKind, string>> = {
  number: 'a number',
  from_line: 'a number, or + and a number',
  lines: 'two line numbers such as 10,20',
  text: 'a string that does not begin with a dash',
  date: 'a date such as 2024-01-31 or 2.weeks',
};

/** `--grep` joins its value with `=`; `-S` takes its value without a separator. */
const join = (option: string, value: string): string =>
  option.startsWith('--') ? `${option}=${value}` : option + value;

type Option = { readonly option: string; readonly used: 1 | 2 } | BashRefusal;

/** `-SVALUE` and `--grep=VALUE` in one word. */
const splitJoined = (word: string, values: CommandRule['values']): readonly [string, string] | null => {
  const equals = word.indexOf('=');
  const at = word.startsWith('--') ? equals : 2;
  const name = word.slice(0, at);
  return at <= 0 || values[name] === undefined ? null : [name, word.slice(word.startsWith('--') ? at + 1 : at)];
};

const NO_FORMAT =
  'only %h %H %s %B %an %ad %ar %as %cn %cd %cr %cs %n and letters, digits, blanks and . , : ; | / ( ) < > = - between them';

/** Our own spelling of `--format=…` and `--pretty=format:…`. */
const readFormat = (word: string, { formats, flags }: CommandRule): Option | null => {
  const [whole, given = ''] = /^--(?:format|pretty)=(?:t?format:)?(.*)$/.exec(word) ?? [];
  if (whole === undefined || !formats) return null;
  const known = `--pretty=${given}`;
  if (flags.includes(known)) return { option: known, used: 1 };
  return FORMAT.test(given) ? { option: `--format=tformat:${given}`, used: 1 } : refuse(word, NO_FORMAT);
};

const readOption = (word: string, next: string | undefined, rule: CommandRule): Option => {
  const { flags, values, digits } = rule;
  if (flags.includes(word)) return { option: word, used: 1 };
  const format = readFormat(word, rule);
  if (format !== null) return format;
  const joined = splitJoined(word, values);
  if (joined !== null) {
    const [name, value] = joined;
    const kindOf = values[name];
    if (kindOf !== undefined && VALUE_PATTERNS[kindOf].test(value)) return { option: join(name, value), used: 1 };
  }
  const kind = values[word];
  if (kind !== undefined) {
    if (next === undefined || !VALUE_PATTERNS[kind].test(next)) {
      return refuse(word, `this option needs ${SHAPES[kind]} as the next word`);
    }
    return { option: join(word, next), used: 2 };
  }
  const stem = digits.find((each) => word.startsWith(each) && DIGITS.test(word.slice(each.length)));
  return stem === undefined ? refuse(word, 'option not allowed here') : { option: word, used: 1 };
};

const firstDash = (words: readonly string[]): string | undefined => words.find((word) => word.startsWith('-'));

/** A word with a leading dash must be an allowed option, wherever it is; otherwise it is refused. Pure. */
export const sortWords = (words: readonly string[], rule: CommandRule): SortedWords | BashRefusal => {
  const options: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? '';
    if (word === '--') {
      const paths = words.slice(at + 1);
      const dashed = firstDash(paths);
      if (dashed !== undefined) return refuse(dashed, 'words after -- must not begin with a dash');
      return { kind: 'sorted', options, operands, paths };
    }
    if (!word.startsWith('-')) {
      operands.push(word);
      at += 1;
      continue;
    }
    const read = readOption(word, words[at + 1], rule);
    if ('kind' in read) return read;
    options.push(read.option);
    at += read.used;
  }
  return { kind: 'sorted', options, operands, paths: [] };
};

export const describeOptions = ({ flags, values, digits, formats }: CommandRule): string =>
  [
    ...flags,
    ...Object.entries(values).map(([option, kind]) => `${option} ${kind.toUpperCase()}`),
    ...digits.map((stem) => `${stem}<digits>`),
    ...(formats ? ["--format='%h %s'"] : []),
  ].join(' ');
