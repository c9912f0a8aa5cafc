/**
 * Transcripts of conversations with models, one Redis hash each: the start, one field per input, and long text as blobs
 * under its own hash. An input is written once. A different input for the same position is a conflict.
 */
import type { Redis } from 'ioredis';
import { pack, TranscriptUnreadableError, unpack, unpackInput } from '../agent/pack-transcript.ts';
import { ConversationStart, type ConversationInput, type Transcript } from '../agent/transcript.ts';
import { AppError } from '../errors.ts';
import type { Keys } from './keys.ts';

/** Contract: when a call resolves, its write is durable and never changes again. */
export type Transcripts = {
  /** Returns null when there is no transcript (any more). @throws TranscriptUnreadableError */
  load(id: string): Promise<Transcript | null>;
  /** @throws TranscriptConflictError, TranscriptTooLargeError */
  begin(id: string, start: ConversationStart): Promise<void>;
  /** @throws TranscriptConflictError, TranscriptTooLargeError */
  append(id: string, index: number, input: ConversationInput): Promise<void>;
};

/** Two executions continue the same conversation. The other execution was first, so this one must load the conversation again. */
export class TranscriptConflictError extends AppError {
  constructor(id: string, field: string) {
    super({
      code: 'TRANSCRIPT_CONFLICT',
      message: 'another execution has written a different input at this position of the transcript',
      disposition: { kind: 'retry' },
      fields: { id, field },
    });
  }
}

export class TranscriptTooLargeError extends AppError {
  constructor(id: string, maxBytes: number) {
    super({
      code: 'TRANSCRIPT_TOO_LARGE',
      message: 'the transcript has reached its size limit',
      disposition: { kind: 'fail' },
      fields: { id, maxBytes },
    });
  }
}

/**
 * KEYS: the transcript. ARGV: field, value, maximum bytes in total, seconds to keep, then pairs of blob field and text.
 * Returns 1 when the value is written or already stored, 0 when another value is stored, -1 when the value is too large.
 */
const WRITE = `
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then return known == ARGV[2] and 1 or 0 end
local bytes = tonumber(redis.call('HGET', KEYS[1], 'bytes') or '0') + #ARGV[2]
for i = 5, #ARGV, 2 do
  if redis.call('HEXISTS', KEYS[1], ARGV[i]) == 0 then bytes = bytes + #ARGV[i + 1] end
end
if bytes > tonumber(ARGV[3]) then return -1 end
for i = 5, #ARGV, 2 do redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], 'bytes', bytes)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1`;

const BLOB = 'blob:';
const START = 'start';

export type TranscriptSettings = {
  readonly keyOf: (id: string) => string;
  /** Maximum size of one transcript, including its blobs. */
  readonly maxBytes: number;
  readonly keepS: number;
};

export const createTranscripts = (redis: Redis, { keyOf, maxBytes, keepS }: TranscriptSettings): Transcripts => {
  const write = async (id: string, field: string, value: unknown): Promise<void> => {
    const { input, blobs } = pack(value);
    const texts = [...blobs].flatMap(([hash, text]) => [BLOB + hash, JSON.stringify(text)]);
    const args = [field, JSON.stringify(input), maxBytes, keepS, ...texts];
    const answer = await redis.eval(WRITE, 1, keyOf(id), ...args);
    if (answer === 0) throw new TranscriptConflictError(id, field);
    if (answer === -1) throw new TranscriptTooLargeError(id, maxBytes);
  };
  return {
    begin: async (id, start) => write(id, START, start),
    append: async (id, index, input) => write(id, String(index), input),
    load: async (id) => {
      const fields = await redis.hgetall(keyOf(id));
      return fields[START] === undefined ? null : readTranscript(fields);
    },
  };
};

const DAY_S = 24 * 3600;

export const transcriptsOf = (
  redis: Redis,
  keys: Keys,
  { keepDays, maxBytes }: { readonly keepDays: number; readonly maxBytes: number },
): Transcripts => createTranscripts(redis, { keyOf: keys.transcript, maxBytes, keepS: keepDays * DAY_S });

const readTranscript = (fields: Readonly<Record<string, string>>): Transcript => {
  const blobs = new Map(
    Object.entries(fields).flatMap(([field, text]): [string, string][] =>
      field.startsWith(BLOB) ? [[field.slice(BLOB.length), readBlob(text)]] : [],
    ),
  );
  const start = ConversationStart.safeParse(unpack(parseJson(fields[START] ?? ''), blobs));
  if (!start.success) throw new TranscriptUnreadableError('start', start.error);
  const inputs: ConversationInput[] = [];
  for (let text = fields['0']; text !== undefined; text = fields[String(inputs.length)]) {
    inputs.push(unpackInput(parseJson(text), blobs));
  }
  return { v: 1, start: start.data, inputs };
};

/** Blobs are stored as JSON, because unpaired surrogates in a model's text would not survive UTF-8. */
const readBlob = (text: string): string => {
  const blob = parseJson(text);
  if (typeof blob !== 'string') throw new TranscriptUnreadableError('blob');
  return blob;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TranscriptUnreadableError('json', error);
  }
};
