/** What a model is doing, read from its conversation. */
import type { Conversation, Phase } from '../../../shared/agent/conversation.ts';
import type { Transcript } from '../../../shared/agent/transcript.ts';
import { conversationOf } from '../../../shared/agent/turns.ts';

export type Work = {
  /** The turn in progress, from 1. */
  readonly turn: number;
  /** Input and output, including explorers that have ended. */
  readonly tokens: number;
  readonly costUsd: number;
  /** The questions of the explorers that are running. */
  readonly explorers: readonly string[];
  readonly waitsFor: Phase['kind'];
};

export const workOf = (transcript: Transcript | null): Work | null =>
  transcript === null ? null : workIn(conversationOf(transcript));

const workIn = ({ phase, turns, spent }: Conversation): Work => ({
  turn: phase.kind === 'model' ? turns + 1 : Math.max(1, turns),
  tokens: spent.inputTokens + spent.outputTokens,
  costUsd: spent.costUsd,
  explorers: phase.kind === 'explorers' ? phase.waiting.map(({ question }) => question) : [],
  waitsFor: phase.kind,
});
