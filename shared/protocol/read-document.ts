import { parseFindingsPacket, parseHandoffPacket, parseReviewPacket } from './packet-text.ts';
import { parseMessage } from './parse-message.ts';
import type { Problem } from './yaml/problem.ts';

export type DocumentReading =
  | { readonly kind: 'document'; readonly what: string }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

// `(?<![^\n])` is the begin of a line of YAML. With the flag `m`, `^` also matches after U+2028 and U+2029.
const HEAD_SHA = /(?<![^\n])["']?head_sha["']?:/;
const PACKET_ID = /(?<![^\n])["']?packet_id["']?:/;
const SOURCE_AGENT = /(?<![^\n])["']?source_agent["']?:/;

export const readDocument = (text: string): DocumentReading => {
  if (HEAD_SHA.test(text)) return named(parseReviewPacket(text), 'review packet');
  if (PACKET_ID.test(text)) return named(parseFindingsPacket(text), 'findings packet');
  if (SOURCE_AGENT.test(text)) return named(parseHandoffPacket(text), 'hand-off packet');
  const reading = parseMessage(text);
  return reading.kind === 'message' ? { kind: 'document', what: reading.message.type } : reading;
};

const named = (
  reading: { readonly kind: 'packet' } | { readonly kind: 'refused'; readonly problems: readonly Problem[] },
  what: string,
): DocumentReading => (reading.kind === 'packet' ? { kind: 'document', what } : reading);
