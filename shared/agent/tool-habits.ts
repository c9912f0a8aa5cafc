/** Adapts the input of a tool call to our schema: models often use the field names and values of other agents' tools. */

export type Habits = {
  /** Other names of our fields. */
  readonly names?: Readonly<Record<string, string>>;
  /** Numbers with their limits. A whole number outside of them is set to the closest limit. */
  readonly numbers?: Readonly<Record<string, readonly [number, number]>>;
  readonly flags?: readonly string[];
  /** Fields of other agents' tools that have no meaning here. They are ignored without a note to the model. */
  readonly silent?: readonly string[];
};

export type Adapted = { readonly input: unknown; readonly ignored: readonly string[] };

type Fields = Readonly<Record<string, unknown>>;

const isFields = (input: unknown): input is Fields =>
  typeof input === 'object' && input !== null && !Array.isArray(input);

const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false };

const asNumber = (value: unknown, [least, most]: readonly [number, number]): unknown => {
  const number = typeof value === 'string' && /^\s*-?\d{1,9}\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? Math.min(Math.max(number, least), most) : value;
};

const asFlag = (value: unknown): unknown => (typeof value === 'string' ? (FLAGS[value.trim()] ?? value) : value);

const DESCRIPTION = 'description';

type Named = { readonly fields: Map<string, unknown>; readonly ignored: readonly string[] };

/** Fields under our own names take precedence. */
const renamed = (input: Fields, known: readonly string[], { names = {}, silent = [] }: Habits): Named => {
  const given = Object.entries(input).filter(([, value]) => value !== null);
  const fields = new Map(given.filter(([name]) => known.includes(name)));
  const ignored: string[] = [];
  for (const [name, value] of given.filter(([each]) => !known.includes(each))) {
    const own = Object.hasOwn(names, name) ? names[name] : undefined;
    if (own !== undefined && !fields.has(own)) fields.set(own, value);
    if (own === undefined && name !== DESCRIPTION && !silent.includes(name)) ignored.push(name);
  }
  return { fields, ignored };
};

/** Null fields count as missing. `known`: the names of our fields. */
export const adaptInput = (input: unknown, known: readonly string[], habits: Habits = {}): Adapted => {
  if (!isFields(input)) return { input, ignored: [] };
  const { fields, ignored } = renamed(input, known, habits);
  for (const [name, limits] of Object.entries(habits.numbers ?? {}))
    if (fields.has(name)) fields.set(name, asNumber(fields.get(name), limits));
  for (const name of habits.flags ?? []) if (fields.has(name)) fields.set(name, asFlag(fields.get(name)));
  return { input: Object.fromEntries(fields), ignored };
};
