/** Takes secrets out of what is logged: by the name of the field, and by the value wherever it stands. */

const REDACTED = '[redacted]';
const OMITTED = '[omitted]';
const MAX_DEPTH = 8;

/** Shorter values would black out ordinary words, and turn every line into a riddle. */
const MIN_VALUE_LENGTH = 6;

const SECRET_SUFFIXES = [
  'token',
  'secret',
  'password',
  'passwd',
  'signature',
  'authorization',
  'cookie',
  'apikey',
  'credential',
  'credentials',
];

/** Code, prompts and bodies are no facts for a log, and may quote secrets that nobody has loaded. */
const BULK_KEYS = new Set(['body', 'rawbody', 'payload', 'prompt', 'diff', 'patch']);

function replacementFor(key: string): string | null {
  const plain = key.toLowerCase().replace(/[-_]/g, '');
  if (SECRET_SUFFIXES.some((suffix) => plain.endsWith(suffix))) return REDACTED;
  return BULK_KEYS.has(plain) ? OMITTED : null;
}

/** A copy without the values of secret and bulky fields. Errors are kept for their own serializer. */
export function scrubFields(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date) return value;
  if (depth >= MAX_DEPTH) return OMITTED;
  if (Array.isArray(value)) return value.map((item) => scrubFields(item, depth + 1));
  if (value instanceof Map || value instanceof Set) return OMITTED;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, replacementFor(key) ?? scrubFields(inner, depth + 1)]),
  );
}

const spellings = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
];

/** Replaces every spelling of the given secrets, the longest first, so that no remainder of one is left standing. */
export function createValueScrubber(secrets: readonly string[]): (text: string) => string {
  const wanted = secrets.filter((secret) => secret.length >= MIN_VALUE_LENGTH).flatMap(spellings);
  const ordered = [...new Set(wanted)].toSorted((a, b) => b.length - a.length);
  return (text) => ordered.reduce((rest, secret) => rest.replaceAll(secret, () => REDACTED), text);
}
