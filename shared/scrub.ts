/** Removes secrets from log data, by field name and by value. */

const REDACTED = '[redacted]';
const OMITTED = '[omitted]';
const MAX_DEPTH = 8;

/** Shorter values could match ordinary words, and redacting those words would make logs unreadable. */
const MIN_VALUE_LENGTH = 6;

const SECRET_NAME = /(?:token|secret|password|passwd|signature|authorization|cookie|apikey|credentials?)$/;

/** Code, prompts and bodies do not belong in a log. They may contain unknown secrets. */
const BULK_KEYS = new Set(['body', 'rawbody', 'payload', 'prompt', 'diff', 'patch']);

function replacementFor(key: string): string | null {
  const plain = key.toLowerCase().replace(/[-_]/g, '');
  if (SECRET_NAME.test(plain)) return REDACTED;
  return BULK_KEYS.has(plain) ? OMITTED : null;
}

/** Returns a copy in which secret and bulky fields are replaced. Errors are kept for their own serializer. */
export function scrubFields(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date) return value;
  if (depth >= MAX_DEPTH) return OMITTED;
  if (Array.isArray(value)) return value.map((item) => scrubFields(item, depth + 1));
  if (value instanceof Map || value instanceof Set) return OMITTED;
  return scrubTable(value, depth);
}

/** Like `scrubFields`, for an object that is no error, date or collection. */
export const scrubTable = (table: object, depth = 0): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(table).map(([key, inner]) => [key, replacementFor(key) ?? scrubFields(inner, depth + 1)]),
  );

const spellings = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
];

/** Redacts every spelling of the secrets, longest first, because one spelling may contain another. */
export function createValueScrubber(secrets: readonly string[]): (text: string) => string {
  const wanted = secrets.filter((secret) => secret.length >= MIN_VALUE_LENGTH).flatMap(spellings);
  const ordered = [...new Set(wanted)].toSorted((a, b) => b.length - a.length);
  return (text) => ordered.reduce((rest, secret) => rest.replaceAll(secret, () => REDACTED), text);
}
