/** The stop marker in what programs print: it counts from what an agent said, in whatever form. */
import { expect, it } from 'vitest';
import { readAgentOutput } from '../../../services/slots/agent/agent-output.ts';
import { DEFAULT_STOP_MARKER, hasStopMarker } from '../../../services/slots/settings/stop-marker.ts';
import { claudeStream, codexStream } from './streams.ts';

const MARKER = DEFAULT_STOP_MARKER;
const lines = (...events: readonly object[]): string => events.map((event) => JSON.stringify(event)).join('\n');

it.each<[string, string, boolean]>([
  ['claude said between other words', claudeStream({ words: [`${MARKER}\n`, 'Good bye.'] }), true],
  ['claude said last, in its result alone', lines({ type: 'system' }, { type: 'result', result: MARKER }), true],
  ['codex said', codexStream({ words: ['I asked bd.', MARKER] }), true],
  ['an older codex said', lines({ id: '0', msg: { type: 'agent_message', message: MARKER } }), true],
  ['a plain program said', `I asked bd.\n${MARKER}\n`, true],
  ['a tool of claude printed', claudeStream({ words: ['I go on.'], toolResult: MARKER }), false],
  ['a tool of codex printed', codexStream({ words: ['I go on.'], toolResult: MARKER }), false],
  ['codex only ran', codexStream({ words: ['I go on.'], command: `echo ${MARKER}` }), false],
])('the marker that %s counts as it should', (_, stdout, expected) => {
  expect(hasStopMarker(readAgentOutput(stdout).said, [MARKER])).toBe(expected);
});
