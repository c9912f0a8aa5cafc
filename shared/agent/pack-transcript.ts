/** Stores long texts separately under their hash, so that checkpoints stay small and equal texts are stored once. */
import { createHash } from 'node:crypto';
import { AppError } from '../errors.ts';
import { ConversationInput } from './transcript.ts';

export const INLINE_CHARACTERS = 4_000;

const BLOB = '$blob:';

export type Packed = {
  readonly input: unknown;
  /** Texts, keyed by their SHA-256. */
  readonly blobs: ReadonlyMap<string, string>;
};

export class TranscriptUnreadableError extends AppError {
  constructor(what: string, cause?: unknown) {
    super({
      code: 'TRANSCRIPT_UNREADABLE',
      message: 'the stored transcript cannot be read',
      disposition: { kind: 'fail' },
      cause,
      fields: { what },
    });
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const mapTexts = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, map)]));
};

/** Short text that looks like a blob reference is stored as a blob too, so that unpacking never mistakes it for a reference. */
export const pack = (value: unknown): Packed => {
  const blobs = new Map<string, string>();
  const input = mapTexts(value, (text) => {
    if (text.length <= INLINE_CHARACTERS && !text.startsWith(BLOB)) return text;
    const hash = hashOf(text);
    blobs.set(hash, text);
    return BLOB + hash;
  });
  return { input, blobs };
};

/** @throws TranscriptUnreadableError when a blob is missing or does not match its hash. */
export const unpack = (packed: unknown, blobs: ReadonlyMap<string, string>): unknown =>
  mapTexts(packed, (text) => {
    if (!text.startsWith(BLOB)) return text;
    const hash = text.slice(BLOB.length);
    const blob = blobs.get(hash);
    if (blob === undefined || hashOf(blob) !== hash) throw new TranscriptUnreadableError('blob');
    return blob;
  });

/** @throws TranscriptUnreadableError */
export const unpackInput = (packed: unknown, blobs: ReadonlyMap<string, string>): ConversationInput => {
  const parsed = ConversationInput.safeParse(unpack(packed, blobs));
  if (!parsed.success) throw new TranscriptUnreadableError('input', parsed.error);
  return parsed.data;
};
