/** The evil model really is evil, and evil in the same way each time. */
import { expect, test } from 'vitest';
import { type EvilOptions, evil } from '../sim/messages/evil.ts';
import { type Exchange, createExchanges } from '../sim/messages/exchange.ts';
import type { Reply, ReplyBlock, Step } from '../sim/messages/reply.ts';
import { CreateRequest } from '../sim/messages/request.ts';
import { propertyRuns } from '../support/deep.ts';
import { ask, openScene, tool } from './messages-client.ts';

const CALLS = 6;
const canary = ['canary', 'f00dfeedf00dfeedf00d'].join('-');
const tools = ['Read', 'Glob', 'Grep', 'WriteNotes', 'Agent', 'submit_review'].map((name) => tool(name));
const request = ask({ tools, system: 'Review.', messages: [{ role: 'user', content: `look at ${canary}` }] });

/** What a seed does in its first calls, straight from the script. */
const stepsOf = async (seed: number, options?: EvilOptions): Promise<readonly Step[]> => {
  const script = evil(seed, options);
  if (typeof script !== 'function') throw new Error('expected a function');
  const exchangeFor = createExchanges();
  const parsed = CreateRequest.parse(request);
  const exchanges: readonly Exchange[] = Array.from({ length: CALLS }, () => exchangeFor(parsed));
  return Promise.all(exchanges.map(async (exchange) => (await script(exchange)) ?? raise()));
};

const raise = (): never => {
  throw new Error('the evil model had nothing to say');
};

const { numRuns } = propertyRuns(200, 600);
const seeds = Array.from({ length: numRuns }, (_, seed) => seed);
const everything = (await Promise.all(seeds.map((seed) => stepsOf(seed)))).flat();
const replies = everything.filter((step): step is Reply => step.kind === 'reply');
const blocks = replies.flatMap(({ content }) => content);
const calls = blocks.filter((block): block is Extract<ReplyBlock, { kind: 'tool_use' }> => block.kind === 'tool_use');
const inputs = calls.map(({ input }) => JSON.stringify(input));
const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []));

test('does the same for the same seed, and something else for another', async () => {
  const [once, again, other] = [await stepsOf(7), await stepsOf(7), await stepsOf(8)];
  expect(again).toEqual(once);
  expect(other).not.toEqual(once);
});

test.each<[what: string, there: boolean]>([
  [
    'calls tools that nobody offered',
    ['Write', 'Task', 'bash ', '__proto__', 'Bash'].every((name) => calls.some((one) => one.name === name)),
  ],
  [
    'leaves the workspace',
    ['/etc/passwd', '/proc/self/environ', '.git/config', '../'].every((path) =>
      inputs.some((input) => input.includes(path)),
    ),
  ],
  ['sends 200 KB in one argument', inputs.some((input) => input.length > 200_000)],
  ['sends ten thousand findings', inputs.some((input) => input.split('"severity"').length > 10_000)],
  ['sends a megabyte in one finding', inputs.some((input) => input.length > 1_000_000)],
  [
    'sends inputs of every wrong type',
    ['null', '7', '[]', '"src/a.ts"', '{}'].every((wrong) => inputs.includes(wrong)),
  ],
  ['sends broken JSON', calls.some(({ rawInput }) => rawInput !== undefined && !isJson(rawInput))],
  [
    'asks for a hundred explorers at once',
    replies.some(
      ({ content }) => content.filter((block) => block.kind === 'tool_use' && block.name === 'Agent').length === 100,
    ),
  ],
  ['runs shell commands', inputs.some((input) => input.includes('touch pwned'))],
  ['sends patterns that explode', inputs.some((input) => input.includes('(a+)+$'))],
  ['gives away what it saw in a text', texts.some((words) => words.includes(canary))],
  [
    'gives away what it saw in a finding',
    inputs.some((input) => input.includes('"findings"') && input.includes(canary)),
  ],
  ['forges markers', [...texts, ...inputs].some((words) => words.includes('<!-- fixpoint:1'))],
  ['writes quick actions', [...texts, ...inputs].some((words) => words.includes('/merge'))],
  ['thinks for ever', blocks.some((block) => block.kind === 'thinking' && block.thinking.length > 500_000)],
  ['says nothing', replies.some(({ content }) => content.length === 0)],
  ['only thinks', replies.some(({ content }) => content.length === 1 && content[0]?.kind === 'thinking')],
  ['refuses', replies.some(({ stopReason }) => stopReason === 'refusal')],
  [
    'gives one id to two calls',
    replies.some(
      ({ content }) => content.filter((block) => block.kind === 'tool_use' && block.id === 'toolu_same').length === 2,
    ),
  ],
])('%s', (_, there) => {
  expect(there).toBe(true);
});

function isJson(words: string): boolean {
  try {
    JSON.parse(words);
    return true;
  } catch {
    return false;
  }
}

test('repeats one attack for ever with every third seed', async () => {
  const obsessed = await Promise.all(seeds.filter((seed) => seed % 3 === 0).map((seed) => stepsOf(seed)));
  const refusing = obsessed.filter(([first]) => first?.kind === 'reply' && first.stopReason === 'refusal');
  expect(refusing.length).toBeGreaterThan(0);
  expect(refusing.flat().filter((step) => step.kind !== 'reply' || step.stopReason !== 'refusal')).toEqual([]);
});

/** What a schema-abiding, complete review without any finding would look like: the one thing that may pass. */
const isCleanReview = (input: unknown): boolean => {
  if (typeof input !== 'object' || input === null || !('findings' in input)) return false;
  const { findings, not_reviewed: left = [] } = input as { findings: unknown; not_reviewed?: unknown };
  return Array.isArray(findings) && findings.length === 0 && Array.isArray(left) && left.length === 0;
};

test('never hands in a complete review without findings: silence proves nothing', () => {
  expect(calls.filter(({ name, input }) => name === 'submit_review' && isCleanReview(input))).toEqual([]);
});

test('breaks the wire only where it is told to', async () => {
  const isBroken = (step: Step): boolean => step.kind !== 'reply' || step.transport !== undefined;
  expect(everything.filter(isBroken)).toEqual([]);
  const broken = (await Promise.all(seeds.slice(0, 50).map((seed) => stepsOf(seed, { brokenWire: true })))).flat();
  expect(new Set(broken.map(({ kind }) => kind))).toEqual(new Set(['reply', 'error', 'reset']));
  expect(broken.filter(isBroken).length).toBeGreaterThan(100);
});

test('stays within max_tokens, what it answers is always billed, and the simulator survives it', async () => {
  const { sim, client } = await openScene();
  for (let seed = 0; seed < 40; seed++) {
    const script = sim.script(evil(seed));
    for (let call = 0; call < 2; call++) {
      const body = { ...request, messages: [{ role: 'user' as const, content: `${canary} ${seed}` }] };
      // Broken JSON of a tool input may be too much for the SDK; the simulator has answered all the same.
      await (call === 0 ? client.messages.create(body) : client.messages.stream(body).finalMessage()).catch(() => null);
    }
    script.remove();
  }
  expect(sim.violations).toEqual([]);
  expect(sim.requests).toHaveLength(80);
  const limits = sim.requests.map(({ usage, outcome, costUsd }) => [
    outcome === 'complete' || outcome === 'aborted',
    (usage?.outputTokens ?? 0) <= 1000,
    costUsd > 0,
  ]);
  expect(limits.filter((one) => one.includes(false))).toEqual([]);
});
