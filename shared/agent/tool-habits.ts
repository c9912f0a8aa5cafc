/** Adapts the input of a tool call to our schema: models often use the field names and values of other agents' tools. */

export type Habits = {
  /** Other names of our fields. */
  readonly names?: Readonly<Record<string, string>>;
  /** Numbers with their limits. A whole number outside of them is set to the closest limit. */
  readonly numbers?: Readonly<Record<string, readonly [number, number]>>;
  readonly flags?: readonly string[];
  /** Fields of other agents that mean nothing here, so that nobody needs to hear of them. */
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

/** Null fields count as missing. `known`: the names of our fields. */
export const adaptInput = (input: unknown, known: readonly string[], habits: Habits = {}): Adapted => {
  if (!isFields(input)) return { input, ignored: [] };
  const { names = {}, numbers = {}, flags = [], silent = [] } = habits;
  const adapted = new Map<string, unknown>();
  const ignored: string[] = [];
  const given = Object.entries(input).filter(([, value]) => value !== null);
  for (const [name, value] of given) if (known.includes(name)) adapted.set(name, value);
  for (const [name, value] of given) {
    if (known.includes(name)) continue;
    const own = Object.hasOwn(names, name) ? names[name] : undefined;
    if (own !== undefined && known.includes(own) && !adapted.has(own)) adapted.set(own, value);
    else if (own === undefined && name !== DESCRIPTION && !silent.includes(name)) ignored.push(name);
  }
  for (const [name, limits] of Object.entries(numbers))
    if (adapted.has(name)) adapted.set(name, asNumber(adapted.get(name), limits));
  for (const name of flags) if (adapted.has(name)) adapted.set(name, asFlag(adapted.get(name)));
  return { input: Object.fromEntries(adapted), ignored };
};
