/**
 * What the servers of the guide's recipes document, each in one row. Where nothing is documented, the row has the value that
 * asks most of the client.
 */
import type { Dialect } from './dialect.ts';

export const DIALECTS: Readonly<Record<string, Partial<Dialect>>> = {
  // https://docs.ollama.com/api/openai-compatibility lists the fields; a prompt beyond the context length is cut silently.
  Ollama: {
    key: 'none',
    outputLimits: ['max_tokens'],
    parallel: 'ignored',
    forcedTool: false,
    calls: 'whole',
    reasoning: 'reasoning',
    overflow: 'truncate',
    reportsCache: false,
  },
  // https://docs.vllm.ai/en/latest/features/tool_calling/: named tools; a prompt with its output limit must fit --max-model-len.
  vLLM: { reservesOutput: true, reportsCache: false, reasoning: 'reasoning' },
  // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md: parallel_tool_calls is off unless it is sent.
  'llama.cpp': { key: 'none', parallel: 'only-if-asked', forcedTool: false, reportsCache: false },
  // https://docs.litellm.ai/docs/completion/prompt_caching: cache_control is passed on to providers that want marks.
  LiteLLM: { caches: 'marked', callIndexes: 'counted', reasoning: 'reasoning_content' },
  // https://openrouter.ai/docs/api-reference/streaming (comments) and …/use-cases/reasoning-tokens (reasoning goes back).
  OpenRouter: { comments: true, reasoning: 'reasoning_details', needsReasoning: true, caches: 'marked' },
  // https://learn.microsoft.com/azure/ai-foundry/openai/latest: header api-key; filter results; reasoning models refuse the rest.
  Azure: {
    key: 'api-key',
    filterChunk: true,
    outputLimits: ['max_completion_tokens'],
    parallel: 'refused',
    reasoning: 'none',
    lists: false,
  },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html: no other operation of the API.
  Bedrock: { lists: false, caches: 'none', reasoning: 'none', forcedTool: false, jsonSchema: false },
  // https://ai.google.dev/gemini-api/docs/thought-signatures: calls carry a signature that has to come back.
  Vertex: {
    errors: 'list',
    signsCalls: true,
    callIds: 'own',
    calls: 'whole',
    callIndexes: 'zero',
    reasoning: 'none',
    lists: false,
  },
};
