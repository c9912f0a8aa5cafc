/** The turns of a recorded conversation, for `fixpoint replay` and the operator's page. */
import { startConversation } from '../agent/conversation.ts';
import type { ModelReply, ToolCallBlock } from '../agent/model/model.ts';
import type { ToolResult } from '../agent/tool-result.ts';
import type { ConversationInput, Transcript } from '../agent/transcript.ts';
import { applyInput } from '../agent/turns.ts';
import { exceededText } from '../vocabulary/exceeded.ts';
import { explorerId, finderId, verifierId } from '../vocabulary/question.ts';
import type { Spent } from '../vocabulary/spent.ts';
import { escapeForTerminalLine } from '../text/visible.ts';

const MAX_INPUT = 100;

const short = (value: unknown): string => {
  const text = escapeForTerminalLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  return text.length <= MAX_INPUT ? text : `${text.slice(0, MAX_INPUT)}…`;
};

const name = (text: string): string => escapeForTerminalLine(text).slice(0, MAX_INPUT);

/** `1200 tokens in (800 cached), 90 out, $0.0123` */
export const costOf = ({ inputTokens, cachedTokens, outputTokens, costUsd }: Spent): string =>
  `${inputTokens} tokens in (${cachedTokens} cached), ${outputTokens} out, $${costUsd.toFixed(4)}`;

const callLine = (call: ToolCallBlock): string => `  ${name(call.name)} ${short(call.input)}`;

const replyLines = (turn: number, reply: ModelReply, spent: Spent): readonly string[] => {
  const calls = reply.blocks.filter((block): block is ToolCallBlock => block.kind === 'tool_call');
  return [`turn ${turn}: ${reply.stopReason}, ${costOf(spent)}`, ...calls.map(callLine)];
};

const resultLine = (result: ToolResult): string => {
  switch (result.kind) {
    case 'text':
      return `  -> ${result.text.length} characters`;
    case 'failed':
      return `  -> failed: ${short(result.text)}`;
    case 'noted':
      return '  -> noted';
    case 'explore':
      return '  -> an explorer';
    case 'verified':
      return `  -> the claim is ${result.verification.outcome}`;
    case 'submitted':
      return `  -> submitted: ${result.submission.findings.length} findings`;
    case 'refused':
      return `  -> refused: ${result.problems.map(({ text }) => short(text)).join('; ')}`;
    default:
      return result satisfies never;
  }
};

const inputLines = (input: ConversationInput, turns: number): readonly string[] => {
  switch (input.kind) {
    case 'reply':
      return replyLines(turns + 1, input.reply, input.spent);
    case 'results':
      return input.results.map(resultLine);
    case 'explored':
      return input.answers.map(({ outcome, notes }) => `  -> explorer: ${outcome}, ${notes.length} characters`);
    case 'verified':
      return input.verifications.map(({ outcome }) => `  -> verifier: ${outcome}`);
    case 'exceeded':
      return [`stopped: ${exceededText(input.exceeded)} is used up`];
    case 'interrupted':
      return [`interrupted and resumed; until then ${costOf(input.spent)}`];
    case 'too_long':
      return ['refused: too long'];
    case 'model_failed':
      return [`stopped: ${name(input.code)}`];
    default:
      return input satisfies never;
  }
};

export const turnLines = ({ start, inputs }: Transcript): readonly string[] => {
  let conversation = startConversation(start);
  return inputs.flatMap((input) => {
    const { turns } = conversation;
    conversation = applyInput(conversation, input);
    return inputLines(input, turns);
  });
};

/** Ids under which the conversations of finders, explorers and verifiers are stored. @throws TranscriptMismatchError */
export const explorationIds = (runId: string, { start, inputs }: Transcript): readonly string[] => {
  let conversation = startConversation(start);
  const finders = Array.from({ length: start.finders?.count ?? 0 }, (_, index) => finderId(runId, index));
  const others = inputs.flatMap((input) => {
    const { turns } = conversation;
    conversation = applyInput(conversation, input);
    if (input.kind === 'verified') return input.verifications.map((_, index) => verifierId(runId, index));
    return input.kind === 'explored' ? input.answers.map((_, index) => explorerId(runId, { turns, index })) : [];
  });
  return [...finders, ...others];
};
