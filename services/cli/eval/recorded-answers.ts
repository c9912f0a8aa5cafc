/**
 * Answers from stored conversations instead of a model. Each request must be one that was recorded: the conversations are
 * played again with their inputs, and the request before each reply is its key.
 */
import { createHash } from 'node:crypto';
import { buildRequest } from '../../../shared/agent/build-request.ts';
import { startConversation } from '../../../shared/agent/conversation.ts';
import type { Model, ModelReply, ModelRequest } from '../../../shared/agent/model/model.ts';
import type { Transcript } from '../../../shared/agent/transcript.ts';
import { applyInput } from '../../../shared/agent/turns.ts';
import { AppError } from '../../../shared/errors.ts';

export class EvalReplayError extends AppError {
  constructor(message: string) {
    super({ code: 'EVAL_REPLAY_DIFFERS', message, disposition: { kind: 'fail' } });
  }
}

/** In place of the boundary of a conversation, which is different in every process. */
export const REPLAYED_BOUNDARY = '0'.repeat(32);

type Recorded = { readonly request: ModelRequest; readonly key: string; readonly reply: ModelReply };

/** Without `mustCall`, which follows from the rest. */
const requestIn = (request: ModelRequest, boundary: string): ModelRequest => {
  const { model, maxOutputTokens, system, tools, messages } = request;
  const text = JSON.stringify({ model, maxOutputTokens, system, tools, messages });
  return JSON.parse(text.replaceAll(boundary, REPLAYED_BOUNDARY));
};

const keyOf = (request: ModelRequest): string => createHash('sha256').update(JSON.stringify(request)).digest('hex');

/** @throws TranscriptMismatchError if another version recorded the conversation */
const recordedIn = ({ start, inputs }: Transcript): readonly Recorded[] => {
  let conversation = startConversation(start);
  return inputs.flatMap((input) => {
    const request = input.kind === 'reply' ? requestIn(buildRequest(conversation), start.boundary) : null;
    conversation = applyInput(conversation, input);
    return request === null || input.kind !== 'reply' ? [] : [{ request, key: keyOf(request), reply: input.reply }];
  });
};

export const createRecordedAnswers = (transcripts: readonly Transcript[]): Model => {
  const all = transcripts.flatMap(recordedIn);
  const left = new Map<string, Recorded[]>();
  for (const each of all) left.set(each.key, [...(left.get(each.key) ?? []), each]);
  return {
    respond: async (asked, signal) => {
      signal.throwIfAborted();
      const request = requestIn(asked, REPLAYED_BOUNDARY);
      const [next, ...later] = left.get(keyOf(request)) ?? [];
      if (next === undefined) throw new EvalReplayError(whyUnknown(request, all));
      left.set(next.key, later);
      return next.reply;
    },
  };
};

const PARTS = ['model', 'maxOutputTokens', 'system', 'tools'] as const;

const WORDS: Readonly<Record<(typeof PARTS)[number], string>> = {
  model: 'the name of the model',
  maxOutputTokens: 'the limit of the answer',
  system: 'the instructions',
  tools: 'the tools',
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The parts in which a request differs from a recorded one, in words; the first message that differs is named. */
const differenceOf = (asked: ModelRequest, recorded: ModelRequest): readonly string[] => {
  const at = asked.messages.findIndex((message, index) => !isSame(message, recorded.messages[index]));
  return [
    ...PARTS.filter((part) => !isSame(asked[part], recorded[part])).map((part) => WORDS[part]),
    ...(at === -1 ? [] : [`message ${at + 1}`]),
  ];
};

/** Compares with the recorded request that has the fewest differences, the one with as many messages first. */
const whyUnknown = (asked: ModelRequest, all: readonly Recorded[]): string => {
  const alike = all
    .filter(({ request }) => request.messages.length === asked.messages.length)
    .map(({ request }) => differenceOf(asked, request))
    .toSorted((one, other) => one.length - other.length);
  const [nearest] = alike;
  if (nearest === undefined) return `no recorded request has ${asked.messages.length} messages, as this one has`;
  if (nearest.length === 0) return 'the same request is made more often than it was recorded';
  return `the request differs from the recorded one in ${nearest.join(' and ')}`;
};
