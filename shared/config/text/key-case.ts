/** Converts between the file's snake_case and the code's camelCase. */

export const toSnakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const toCamelCase = (key: string): string => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A key that does not convert back to itself, such as `dataDir`, gets the prefix `?`, so that it counts as an unknown setting. */
function camelKey(key: string): string {
  const camel = toCamelCase(key);
  return toSnakeCase(camel) === key ? camel : `?${key}`;
}

/** Stands in for a date, because the schema would accept a `Date` object as an empty table. */
const DATE = Symbol('a date');

export function camelizeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelizeKeys);
  if (value instanceof Date) return DATE;
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camelKey(key), camelizeKeys(inner)]));
}

/** Converts a path such as `['forge', 0, 'tokenEnv']` to `forge[0].token_env`. */
export function settingPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${spelling(String(part))}`));
  return parts.join('').replace(/^\./, '');
}

/**
 * Returns the key as the file spells it. A string that cannot be a key is hidden, because it may be a misplaced secret.
 */
export function spelling(key: string): string {
  const plain = key.startsWith('?') ? key.slice(1) : toSnakeCase(key);
  const isKey = /^[A-Za-z_][A-Za-z0-9_-]{0,39}$/.test(plain) && !(/\d/.test(plain) && /[A-Z]/.test(plain));
  return isKey ? plain : '<not a key>';
}

/** The reverse of `camelizeKeys`, for settings that are written as a file. */
export function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [toSnakeCase(key), snakeKeys(inner)]));
}
