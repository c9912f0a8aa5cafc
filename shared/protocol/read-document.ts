import { parseFindingsPacket, parseHandoffPacket, parseReviewPacket } from './packet-text.ts';
import { parseMessage } from './parse-message.ts';
import type { Problem } from './yaml/problem.ts';

export type DocumentReading =
  | { readonly kind: 'document'; readonly what: string }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

export const readDocument = (text: string): DocumentReading => {
  if (/^["']?head_sha["']?:/m.test(text)) return named(parseReviewPacket(text), 'review packet');
  if (/^["']?packet_id["']?:/m.test(text)) return named(parseFindingsPacket(text), 'findings packet');
  if (/^["']?source_agent["']?:/m.test(text)) return named(parseHandoffPacket(text), 'hand-off packet');
  const reading = parseMessage(text);
  return reading.kind === 'message' ? { kind: 'document', what: reading.message.type } : reading;
};

const named = (
  reading: { readonly kind: 'packet' } | { readonly kind: 'refused'; readonly problems: readonly Problem[] },
  what: string,
): DocumentReading => (reading.kind === 'packet' ? { kind: 'document', what } : reading);
