/**
 * The shapes in which a known secret may be quoted, as needles for a folded text: only ASCII letters and digits, lower
 * case. Folding makes one needle catch a shape however it is spaced, wrapped, bolded, quoted or percent-encoded, so
 * base64 and base64url are one shape, and so are hex, `%73%65` and `73:65`.
 */
export const foldSecret = (text: string): string => text.replace(/[^0-9A-Za-z]+/g, '').toLowerCase();

/** Shorter needles would match innocent text; such secrets are only looked for as they are. */
const MIN_FOLDED = 8;
/** A line of a secret with several lines (a private key) counts by itself from this length on. */
const MIN_LINE = 16;

/** The base64 digits that the secret alone decides when `offset` bytes of something else precede it. */
const base64At = (secret: string, offset: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, 'utf8')]);
  const first = [0, 2, 3][offset] ?? 0;
  return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
};

const percentEncode = (text: string): string => {
  // A lone surrogate cannot be percent-encoded: it is no text that a program could have sent.
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

/** Secrets too short or too odd to fold: looked for exactly. Below four characters nothing is looked for. */
export const exactForms = (secrets: readonly string[], ignore: string): readonly string[] =>
  secrets.filter((secret) => secret.length >= 4 && foldSecret(secret).length < MIN_FOLDED && !ignore.includes(secret));
