/**
 * The signed hidden comment at the end of every body of ours. A good signature says that the operator's Fixpoint wrote
 * the payload, not that this comment is where it was written: the reader also checks the comment's author and `cr`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { MarkerPayload } from '../model/marker-payload.ts';

export type Marker = string & { readonly __brand: 'Marker' };

export type MarkerReading =
  | { readonly kind: 'valid'; readonly payload: MarkerPayload }
  /** Well-formed, but not signed with any of the secrets. */
  | { readonly kind: 'bad_signature' }
  /** Mutilated, of another version, or signed by us with a payload that this version does not understand. */
  | { readonly kind: 'unreadable' };

const VERSION = 1;
const SIGNATURE_BYTES = 16;
const BEGIN = '<!-- fixpoint:';
const END = '-->';
/** Payload characters exclude `<`, so that each is looked at once however many beginnings a hostile body holds. */
const MARKER = /<!-- fixpoint:(\d{1,3}) ([0-9A-Za-z+/]+={0,2})\.([0-9a-f]{32}) -->/y;

const signatureOf = (payload: string, secret: string): Buffer =>
  createHmac('sha256', secret).update(`fixpoint:${VERSION} ${payload}`).digest().subarray(0, SIGNATURE_BYTES);

/** @throws AppError `MARKER_SECRET_MISSING` when `secret` is empty: such a marker would prove nothing. */
export const signMarker = (payload: MarkerPayload, secret: string): Marker => {
  if (secret === '') {
    throw new AppError({
      code: 'MARKER_SECRET_MISSING',
      message: 'markers cannot be signed without a secret',
      disposition: { kind: 'fail' },
    });
  }
  const encoded = Buffer.from(JSON.stringify(payload), 'utf8').toString('base64');
  const marker = `${BEGIN}${VERSION} ${encoded}.${signatureOf(encoded, secret).toString('hex')} ${END}`;
  // The brand has no run-time part; a marker is what this function returns.
  return marker as Marker;
};

/** Tries every secret, so that the time does not tell which one fits. */
const isSigned = (payload: string, signature: string, secrets: readonly string[]): boolean => {
  const given = Buffer.from(signature, 'hex');
  const matches = secrets.filter((secret) => secret !== '' && timingSafeEqual(signatureOf(payload, secret), given));
  return matches.length > 0;
};

const decodePayload = (encoded: string): MarkerReading => {
  try {
    const parsed = MarkerPayload.safeParse(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')));
    return parsed.success ? { kind: 'valid', payload: parsed.data } : { kind: 'unreadable' };
  } catch {
    // Not JSON: signed by another version of ours. The reading says so; there is nothing else to do here.
    return { kind: 'unreadable' };
  }
};

const readMarkerAt = (body: string, at: number, secrets: readonly string[]): MarkerReading => {
  MARKER.lastIndex = at;
  const [, version, payload, signature] = MARKER.exec(body) ?? [];
  if (payload === undefined || signature === undefined || version !== String(VERSION)) return { kind: 'unreadable' };
  return isSigned(payload, signature, secrets) ? decodePayload(payload) : { kind: 'bad_signature' };
};

/**
 * All markers of a body, in order, wherever a forge or a person moved them: text before and behind them and CRLF do no
 * harm. During rotation pass the new and the old secret. Linear in the body; never throws.
 */
export const readMarkers = (body: string, secrets: readonly string[]): readonly MarkerReading[] => {
  const readings: MarkerReading[] = [];
  for (let at = body.indexOf(BEGIN); at !== -1; at = body.indexOf(BEGIN, at + BEGIN.length)) {
    readings.push(readMarkerAt(body, at, secrets));
  }
  return readings;
};

/** The body as a reader sees it: without markers, also broken ones, and without blanks at the end. */
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
