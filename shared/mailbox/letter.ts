/** A message as it is kept, with the packets that go with it. */
import { z } from 'zod';
import { FindingsPacket } from '../protocol/findings-packet.ts';
import { ReviewMessage } from '../protocol/message.ts';
import { ReviewPacket } from '../protocol/review-packet.ts';

export const Letter = z.object({
  message: ReviewMessage,
  /** The packet that it points to, when its sender gave one along. */
  packet: FindingsPacket.nullable(),
  /** What is to be reviewed: with a request of Fixpoint's own. */
  review: ReviewPacket.nullable().default(null),
});
export type Letter = z.output<typeof Letter>;

export const KEEP_S = 30 * 24 * 3600;
export const KEEP_LETTERS = 1000;
/** Two writers at once are put into an order; a change request with more of them than this is told to try again. */
export const TRIES = 8;
