/**
 * A marker is a signed hidden comment in a text that the bot posts. The signature proves who wrote it but not where, so
 * readers also check the author and `cr`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { MarkerPayload } from '../model/marker-payload.ts';

export type Marker = string & { readonly __brand: 'Marker' };

export type MarkerReading =
  | { readonly kind: 'valid'; readonly payload: MarkerPayload }
  /** The marker is well-formed but not signed with any of the secrets. */
  | { readonly kind: 'bad_signature' }
  /** The marker is signed with one of the secrets, but its version or its payload is unknown here. */
  | { readonly kind: 'other_version' }
  /** The marker is damaged, or a person wrote it. */
  | { readonly kind: 'unreadable' };

const VERSION = 1;
const SIGNATURE_BYTES = 16;
const BEGIN = '<!-- fixpoint:';
const END = '-->';
/** The payload excludes `<`, so each character is read once, even if a hostile body contains many markers. */
const MARKER = /<!-- fixpoint:([1-9]\d{0,2}) ([0-9A-Za-z+/]+={0,2})\.([0-9a-f]{32}) -->/y;

/**
 * Signs a string for use in a marker or in a commit status. A string for any use other than a marker begins with a word
 * and a space, which no base64 payload contains.
 * @throws AppError `MARKER_SECRET_MISSING` if `secret` is empty: such a signature would prove nothing.
 */
export const signatureOf = (text: string, secret: string, version: number = VERSION): Buffer => {
  if (secret === '') {
    throw new AppError({
      code: 'MARKER_SECRET_MISSING',
      message: 'markers cannot be signed without a secret',
      disposition: { kind: 'fail' },
    });
  }
  return createHmac('sha256', secret).update(`fixpoint:${version} ${text}`).digest().subarray(0, SIGNATURE_BYTES);
};

/**
 * @throws AppError `MARKER_SECRET_MISSING` if `secret` is empty, and `MARKER_INVALID` if `payload` could not be read back:
 * after such a comment every later reading would wait for another version.
 */
export const signMarker = (payload: MarkerPayload, secret: string): Marker => {
  const encoded = Buffer.from(JSON.stringify(payload), 'utf8').toString('base64');
  if (decodePayload(encoded) === null) {
    throw new AppError({
      code: 'MARKER_INVALID',
      message: 'the content of a marker is invalid, so nothing was posted',
      disposition: { kind: 'fail' },
      fields: { kind: payload.kind, wrong: wrongFields(payload) },
    });
  }
  const marker = `${BEGIN}${VERSION} ${encoded}.${signatureOf(encoded, secret).toString('hex')} ${END}`;
  // The brand exists only in the type, not in the value.
  return marker as Marker;
};

/** Tries all secrets, so that the time does not reveal which one matches. */
export const isSigned = (
  text: string,
  signature: Buffer,
  secrets: readonly string[],
  version: number = VERSION,
): boolean => {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const matches = secrets.filter(
    (secret) => secret !== '' && timingSafeEqual(signatureOf(text, secret, version), signature),
  );
  return matches.length > 0;
};

/** Paths of the invalid fields, without their values. */
const wrongFields = (payload: MarkerPayload): string =>
  (MarkerPayload.safeParse(payload).error?.issues ?? []).map(({ path }) => path.join('.')).join(', ');

const decodePayload = (encoded: string): MarkerPayload | null => {
  try {
    const parsed = MarkerPayload.safeParse(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    // A signed payload that is not JSON was written by another version of Fixpoint.
    return null;
  }
};

const readMarkerAt = (body: string, at: number, secrets: readonly string[]): MarkerReading => {
  MARKER.lastIndex = at;
  const [, version, encoded, signature] = MARKER.exec(body) ?? [];
  if (encoded === undefined || signature === undefined) return { kind: 'unreadable' };
  const isOurs = isSigned(encoded, Buffer.from(signature, 'hex'), secrets, Number(version));
  if (version !== String(VERSION)) return { kind: isOurs ? 'other_version' : 'unreadable' };
  if (!isOurs) return { kind: 'bad_signature' };
  const payload = decodePayload(encoded);
  return payload === null ? { kind: 'other_version' } : { kind: 'valid', payload };
};

/** Returns all markers of a body, in order. During secret rotation, the new and the old secret are accepted. Linear time; never throws. */
export const readMarkers = (body: string, secrets: readonly string[]): readonly MarkerReading[] => {
  const readings: MarkerReading[] = [];
  for (let at = body.indexOf(BEGIN); at !== -1; at = body.indexOf(BEGIN, at + BEGIN.length)) {
    readings.push(readMarkerAt(body, at, secrets));
  }
  return readings;
};

/**
 * Whether a body may contain a summary. Signatures are not verified, so use this only to skip bodies, never to trust
 * one.
 */
export const mayHoldSummary = (body: string): boolean => {
  for (let at = body.indexOf(BEGIN); at !== -1; at = body.indexOf(BEGIN, at + BEGIN.length)) {
    MARKER.lastIndex = at;
    const [, , payload = ''] = MARKER.exec(body) ?? [];
    if (payload !== '' && decodePayload(payload)?.kind === 'summary') return true;
  }
  return false;
};

/** Returns the body without markers, even broken ones, and without trailing white space. */
export const stripMarkers = (body: string): string => {
  const kept: string[] = [];
  let from = 0;
  for (let at = body.indexOf(BEGIN); at !== -1; at = body.indexOf(BEGIN, from)) {
    kept.push(body.slice(from, at));
    const end = body.indexOf(END, at);
    from = end === -1 ? body.length : end + END.length;
  }
  kept.push(body.slice(from));
  return kept.join('').trimEnd();
};
