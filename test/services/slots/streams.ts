/** Event streams in the shape that `claude --output-format stream-json` and `codex exec --json` print. */
export type StreamWish = {
  readonly words: readonly string[];
  readonly command?: string;
  readonly toolResult?: string;
};

const lines = (events: readonly object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');

const claudeTool = (command: string, result: string): readonly object[] => [
  {
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command } }] },
  },
  {
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: result }] },
  },
];

export const claudeStream = ({ words, command, toolResult }: StreamWish): string =>
  lines([
    { type: 'system', subtype: 'init', session_id: 's', tools: ['Read'], model: 'm' },
    ...(command === undefined && toolResult === undefined ? [] : claudeTool(command ?? 'ls', toolResult ?? '')),
    ...words.map((text) => ({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } })),
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: words.at(-1) ?? '',
      session_id: 's',
      total_cost_usd: 0.25,
      usage: {
        input_tokens: 30,
        cache_creation_input_tokens: 200,
        cache_read_input_tokens: 1_000,
        output_tokens: 45,
      },
    },
  ]);

const codexTool = (command: string, output: string): readonly object[] => [
  {
    type: 'item.completed',
    item: { id: 'item_0', type: 'command_execution', command, aggregated_output: output, exit_code: 0 },
  },
];

export const codexStream = ({ words, command, toolResult }: StreamWish): string =>
  lines([
    { type: 'thread.started', thread_id: 't' },
    { type: 'turn.started' },
    ...(command === undefined && toolResult === undefined ? [] : codexTool(command ?? 'ls', toolResult ?? '')),
    ...words.map((text, index) => ({
      type: 'item.completed',
      item: { id: `item_${index + 1}`, type: 'agent_message', text },
    })),
    { type: 'turn.completed', usage: { input_tokens: 900, cached_input_tokens: 800, output_tokens: 33 } },
  ]);
