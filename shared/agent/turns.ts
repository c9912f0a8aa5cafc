/** The agent loop as a pure state machine: outside input in, next state out. `README.md` has the table of stop reasons. */
import { AppError } from '../errors.ts';
import { messageBound } from './model/budget.ts';
import { addSpent } from '../vocabulary/spent.ts';
import { compactHard, compactWhenLong, withoutConversation } from './compaction.ts';
import { type Conversation, correctionsLeft, isLastTurn, startConversation } from './conversation.ts';
import { end, endExceeded, endExploration, endUnreadable, endVerified, outOfTurns } from './endings.ts';
import { applyExplored, applyResults } from './apply-results.ts';
import type { AssistantBlock, ModelReply, ToolCallBlock, UserBlock } from './model/model.ts';
import { inputTokens } from './model/model.ts';
import { SUBMIT_REVIEW } from './build-request.ts';
import type { ConversationInput, Transcript } from './transcript.ts';

/** The transcript was recorded by another version of the loop. */
export class TranscriptMismatchError extends AppError {
  constructor(phase: string, input: string) {
    super({
      code: 'TRANSCRIPT_MISMATCH',
      message: 'the stored transcript does not match the conversation',
      disposition: { kind: 'fail' },
      fields: { phase, input },
    });
  }
}

/** @throws TranscriptMismatchError when the current phase does not expect this input. */
export const applyInput = (conversation: Conversation, input: ConversationInput): Conversation => {
  const { phase } = conversation;
  const now = { ...conversation, spent: addSpent(conversation.spent, input.spent) };
  if (phase.kind !== 'ended' && input.kind === 'interrupted') return now;
  if (phase.kind !== 'ended' && input.kind === 'exceeded') return endExceeded(now, input.exceeded);
  if (phase.kind === 'model' && input.kind === 'model_failed') {
    return end(now, { kind: 'model_failed', code: input.code, notes: now.notes });
  }
  if (phase.kind === 'model' && input.kind === 'too_long') return overflow(now, now);
  if (phase.kind === 'model' && input.kind === 'reply') return compactWhenLong(applyReply(now, input.reply));
  if (phase.kind === 'tools' && input.kind === 'results')
    return compactWhenLong(applyResults(now, phase, input.results));
  return applyAnswers(now, input);
};

const applyAnswers = (now: Conversation, input: ConversationInput): Conversation => {
  const { phase } = now;
  if (phase.kind === 'explorers' && input.kind === 'explored') {
    return compactWhenLong(applyExplored(now, phase, input.answers));
  }
  if (phase.kind === 'verifying' && input.kind === 'verified') return endVerified(now, phase, input.verifications);
  throw new TranscriptMismatchError(phase.kind, input.kind);
};

/** Returns the same conversation for the same transcript. */
export const conversationOf = ({ start, inputs }: Transcript): Conversation =>
  inputs.reduce(applyInput, startConversation(start));

/** Drops blank text, which providers refuse. */
const usable = (blocks: readonly AssistantBlock[]): readonly AssistantBlock[] =>
  blocks.filter((block) => block.kind !== 'text' || block.text.trim() !== '');

const textOf = (blocks: readonly AssistantBlock[]): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');

const callsOf = (blocks: readonly AssistantBlock[]): readonly ToolCallBlock[] =>
  blocks.flatMap((block) => (block.kind === 'tool_call' ? [block] : []));

/** Upper bound on this reply's tokens in the next input. Hidden thinking counts, and reported counts can be wrong. */
const answerBound = ({ usage }: ModelReply, blocks: readonly AssistantBlock[]): number =>
  Math.max(usage.output, messageBound([{ role: 'assistant', blocks }]));

const take = (conversation: Conversation, reply: ModelReply): Conversation => {
  const blocks = usable(reply.blocks);
  const text = textOf(blocks);
  const messages =
    blocks.length === 0 ? conversation.messages : [...conversation.messages, { role: 'assistant' as const, blocks }];
  return {
    ...conversation,
    messages,
    turns: conversation.turns + 1,
    known: { messages: messages.length, tokens: inputTokens(reply.usage) + answerBound(reply, blocks) },
    lastText: text === '' ? conversation.lastText : text,
  };
};

const freeId = (id: string, taken: ReadonlySet<string>): string => {
  let free = id;
  for (let number = taken.size; taken.has(free); number += 1) free = `again_${number}`;
  return free;
};

/** Renames repeated call ids: broken gateways repeat them, and providers refuse a conversation with a duplicate id. */
const withOwnIds = ({ callIds }: Conversation, reply: ModelReply): Pick<Conversation, 'callIds'> & Replied => {
  const taken = new Set(callIds);
  const blocks = reply.blocks.map((block) => {
    if (block.kind !== 'tool_call') return block;
    const id = freeId(block.id, taken);
    taken.add(id);
    return { ...block, id };
  });
  return { callIds: taken, reply: { ...reply, blocks } };
};

type Replied = { readonly reply: ModelReply };

const applyReply = (before: Conversation, given: ModelReply): Conversation => {
  const { callIds, reply } = withOwnIds(before, given);
  const after = { ...take(before, reply), callIds };
  switch (reply.stopReason) {
    case 'refusal':
      return end(after, { kind: 'refusal', category: reply.refusalCategory, notes: after.notes });
    case 'context_exceeded':
      return overflow(before, after);
    case 'pause_turn':
      return isLastTurn(before) ? outOfTurns(after) : goOn(after, reply, 'Continue.');
    case 'max_tokens':
      return lacking(before, after, { reply, nudge: CUT });
    case 'other':
      return lacking(before, after, { reply, nudge: UNKNOWN });
    case 'end_turn':
    case 'tool_use':
    case 'stop_sequence':
      return finished(before, after, reply);
    default:
      return reply.stopReason satisfies never;
  }
};

const CUT =
  'Your answer was cut off because it was too long; none of its calls was executed. Answer again in fewer words, with smaller or fewer calls.';
const UNKNOWN = 'Your answer ended unexpectedly; none of its calls was executed. Answer again.';
const UNSAID = 'You have not submitted an outcome. Call submit_verification.';
const SILENT = 'You called no tool and submitted nothing. Continue the review or call submit_review.';

const finished = (before: Conversation, after: Conversation, reply: ModelReply): Conversation => {
  const calls = callsOf(reply.blocks);
  if (calls.length > 0) return { ...after, phase: { kind: 'tools', calls, fromText: false } };
  if (after.start.role === 'verifier') return lacking(before, after, { reply, nudge: UNSAID });
  if (after.start.role !== 'reviewer') return endExploration(after, textOf(usable(reply.blocks)));
  const text = textOf(usable(reply.blocks));
  if (text.trim() === '') return lacking(before, after, { reply, nudge: SILENT });
  const call: ToolCallBlock = { kind: 'tool_call', id: 'text', name: SUBMIT_REVIEW, input: text };
  return { ...after, phase: { kind: 'tools', calls: [call], fromText: true } };
};

/** Handles an empty or cut reply. Such a reply is not repaired: the model is asked again until turns or corrections run out. */
const lacking = (
  before: Conversation,
  after: Conversation,
  { reply, nudge }: { readonly reply: ModelReply; readonly nudge: string },
): Conversation => {
  if (isLastTurn(before)) return outOfTurns(after);
  if (correctionsLeft(after) === 0) return endUnreadable(after, after.lastText);
  return goOn({ ...after, corrections: after.corrections + 1 }, reply, nudge);
};

/** Asks again. Tool calls that were not executed get a failed result, because providers require a result for every call. */
const goOn = (conversation: Conversation, reply: ModelReply, nudge: string): Conversation => {
  const results = callsOf(usable(reply.blocks)).map(
    ({ id }): UserBlock => ({ kind: 'tool_result', callId: id, text: 'not executed', isError: true }),
  );
  const blocks: readonly UserBlock[] = [...results, { kind: 'text', text: nudge }];
  return { ...conversation, phase: { kind: 'model' }, messages: [...conversation.messages, { role: 'user', blocks }] };
};

/** Handles a full context: compacts and retries, or makes the final call from the notes, or ends the run. */
const overflow = (before: Conversation, after: Conversation): Conversation => {
  const exceeded = { budget: 'context', scope: 'run', limit: after.known?.tokens ?? 0 } as const;
  const shorter = compactHard({ ...after, messages: before.messages });
  if (shorter.compactions > after.compactions && !isLastTurn(before)) return { ...shorter, phase: { kind: 'model' } };
  if (after.start.role !== 'reviewer' || before.messages.length <= 1) return endExceeded(after, exceeded);
  const why = 'The conversation became too long. Submit the review now, from your notes.';
  return withoutConversation({ ...after, fallback: exceeded, phase: { kind: 'model' } }, why);
};
