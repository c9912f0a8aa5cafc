/** Field types of the protocol's documents. Error messages state what is expected and never repeat a value. */
import { z } from 'zod';
import { whyNotInWorkspace } from './workspace-path.ts';

/** A string of at most `maxLength` UTF-16 units that is not blank. */
export const text = (maxLength: number) => {
  const expected = `expected a string of 1 to ${maxLength} characters`;
  return z.string(expected).max(maxLength, expected).regex(/\S/, expected);
};

/** A string that may be empty. In YAML the value of `evidence:` without text is null. */
export const looseText = (maxLength: number) => {
  const expected = `expected a string of at most ${maxLength} characters`;
  return z.preprocess((value) => (value === null ? '' : value), z.string(expected).max(maxLength, expected));
};

export const matching = (pattern: RegExp, what: string) =>
  z.string(`expected ${what}`).regex(pattern, `expected ${what}`);

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `expected one of ${values.join(', ')}`);

const whole = (minimum: number, what: string) =>
  z
    .number(`expected ${what}`)
    .int(`expected ${what}`)
    .min(minimum, `expected ${what}`)
    .max(Number.MAX_SAFE_INTEGER, `expected ${what}`);

export const count = whole(0, 'a whole number of at least 0');
export const positive = whole(1, 'a whole number of at least 1');
export const amount = z.number('expected a number of at least 0').min(0, 'expected a number of at least 0');
export const flag = z.boolean('expected true or false');

export const AgentName = matching(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  'a name of 1 to 64 letters, digits, ".", "_" or "-" that begins with a letter or digit',
);

const isRealTime = (text: string): boolean => {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text.replace('Z', '.000Z');
};

const UTC_EXPECTED = 'a UTC time in whole seconds such as 2030-01-31T12:00:00Z';

export const UtcSecond = matching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/, UTC_EXPECTED).refine(isRealTime, {
  message: `expected ${UTC_EXPECTED}`,
});

/** A commit id in lower-case hex, abbreviated or full. Always a string: as numbers, `0123456` and `1234567e8` would change. */
export const ShaPrefix = matching(/^[0-9a-f]{7,64}$/, 'a commit id of 7 to 64 lower-case hexadecimal digits');

export const WorkspacePath = z.string('expected a path').superRefine((path, context) => {
  const reason = whyNotInWorkspace(path);
  if (reason !== null) context.addIssue({ code: 'custom', message: `${reason}; expected a path in the workspace` });
});

export const list = <Item extends z.ZodType>(item: Item, maximum: number) =>
  z.array(item, 'expected a list').max(maximum, `expected at most ${maximum} entries`);
