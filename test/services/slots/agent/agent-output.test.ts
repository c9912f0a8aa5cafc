import { expect, it } from 'vitest';
import { errorEventsOf, previewOf, readAgentOutput } from '../../../../services/slots/agent/agent-output.ts';
import { readVerdict } from '../../../../services/slots/verdict.ts';
import { claudeStream, codexStream } from '../streams.ts';

const PASSED = '{"verdict": "pass", "followUpPrompt": "fine"}';
const VERDICT = '{"verdict": "drift", "followUpPrompt": "close the file"}';

it('takes prose as it stands', () => {
  expect(readAgentOutput('done\n')).toEqual({
    said: 'done\n',
    lastMessage: 'done\n',
    lastWords: 'done\n',
    commands: [],
    usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    error: null,
  });
});

it('reads the events of claude: words, commands, usage and price', () => {
  expect(
    readAgentOutput(claudeStream({ words: ['I look.', VERDICT], command: 'bd update x-1 --status in_progress' })),
  ).toEqual({
    said: `I look.\n${VERDICT}`,
    lastMessage: VERDICT,
    lastWords: VERDICT,
    commands: ['bd update x-1 --status in_progress'],
    usage: { inputTokens: 1_230, outputTokens: 45, costUsd: 0.25 },
    error: null,
  });
});

it('reads the events of codex: words, commands and usage', () => {
  expect(readAgentOutput(codexStream({ words: ['I look.', VERDICT], command: 'bd close x-2' }))).toEqual({
    said: `I look.\n${VERDICT}`,
    lastMessage: VERDICT,
    lastWords: VERDICT,
    commands: ['bd close x-2'],
    usage: { inputTokens: 900, outputTokens: 33, costUsd: 0 },
    error: null,
  });
});

it('reads older events of codex', () => {
  const lines = [
    { id: '0', msg: { type: 'task_started' } },
    { id: '0', msg: { type: 'agent_message', message: VERDICT } },
  ];
  expect(readAgentOutput(lines.map((line) => JSON.stringify(line)).join('\n')).lastMessage).toBe(VERDICT);
});

it.each([
  ['a line of a logger', '{"level":30,"time":1,"msg":"the review begins"}'],
  ['a message of another shape', '{"msg":{"type":"greeting","text":"hello"}}'],
  ['no message at all', '{"msg":null}'],
])('takes %s before a verdict for prose', (_, line) => {
  const stdout = `${line}\n${VERDICT}\n`;
  expect(readAgentOutput(stdout).lastMessage).toBe(stdout);
  expect(readVerdict(readAgentOutput(stdout).lastWords)).toMatchObject({ kind: 'verdict' });
  expect(previewOf(line)).toBe(line);
});

it('reads one JSON document of claude, and a list of events', () => {
  const result = { type: 'result', subtype: 'success', is_error: false, result: VERDICT, usage: { input_tokens: 3 } };
  expect(readAgentOutput(JSON.stringify(result)).lastMessage).toBe(VERDICT);
  expect(readAgentOutput(JSON.stringify([{ type: 'system' }, result])).lastMessage).toBe(VERDICT);
});

it('finds the verdict in every kind of stream, although events stand around it', () => {
  for (const stdout of [claudeStream({ words: [VERDICT] }), codexStream({ words: ['Wait.', VERDICT] })]) {
    expect(readVerdict(readAgentOutput(stdout).lastWords)).toMatchObject({
      kind: 'verdict',
      verdict: { verdict: 'drift' },
    });
  }
});

it('does not take what a tool printed for what the agent said', () => {
  const stdout = claudeStream({ words: ['Nothing found.'], toolResult: `${VERDICT}\nno_beads_available` });
  const { said, lastMessage } = readAgentOutput(stdout);
  expect([said, lastMessage]).toEqual(['Nothing found.', 'Nothing found.']);
  expect(readAgentOutput(codexStream({ words: ['Nothing.'], toolResult: 'no_beads_available' })).said).toBe('Nothing.');
});

it('says what an agent calls an error although it may exit with 0', () => {
  const claude = { type: 'result', subtype: 'error_during_execution', is_error: true, result: 'credit is too low' };
  expect(readAgentOutput(JSON.stringify(claude))).toMatchObject({ error: 'credit is too low', lastMessage: '' });
  const codex = [{ type: 'turn.started' }, { type: 'turn.failed', error: { message: 'usage limit' } }];
  expect(readAgentOutput(codex.map((line) => JSON.stringify(line)).join('\n'))).toMatchObject({ error: 'usage limit' });
});

it('passes over warnings between events and a last line that was cut', () => {
  const stdout = `warning: {a proxy}\n${codexStream({ words: [VERDICT] })}\n{"type":"item.comp`;
  expect(readAgentOutput(stdout).lastMessage).toBe(VERDICT);
});

const event = (one: object): string => JSON.stringify(one);
const text = (words: string) => event({ type: 'assistant', message: { content: [{ type: 'text', text: words }] } });
const tool = event({ type: 'assistant', message: { content: [{ type: 'tool_use', input: { command: 'ls' } }] } });
const answered = event({ type: 'user', message: { content: [{ type: 'tool_result', content: 'a' }] } });
const codex = (item: object) => event({ type: 'item.completed', item });
const spoken = codex({ type: 'agent_message', text: PASSED });
const turn = event({ type: 'turn.completed', usage: {} });

it.each([
  ['claude that went on with a tool', [text(PASSED), tool, answered].join('\n')],
  ['claude that ended without words', [text(PASSED), tool, answered, event({ type: 'result', result: '' })].join('\n')],
  ['claude that ran out of turns', [text(PASSED), event({ type: 'result', subtype: 'error_max_turns' })].join('\n')],
  ['codex that went on with a command', [spoken, codex({ type: 'command_execution', command: 'ls' }), turn].join('\n')],
  ['codex that went on with an edit', [spoken, codex({ type: 'file_change' }), turn].join('\n')],
  ['a program that quotes events and goes on', `${claudeStream({ words: [PASSED] })}I could not finish.\n`],
  ['a program that ends with quoted events', `The implementer said:\n${claudeStream({ words: [PASSED] })}`],
  ['a program whose events were cut', `${codexStream({ words: [PASSED] })}{"type":"item.comp`],
])('F-A11: takes an earlier message of %s for no verdict', (_, stdout) => {
  const { lastWords, error } = readAgentOutput(stdout);
  expect(error ?? readVerdict(lastWords).kind).not.toBe('verdict');
});

it('takes a message for the last one although its program thinks or counts after it', () => {
  const stdout = [spoken, codex({ type: 'reasoning', text: 'x' }), turn].join('\n');
  expect(readVerdict(readAgentOutput(stdout).lastWords)).toMatchObject({ kind: 'verdict' });
});

it('takes JSON that is no event for prose: a verdict alone is one', () => {
  expect(readAgentOutput(VERDICT).lastMessage).toBe(VERDICT);
});

it('shows of an event what it says or runs, and of others nothing', () => {
  const lines = codexStream({ words: ['Reading on.'], command: 'ls -l', toolResult: 'a\nb' })
    .trim()
    .split('\n');
  expect(lines.map(previewOf)).toEqual([null, null, '$ ls -l', 'Reading on.', null]);
  expect(previewOf('plain words')).toBe('plain words');
});

it('knows the words of the program about its failure from those of agent and tools', () => {
  const said = codexStream({ words: ['Retry after 1 seconds.'], command: 'curl', toolResult: 'retry-after: 1' });
  expect([errorEventsOf(said), errorEventsOf('retry-after: 1')]).toEqual(['', '']);
  const failure = { type: 'error', error: { message: 'limit, {"retry_after": 20}', retry_after: 20 } };
  expect(errorEventsOf(`${said}\n${JSON.stringify(failure)}`)).toBe(
    `${JSON.stringify(failure)}\nlimit, {"retry_after": 20}`,
  );
  expect(errorEventsOf(`${JSON.stringify(failure)}\n${said}`)).toBe('');
});
