/** Rules that depend on the model: thinking, sampling, forced tools, prefill, sizes. */
import { type ApiProblem, invalid } from './api-problem.ts';
import type { ModelFacts } from './models.ts';
import type { PromptRequest } from './request.ts';
import { REDACTED_TEXT, isSigned } from './signatures.ts';
import { type Turn, turnsOf } from './turns.ts';

export type ModelRule = (model: ModelFacts, request: PromptRequest) => string | null;

const noSampling: ModelRule = (model, request) => {
  if (model.acceptsSampling) return null;
  const found = (['temperature', 'top_p', 'top_k'] as const).find((name) => request[name] !== undefined);
  return found === undefined ? null : `\`${found}\` is deprecated for this model.`;
};

const noForcedTool: ModelRule = (model, { tool_choice, thinking }) => {
  if (tool_choice?.type !== 'any' && tool_choice?.type !== 'tool') return null;
  if (!model.acceptsForcedTool) return 'tool_choice: type "tool" and "any" are not supported for this model.';
  const thinks = thinking === undefined ? model.thinksByDefault : thinking.type !== 'disabled';
  return thinks ? 'Thinking may not be enabled when tool_choice forces tool use.' : null;
};

const fitsOutput: ModelRule = (model, { max_tokens = 0 }) =>
  max_tokens <= model.maxOutputTokens
    ? null
    : `max_tokens: ${max_tokens} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model.id}`;

const REFUSALS = {
  enabled:
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  disabled: '"thinking.type.disabled" is not supported for this model.',
  adaptive: 'adaptive thinking is not supported on this model',
  between_tools: '"thinking.type.between_tools" is not supported for this model.',
} as const;

const acceptsThinking: ModelRule = (model, { thinking }) => {
  if (thinking === undefined || model.thinking.includes(thinking.type)) return null;
  const hint = model.thinking.includes('between_tools') ? ' Use "thinking.type.between_tools" instead.' : '';
  return REFUSALS[thinking.type] + (thinking.type === 'disabled' ? hint : '');
};

const quietOnlyAtLowEffort: ModelRule = (model, { thinking, output_config }) => {
  if (thinking?.type !== 'disabled' && thinking?.type !== 'between_tools') return null;
  const effort = output_config?.effort ?? 'medium';
  return model.quietEfforts.includes(effort)
    ? null
    : `"thinking.type.${thinking.type}" is not supported with effort "${effort}" on this model.`;
};

const knowsEffort: ModelRule = (model, { output_config }) =>
  model.hasEffort || !output_config?.effort ? null : 'This model does not support the effort parameter.';

const budgetBelowMaximum: ModelRule = (_, { thinking, max_tokens }) =>
  thinking?.type === 'enabled' && max_tokens !== undefined && thinking.budget_tokens >= max_tokens
    ? '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size'
    : null;

const THINKING_TYPES: readonly string[] = ['thinking', 'redacted_thinking'];

/** Only the newest turn is checked for modified thinking; older blocks fail by their signature. */
const keepsThinking: ModelRule = (model, request) => {
  const turns = turnsOf(request);
  const latest = turns.findLast(({ role }) => role === 'assistant');
  for (const turn of turns) {
    for (const { block, place } of turn.blocks) {
      const good =
        block.type === 'thinking'
          ? isSigned(block.thinking, block.signature, { model, request })
          : block.type !== 'redacted_thinking' || isSigned(REDACTED_TEXT, block.data, { model, request });
      if (good) continue;
      if (turn !== latest) return `${place}: Invalid \`signature\` in \`${block.type}\` block`;
      return `${place}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
    }
  }
  return null;
};

/** With manual thinking, a turn that called tools must be sent back with its thinking first. */
const thinkingComesFirst: ModelRule = (model, request) => {
  if (request.thinking?.type !== 'enabled' || !model.thinking.includes('enabled')) return null;
  const latest = turnsOf(request).findLast(({ role }) => role === 'assistant');
  const first = latest?.blocks[0];
  const callsTools = latest?.blocks.some(({ block }) => block.type === 'tool_use') ?? false;
  if (first === undefined || !callsTools || THINKING_TYPES.includes(first.block.type)) return null;
  return `${first.place}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.block.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
};

const RULES: readonly ModelRule[] = [
  noSampling,
  fitsOutput,
  acceptsThinking,
  knowsEffort,
  quietOnlyAtLowEffort,
  budgetBelowMaximum,
  noForcedTool,
  keepsThinking,
  thinkingComesFirst,
];

/** `resumes`: true when the last turn is one that the API paused, which is sent back unchanged. */
export const checkModel = (
  model: ModelFacts,
  request: PromptRequest,
  resumes: (turn: Turn) => boolean,
): ApiProblem | null => {
  for (const rule of RULES) {
    const message = rule(model, request);
    if (message !== null) return invalid(message);
  }
  const last = turnsOf(request).at(-1);
  if (last?.role !== 'assistant' || model.acceptsPrefill || resumes(last)) return null;
  return invalid(
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  );
};
