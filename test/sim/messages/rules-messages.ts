/** The API's rules about the conversation, with its real error messages where they are known. */
import { type ApiProblem, invalid } from './api-problem.ts';
import type { PromptRequest } from './request.ts';
import { type PlacedBlock, type Turn, turnsOf } from './turns.ts';

type Rule = (turns: readonly Turn[], request: PromptRequest) => string | null;

const allBlocks = (turns: readonly Turn[]): readonly PlacedBlock[] => turns.flatMap(({ blocks }) => blocks);

const noEmptyMessage: Rule = (_, { messages }) => {
  const at = messages.findIndex(
    ({ role, content }, index) => content.length === 0 && !(role === 'assistant' && index === messages.length - 1),
  );
  return at === -1
    ? null
    : `messages.${at}: all messages must have non-empty content except for the optional final assistant message`;
};

const noEmptyText: Rule = (turns, { system = [] }) => {
  const texts = allBlocks(turns).flatMap(({ block }) => (block.type === 'text' ? [block.text] : []));
  const systemTexts = typeof system === 'string' ? [] : system.map(({ text }) => text);
  if (systemTexts.includes('')) return 'system: text content blocks must be non-empty';
  if (texts.includes('')) return 'messages: text content blocks must be non-empty';
  return texts.some((text) => text.trim() === '')
    ? 'messages: text content blocks must contain non-whitespace text'
    : null;
};

const onlyUsersShowDocuments: Rule = (turns) => {
  const media = turns
    .filter(({ role }) => role !== 'user')
    .flatMap(({ blocks }) => blocks)
    .find(({ block }) => ['image', 'document', 'search_result', 'tool_result'].includes(block.type));
  return media === undefined ? null : `${media.place}: \`${media.block.type}\` blocks can only be in \`user\` messages`;
};

const onlyAssistantsCallTools: Rule = (turns) => {
  const own = ['tool_use', 'thinking', 'redacted_thinking'];
  const stray = turns
    .filter(({ role }) => role !== 'assistant')
    .flatMap(({ blocks }) => blocks)
    .find(({ block }) => own.includes(block.type));
  return stray === undefined
    ? null
    : `${stray.place}: \`${stray.block.type}\` blocks can only be in \`assistant\` messages`;
};

const callsOf = (turn: Turn | undefined): readonly string[] =>
  turn?.role !== 'assistant' ? [] : turn.blocks.flatMap(({ block }) => (block.type === 'tool_use' ? [block.id] : []));

/** Results must come first in the turn: results after a text count as missing. */
const leadingResults = (turn: Turn | undefined): readonly string[] => {
  if (turn?.role !== 'user') return [];
  const end = turn.blocks.findIndex(({ block }) => block.type !== 'tool_result');
  const leading = end === -1 ? turn.blocks : turn.blocks.slice(0, end);
  return leading.flatMap(({ block }) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
};

const callsHaveResults: Rule = (turns) => {
  for (const [at, turn] of turns.entries()) {
    const results = leadingResults(turns[at + 1]);
    const missing = callsOf(turn).filter((id) => !results.includes(id));
    if (missing.length > 0) {
      return (
        `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
        `${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
      );
    }
  }
  return null;
};

const resultsHaveCalls: Rule = (turns) => {
  for (const [at, turn] of turns.entries()) {
    const calls = callsOf(turns[at - 1]);
    for (const { block, place } of turn.blocks) {
      if (block.type !== 'tool_result' || calls.includes(block.tool_use_id)) continue;
      return (
        `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. ` +
        'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.'
      );
    }
  }
  return null;
};

const idsAreUnique: Rule = (turns) => {
  const [calls, results] = [new Set<string>(), new Set<string>()];
  for (const { block, place } of allBlocks(turns)) {
    if (block.type === 'tool_use') {
      if (calls.has(block.id)) return `${place}: \`tool_use\` ids must be unique`;
      calls.add(block.id);
    } else if (block.type === 'tool_result') {
      if (results.has(block.tool_use_id)) {
        return `${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${block.tool_use_id}`;
      }
      results.add(block.tool_use_id);
    }
  }
  return null;
};

const beginsWithUser: Rule = (turns) =>
  turns.find(({ role }) => role !== 'system')?.role === 'user'
    ? null
    : 'messages: first message must use the "user" role';

const RULES: readonly Rule[] = [
  noEmptyMessage,
  beginsWithUser,
  noEmptyText,
  onlyUsersShowDocuments,
  onlyAssistantsCallTools,
  idsAreUnique,
  callsHaveResults,
  resultsHaveCalls,
];

export const checkMessages = (request: PromptRequest): ApiProblem | null => {
  const turns = turnsOf(request);
  for (const rule of RULES) {
    const message = rule(turns, request);
    if (message !== null) return invalid(message);
  }
  return null;
};
