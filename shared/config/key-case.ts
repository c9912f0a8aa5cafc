/** The file speaks snake_case, the code camelCase. */

export const toSnakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const toCamelCase = (key: string): string => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A key that the way back would spell otherwise stays as it is, and so is no setting: `dataDir` is a mistake. */
function camelKey(key: string): string {
  const camel = toCamelCase(key);
  return toSnakeCase(camel) === key ? camel : `?${key}`;
}

/** No setting is a date, and a schema would take one for an empty table: this it takes for nothing. */
const DATE = Symbol('a date');

/** Renames the keys of all tables. Other values than dates are left alone. */
export function camelizeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelizeKeys);
  if (value instanceof Date) return DATE;
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camelKey(key), camelizeKeys(inner)]));
}

/** `['forge', 0, 'tokenEnv']` → `forge[0].token_env`. */
export function settingPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${spelling(String(part))}`));
  return parts.join('').replace(/^\./, '');
}

/** A key as the file spells it. What cannot be a key is not repeated: it may be a secret on the wrong side of `=`. */
export function spelling(key: string): string {
  const plain = key.startsWith('?') ? key.slice(1) : toSnakeCase(key);
  const isKey = /^[A-Za-z_][A-Za-z0-9_-]{0,39}$/.test(plain) && !(/\d/.test(plain) && /[A-Z]/.test(plain));
  return isKey ? plain : '<not a key>';
}
