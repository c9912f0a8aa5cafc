/** The seeded reviewer reads a real annotated diff and keeps to the schema that it is given. */
import type Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { annotate } from '../../shared/diff/annotate/annotate.ts';
import { parseDiff } from '../../shared/diff/parse/parse.ts';
import { readDiff } from '../sim/messages/read-diff.ts';
import { type SeededReviewerOptions, seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { ask, openScene, tool } from './messages-client.ts';

const patch = `diff --git a/src/my app.ts b/src/my app.ts
index 1111111..2222222 100644
--- a/src/my app.ts
+++ b/src/my app.ts
@@ -10,2 +10,5 @@ function run() {
 const a = 1;
-const b = eval(old);
+const b = eval(input);
+try { go(); } catch (error) {}
+// DEFECT(P0: gives away the key)
+console.log(b);
`;

const annotated = annotate(parseDiff(Buffer.from(patch)).files, { maxBytes: 100_000 }).text;

const text = { type: 'string' };
const submit = (): Anthropic.Tool => ({
  name: 'submit_review',
  input_schema: {
    type: 'object',
    properties: {
      summary: text,
      findings: {
        type: 'array',
        items: {
          type: 'object',
          properties: { path: text, line: {}, start_line: {}, severity: {}, title: text, evidence: text },
        },
      },
      answers: { type: 'array', items: { type: 'object' } },
    },
  },
});

const callsIn = ({ content }: Anthropic.Message): readonly { name: string; input: unknown }[] =>
  content.flatMap((block) => (block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : []));

const say = async (
  options: SeededReviewerOptions,
  { tools, prompt = annotated, seed = 1 }: { tools: Anthropic.Tool[]; prompt?: string; seed?: number },
) => {
  const { sim, client } = await openScene();
  sim.script(seededReviewer(seed, options));
  return client.messages.create(ask({ tools, max_tokens: 5000, messages: [{ role: 'user', content: prompt }] }));
};

test('reads the annotated diff as it is written', () => {
  expect(readDiff(`Before\n${annotated}\nAfter`)).toEqual([
    { path: 'src/my app.ts', line: 10, kind: 'context', text: 'const a = 1;' },
    { path: 'src/my app.ts', line: 11, kind: 'removed', text: 'const b = eval(old);' },
    { path: 'src/my app.ts', line: 11, kind: 'added', text: 'const b = eval(input);' },
    { path: 'src/my app.ts', line: 12, kind: 'added', text: 'try { go(); } catch (error) {}' },
    { path: 'src/my app.ts', line: 13, kind: 'added', text: '// DEFECT(P0: gives away the key)' },
    { path: 'src/my app.ts', line: 14, kind: 'added', text: 'console.log(b);' },
  ]);
});

test('hands in what it finds in added lines, with the fields of the schema and no others', async () => {
  const [call] = callsIn(await say({}, { tools: [submit()] }));
  const at = (line: number, severity: string, title: string, evidence: string) => ({
    path: 'src/my app.ts',
    line,
    start_line: line,
    severity,
    title,
    evidence,
  });
  expect(call).toEqual({
    name: 'submit_review',
    input: {
      summary: 'Looked at 1 files and found 4 new things to change.',
      findings: [
        at(11, 'P1', 'Evaluates text as code', 'const b = eval(input);'),
        at(12, 'P2', 'Swallows the error', 'try { go(); } catch (error) {}'),
        at(13, 'P0', 'gives away the key', '// DEFECT(P0: gives away the key)'),
        at(14, 'P3', 'Leaves output for debugging', 'console.log(b);'),
      ],
    },
  });
});

test('first reads, greps and sends explorers, with what is on offer only', async () => {
  const options = { explore: ['who calls run?', 'is it tested?'], greps: ['run\\('] };
  const all = [tool('Read'), tool('Grep'), tool('Agent'), submit()];
  expect(callsIn(await say(options, { tools: all }))).toEqual([
    { name: 'Agent', input: { question: 'who calls run?' } },
    { name: 'Agent', input: { question: 'is it tested?' } },
    { name: 'Read', input: { path: 'src/my app.ts' } },
    { name: 'Grep', input: { pattern: 'run\\(' } },
  ]);
  expect(callsIn(await say(options, { tools: [tool('Agent'), submit()] }))).toHaveLength(2);
});

const thread = (actions: readonly string[]): string =>
  [
    'These are open threads. Each thread needs exactly one action in submit_review.',
    `F-001: replies so far: 1; allowed actions: ${actions.join(', ')}`,
    'F-001 P1 src/my app.ts:11\nEvaluates text as code: `const b = eval(input);` in src/my app.ts.\n',
  ].join('\n');
const fixed = annotated.replace('eval(input)', 'parse(input)');

const answered = async (prompt: string, actions: readonly string[], options: SeededReviewerOptions = {}) => {
  const [call] = callsIn(await say(options, { tools: [submit()], prompt: thread(actions) + prompt }));
  // The schema above has exactly these fields.
  const input = call?.input as {
    findings: { title: string }[];
    answers: { thread: string; action: string; stance: string }[];
  };
  expect(input.answers.map((answer) => answer.thread)).toEqual(['F-001']);
  return { findings: input.findings, answer: input.answers[0] };
};

test('insists while the mistake is there, and does not report it twice', async () => {
  const { findings, answer } = await answered(annotated, ['resolve', 'veto', 'escalate', 'reply']);
  expect(answer).toMatchObject({ action: 'reply', stance: 'seeks_change' });
  expect(findings.map(({ title }) => title)).not.toContain('Evaluates text as code');
});

test.each([
  ['no more replies are legal', annotated, ['resolve', 'veto', 'escalate'], 'veto', 'seeks_change'],
  ['only resolving is legal', annotated, ['resolve'], 'resolve', 'accepts'],
  ['the mistake is gone', fixed, ['resolve', 'veto', 'escalate', 'reply'], 'resolve', 'accepts'],
  ['the mistake is gone but resolving is not legal', fixed, ['escalate'], 'escalate', 'seeks_change'],
])('answers a thread with a legal action when %s', async (_, prompt, actions, action, stance) => {
  expect((await answered(prompt, actions)).answer).toMatchObject({ action, stance });
});

test('answers a thread as the test wants it', async () => {
  const answer = () => ({ action: 'veto', stance: 'seeks_change', body: 'no' });
  expect((await answered(fixed, ['resolve', 'veto'], { answer })).answer?.action).toBe('veto');
});

test('overlooks some mistakes by its seed, the same in every run', async () => {
  const found = async (seed: number) =>
    JSON.stringify(callsIn(await say({ notices: 50 }, { tools: [submit()], seed })));
  const runs = await Promise.all([1, 2, 3, 4, 5, 6].map(found));
  expect(new Set(runs).size).toBeGreaterThan(1);
  expect(await Promise.all([1, 2, 3, 4, 5, 6].map(found))).toEqual(runs);
});

test('explores, takes notes under the known headings, and ends', async () => {
  const { sim, client } = await openScene();
  sim.script(seededReviewer(1));
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Who calls startEngine?' }];
  const names = [];
  for (let turn = 0; turn < 3; turn++) {
    const said = await client.messages.create(ask({ messages, tools: [tool('Grep'), tool('WriteNotes')] }));
    const calls = said.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    names.push(...calls.map(({ name }) => name), said.stop_reason);
    messages.push(
      { role: 'assistant', content: said.content },
      { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'none' })) },
    );
  }
  expect(names).toEqual(['Grep', 'tool_use', 'WriteNotes', 'tool_use', 'end_turn']);
  expect(sim.requests[2]?.body).toContain('## Knock-on Effects');
});

test('answers in plain JSON where it has no tool for the review', async () => {
  const message = await say({}, { tools: [tool('Read')] });
  const [block] = message.content;
  const said = JSON.parse(block?.type === 'text' ? block.text : '');
  expect(said.comments).toHaveLength(4);
  expect(said.comments[0]).toMatchObject({ path: 'src/my app.ts', line: 11, body: expect.any(String) });
});
