/**
 * Secret and text are compared in a folded form, so that spacing, wrapping, quoting and percent-encoding do not matter:
 * base64 and base64url become equal, and so do hex, `%73%65` and `73:65`.
 */
export const foldSecret = (text: string): string => text.replace(/[^0-9A-Za-z]+/g, '').toLowerCase();

/** A shorter folded text would match innocent text, so such secrets are searched for exactly. */
const MIN_FOLDED = 8;
/** From this length on, each line of a multi-line secret (a private key) is searched for on its own. */
const MIN_LINE = 16;

/** Returns the base64 digits that depend only on the secret if `offset` other bytes precede it. */
const base64At = (secret: string, offset: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, 'utf8')]);
  const first = [0, 2, 3][offset] ?? 0;
  return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
};

const percentEncode = (text: string): string => {
  // encodeURIComponent throws on a lone surrogate.
  const wellFormed = text.replace(/\p{Cs}/gu, '');
  return encodeURIComponent(wellFormed);
};

const reverse = (text: string): string => Array.from(text).toReversed().join('');

const shapesOf = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  reverse(secret),
  percentEncode(secret),
  Buffer.from(secret, 'utf8').toString('hex'),
  base64At(secret, 0),
  base64At(secret, 1),
  base64At(secret, 2),
  ...secret.split(/\r?\n/).filter((line) => line.length >= MIN_LINE),
];

export const foldedForms = (secrets: readonly string[], ignore: string): readonly string[] => {
  const forms = secrets.filter((secret) => foldSecret(secret).length >= MIN_FOLDED).flatMap(shapesOf);
  return [...new Set(forms.map(foldSecret))].filter((form) => form.length >= MIN_FOLDED && !ignore.includes(form));
};

/** Secrets that are too short to fold, which are searched for exactly; below four characters they are not searched for. */
export const exactForms = (secrets: readonly string[], ignore: string): readonly string[] =>
  secrets.filter((secret) => secret.length >= 4 && foldSecret(secret).length < MIN_FOLDED && !ignore.includes(secret));
