/** Runs one review as a conversation. Any execution on any machine can continue it, until it ends or has to wait. */
import { takenOverBy } from '../../../shared/agent/answered-by.ts';
import type { AgentClock } from '../../../shared/agent/model/clock.ts';
import type { Conversation } from '../../../shared/agent/conversation.ts';
import type { Meter } from '../../../shared/agent/model/metered-model.ts';
import type { Model } from '../../../shared/agent/model/model.ts';
import type { Outcome } from '../../../shared/agent/outcome.ts';
import { createPresent, presentAnswers, type Protect } from '../../../shared/agent/present-result.ts';
import { readLines } from '../../../shared/agent/read-lines.ts';
import { DEFAULT_MODEL_RETRY } from '../../../shared/agent/model/retrying-model.ts';
import { type AgentEvent, runTurns } from '../../../shared/agent/run-turns.ts';
import type { Tool } from '../../../shared/agent/tool.ts';
import {
  type ConversationStart,
  type ConversationInput,
  startTranscript,
  type Transcript,
} from '../../../shared/agent/transcript.ts';
import { conversationOf } from '../../../shared/agent/turns.ts';
import type { Spent } from '../../../shared/vocabulary/spent.ts';
import { UNSURE } from '../../../shared/vocabulary/verification.ts';
import type { Transcripts } from '../../../shared/store/transcripts.ts';
import { answersOf, type Asked, type Explorers, spentOf } from './explorers.ts';
import { explorerId, verifierId } from '../../../shared/vocabulary/question.ts';

export type ConversationDeps = {
  readonly runId: string;
  readonly model: Model;
  readonly meter: Meter;
  readonly clock: AgentClock;
  readonly transcripts: Pick<Transcripts, 'load' | 'begin' | 'append'>;
  /** Contract: returns null while finders are running; a later execution then calls it again. */
  readonly start: (signal: AbortSignal) => Promise<ConversationStart | null>;
  /** Contract: returns the tools that `start` lists, for a tree that exists only during this execution. */
  readonly tools: (start: ConversationStart, signal: AbortSignal) => Promise<readonly Tool[]>;
  readonly protect: Protect;
  readonly explorers: Explorers;
  readonly changedPaths: readonly string[];
  /** Active time in ms, summed over all executions. */
  readonly wallMs: number;
  readonly isSuperseded: () => Promise<boolean>;
  readonly observe: (event: AgentEvent) => void;
  readonly checkpoint: (step: string) => void;
};

export type ConversationResult =
  | {
      readonly kind: 'ended';
      readonly outcome: Outcome;
      readonly notes: string;
      readonly spent: Spent;
      readonly read: ReturnType<typeof readLines>;
      readonly boundary: string;
      readonly tookOver: readonly string[];
    }
  /** `wallMs`: active time so far. */
  | { readonly kind: 'waits'; readonly wallMs: number }
  | { readonly kind: 'superseded' };

const SUPERSEDED_EVERY_MS = 2_000;

/** @throws what `runTurns` and the stores throw; the transcript is kept. */
export const runConversation = async (talk: ConversationDeps, signal: AbortSignal): Promise<ConversationResult> => {
  const begun = (await talk.transcripts.load(talk.runId)) ?? (await begin(talk, signal));
  if (begun === null) return { kind: 'waits', wallMs: 0 };
  let transcript = begun;
  for (;;) {
    const conversation = conversationOf(transcript);
    if (conversation.phase.kind === 'ended') {
      const { notes, spent, start } = conversation;
      const { outcome } = conversation.phase;
      const { boundary } = start;
      const tookOver = takenOverBy(transcript);
      return { kind: 'ended', outcome, notes, spent, read: readLines(transcript), boundary, tookOver };
    }
    const { phase } = conversation;
    if (phase.kind === 'explorers' || phase.kind === 'verifying') {
      const input =
        phase.kind === 'explorers'
          ? await hearExplorers(talk, { conversation, phase }, signal)
          : await hearVerifiers(talk, phase, signal);
      if (input === null) return { kind: 'waits', wallMs: conversation.spent.wallMs };
      transcript = await append(talk, transcript, input);
      continue;
    }
    const result = await turnsOf(talk, transcript, signal);
    if (result.kind === 'superseded') return result;
    transcript = result.transcript;
  }
};

const begin = async (talk: ConversationDeps, signal: AbortSignal): Promise<Transcript | null> => {
  const start = await talk.start(signal);
  if (start === null) return null;
  await talk.transcripts.begin(talk.runId, start);
  return startTranscript(start);
};

const append = async (
  talk: ConversationDeps,
  transcript: Transcript,
  input: ConversationInput,
): Promise<Transcript> => {
  await talk.transcripts.append(talk.runId, transcript.inputs.length, input);
  return { ...transcript, inputs: [...transcript.inputs, input] };
};

const turnsOf = async (talk: ConversationDeps, transcript: Transcript, signal: AbortSignal) =>
  runTurns(
    {
      transcript,
      model: talk.model,
      tools: await talk.tools(transcript.start, signal),
      present: createPresent(talk.protect, transcript.start.boundary),
      meter: talk.meter,
      retry: DEFAULT_MODEL_RETRY,
      wallMs: talk.wallMs,
      clock: talk.clock,
      checkpoint: async (input, index) => {
        talk.checkpoint('before-input');
        await talk.transcripts.append(talk.runId, index, input);
        talk.checkpoint('after-input');
      },
      isSuperseded: talk.isSuperseded,
      supersededEveryMs: SUPERSEDED_EVERY_MS,
      observe: talk.observe,
    },
    signal,
  );

type Asking = {
  readonly conversation: Conversation;
  readonly phase: Conversation['phase'] & { readonly kind: 'explorers' };
};

const hearExplorers = async (
  talk: ConversationDeps,
  { conversation, phase }: Asking,
  signal: AbortSignal,
): Promise<ConversationInput | null> => {
  const { waiting } = phase;
  const { turns, start } = conversation;
  const questions = waiting.map(
    ({ question, files }, index): Asked => ({
      id: explorerId(talk.runId, { turns, index }),
      question: { v: 1, kind: 'explore', question, files: [...files], changedPaths: [...talk.changedPaths] },
    }),
  );
  const notes = await talk.explorers.ask(questions, signal);
  if (notes === null) return null;
  const { protect } = talk;
  const { boundary } = start;
  const answers = await presentAnswers(answersOf(waiting, notes), { protect, boundary }, signal);
  return { kind: 'explored', answers, spent: spentOf(notes) };
};

const hearVerifiers = async (
  talk: ConversationDeps,
  { claims }: Conversation['phase'] & { readonly kind: 'verifying' },
  signal: AbortSignal,
): Promise<ConversationInput | null> => {
  const questions = claims.map(
    (claim, index): Asked => ({ id: verifierId(talk.runId, index), question: { v: 1, kind: 'verify', claim } }),
  );
  const notes = await talk.explorers.ask(questions, signal);
  if (notes === null) return null;
  const verifications = questions.map((_, index) => notes[index]?.verification ?? UNSURE);
  return { kind: 'verified', verifications, spent: spentOf(notes) };
};
