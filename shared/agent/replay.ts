/** A recorded run again, without model, network or workspace: everything that came from outside is in its transcript. */
import type { Conversation } from './conversation.ts';
import type { Outcome } from './outcome.ts';
import type { Spent } from '../vocabulary/spent.ts';
import type { Transcript } from './transcript.ts';
import { conversationOf } from './turns.ts';

export type Replayed =
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly spent: Spent }
  /** The recorded run had not come to its end. */
  | { readonly kind: 'unfinished'; readonly phase: Conversation['phase']['kind']; readonly spent: Spent };

/** @throws TranscriptMismatchError when the transcript was recorded by a loop that decided otherwise. */
export const replayTranscript = (transcript: Transcript): Replayed => {
  const { phase, spent } = conversationOf(transcript);
  return phase.kind === 'ended'
    ? { kind: 'ended', outcome: phase.outcome, spent }
    : { kind: 'unfinished', phase: phase.kind, spent };
};
