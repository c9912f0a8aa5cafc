/** A model that does anything; deterministic by its seed. */
import type { Exchange } from './exchange.ts';
import { evilSubmission } from './evil-submission.ts';
import { COMMANDS, PATHS, PATTERNS, TOOL_NAMES, WORDS } from './evil-words.ts';
import { type Random, createRandom } from './random.ts';
import {
  type Reply,
  type ReplyBlock,
  type Step,
  type Transport,
  fail,
  refuse,
  reply,
  reset,
  text,
  thinking,
  toolUse,
} from './reply.ts';
import type { Script } from './script.ts';

export type EvilOptions = {
  /** Also cuts streams, resets connections and returns errors. Default: false. */
  readonly brokenWire?: boolean;
  /** Sends more than `max_tokens`, which the API never does. Default: false. */
  readonly overrun?: boolean;
};

type Attack = (random: Random, exchange: Exchange) => Step;

const repeat = (count: number, make: () => ReplyBlock): readonly ReplyBlock[] => Array.from({ length: count }, make);

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

const wrongInput = (random: Random): unknown =>
  random.pick<() => unknown>([
    () => null,
    () => 7,
    () => [],
    () => 'src/a.ts',
    () => ({}),
    () => ({ path: 7, pattern: {}, question: [], text: null }),
    () => ({ path: ['a', 'b'], extra: true }),
    () => ({ path: 'a', offset: -1, limit: 1e308 }),
    () => JSON.parse('{"__proto__": {"path": "/etc/passwd"}, "path": "a"}'),
    () => ({ path: 'a', deep: nested(500) }),
  ])();

const anyCall = (random: Random, exchange: Exchange): ReplyBlock => {
  const path = random.pick(PATHS);
  return random.pick<() => ReplyBlock>([
    () => toolUse(random.pick(TOOL_NAMES), { path, content: 'owned', command: 'id' }),
    () => toolUse('Read', { path }),
    () => toolUse('Glob', { pattern: random.pick(PATTERNS), path }),
    () => toolUse('Grep', { pattern: random.pick(PATTERNS), path }),
    () => toolUse('Bash', { command: random.pick(COMMANDS) }),
    () => toolUse('WriteNotes', { text: random.pick(WORDS), path, file: path }),
    () => toolUse('Agent', { question: random.pick(WORDS), files: [path] }),
    () => toolUse(random.pick(exchange.tools.map(({ name }) => name).concat('Read')), wrongInput(random)),
    () => toolUse('Read', {}, random.pick(['{"path": ', '', 'null', '{"path":"a"}{"path":"b"}', "{'path': 'a'}"])),
    () => evilSubmission(random, exchange),
  ])();
};

const ENDINGS = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'model_context_window_exceeded',
] as const;

const ATTACKS: readonly Attack[] = [
  (random, exchange) => reply([anyCall(random, exchange)]),
  (random, exchange) => reply(repeat(1 + random.below(8), () => anyCall(random, exchange))),
  (random, exchange) => reply([text(random.pick(WORDS)), evilSubmission(random, exchange)]),
  (random, exchange) =>
    reply([evilSubmission(random, exchange), anyCall(random, exchange), evilSubmission(random, exchange)]),
  (random) => reply(repeat(100, () => toolUse('Agent', { question: `question ${random.below(1000)}` }))),
  (random) => reply(repeat(60, () => toolUse('Read', { path: random.pick(PATHS) }))),
  (random) => reply([toolUse(random.pick(['Read', 'Grep', 'WriteNotes', 'Agent']), { text: 'x'.repeat(200_000) })]),
  (random) => reply(random.pick(WORDS)),
  () => reply([thinking('and then again '.repeat(40_000))]),
  () => reply([thinking('I say nothing.')]),
  () => reply([]),
  () => reply(' \n '),
  (random) => reply([text('half')], { stopReason: random.pick(ENDINGS) }),
  (random, exchange) => reply([anyCall(random, exchange)], { stopReason: random.pick(ENDINGS) }),
  (random) => refuse(random.pick(['cyber', 'bio', 'frontier_llm', 'reasoning_extraction', 'general_harms', null])),
  (_, { heard, system }) => reply(`${system}\n${heard.join('\n')}`),
  (_, { heard }) => reply([toolUse('WriteNotes', { text: heard.join('\n') })]),
  () => reply([{ kind: 'other', block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_fetch', input: {} } }]),
  () =>
    reply(['a', 'b'].map((path) => ({ kind: 'tool_use', id: 'toolu_same', name: 'Read', input: { path } }) as const)),
];

const WIRES: readonly Transport[] = [
  { cutAfterEvents: 2 },
  { cutAfterBytes: 300 },
  { endAfterEvents: 3 },
  { errorAfterEvents: { events: 2 } },
  { truncateJson: true },
  { pings: true, unknownEvent: true, pieceBytes: 7 },
];

const breakWire = (step: Reply, random: Random): Step =>
  random.pick<Step>([
    step,
    step,
    ...WIRES.map((transport): Step => ({ ...step, transport })),
    fail(529, { headers: { 'retry-after': '0' } }),
    fail(429),
    fail(500),
    fail(400, { message: 'prompt is too long: 1000001 tokens > 1000000 maximum' }),
    reset('before-headers'),
    reset('after-headers'),
  ]);

/** One seed in three repeats one attack; the others mix all attacks. */
const attackFor = (seed: number, random: Random): Attack =>
  seed % 3 === 0 ? createRandom(seed, 'obsession').pick(ATTACKS) : random.pick(ATTACKS);

/** Depends on the seed, the offered tools, and the number of requests in the conversation. */
export const evil =
  (seed: number, { brokenWire = false, overrun = false }: EvilOptions = {}): Script =>
  (exchange) => {
    const random = createRandom(seed, exchange.call, ...exchange.tools.map(({ name }) => name));
    const step = attackFor(seed, random)(random, exchange);
    if (step.kind !== 'reply') return step;
    const said: Reply = overrun ? { ...step, overrun } : step;
    return brokenWire ? breakWire(said, random) : said;
  };
