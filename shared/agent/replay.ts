/** Replays a recorded run without model, network or workspace: its transcript holds every input from outside. */
import type { Conversation } from './conversation.ts';
import type { Outcome } from './outcome.ts';
import type { Spent } from '../vocabulary/spent.ts';
import type { Transcript } from './transcript.ts';
import { conversationOf } from './turns.ts';

export type Replayed =
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly spent: Spent }
  | { readonly kind: 'unfinished'; readonly phase: Conversation['phase']['kind']; readonly spent: Spent };

/** @throws TranscriptMismatchError when the loop that recorded the run decided differently from this one. */
export const replayTranscript = (transcript: Transcript): Replayed => {
  const { phase, spent } = conversationOf(transcript);
  return phase.kind === 'ended'
    ? { kind: 'ended', outcome: phase.outcome, spent }
    : { kind: 'unfinished', phase: phase.kind, spent };
};
