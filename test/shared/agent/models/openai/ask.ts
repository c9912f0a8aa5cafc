/** One request through the adapter to a simulated server, with the answer or failure that comes back. */
import { afterEach } from 'vitest';
import type { AssistantBlock, ModelReply, ModelRequest } from '../../../../../shared/agent/model/model.ts';
import { ModelError } from '../../../../../shared/agent/model/model-errors.ts';
import type { ModelOptions } from '../../../../../shared/agent/model/model-options.ts';
import { createOpenaiModel } from '../../../../../shared/agent/models/openai/model.ts';
import type { Dialect } from '../../../../sim/chat/dialect.ts';
import { type ChatSim, type ChatSimOptions, startChatSim } from '../../../../sim/chat/start.ts';
import type { ChatModel } from '../../../../sim/chat/world.ts';
import { reply, type Step, text, toolUse } from '../../../../sim/messages/reply.ts';
import { never } from '../../agent-run.ts';

let sims: ChatSim[] = [];

/** Each file that uses this module calls it once: this module is shared by the files of a worker. */
export const closeServers = (): void => {
  afterEach(async () => {
    await Promise.all(sims.map((sim) => sim.close()));
    sims = [];
  });
};

export const startServer = async (options: ChatSimOptions): Promise<ChatSim> => {
  const sim = await startChatSim(options);
  sims.push(sim);
  return sim;
};

/** A model without a price, with a window of this size. */
export const modelOf = (id: string, contextTokens: number): ChatModel => ({
  id,
  contextTokens,
  minCacheTokens: 1_024,
  prices: [{ upToTokens: Number.POSITIVE_INFINITY, inputUsd: 0, outputUsd: 0 }],
});

export const READ = { name: 'Read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } };
export const SUBMIT = {
  name: 'submit_review',
  description: 'Submits.',
  inputSchema: { type: 'object', properties: {} },
};

export const hello = { role: 'user', blocks: [{ kind: 'text', text: 'Hello.' }] } as const;

const request = (patch: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-sonnet-5-5',
  maxOutputTokens: 1_000,
  system: [{ kind: 'text', text: 'You review.' }],
  tools: [READ],
  messages: [hello],
  ...patch,
});

type Asking = {
  readonly dialect?: Partial<Dialect>;
  readonly options?: Partial<ModelOptions>;
  readonly request?: Partial<ModelRequest>;
};

export const open = async (step: Step, dialect: Partial<Dialect> = {}): Promise<ChatSim> => {
  const sim = await startServer({ dialect });
  sim.script([step]);
  return sim;
};

export const respond = (sim: ChatSim, asking: Asking = {}): Promise<ModelReply> =>
  createOpenaiModel({
    apiKey: sim.apiKey,
    baseUrl: sim.url,
    stream: true,
    longCache: false,
    idleTimeoutMs: 300,
    callTimeoutMs: 5_000,
    nowMs: () => Date.now(),
    ...asking.options,
  }).respond(request(asking.request), never);

export const ask = async (step: Step, asking: Asking = {}): Promise<ModelReply> =>
  respond(await open(step, asking.dialect), asking);

export const failure = async (step: Step, asking: Asking = {}): Promise<ModelError> => {
  const error: unknown = await ask(step, asking).catch((thrown: unknown) => thrown);
  if (!(error instanceof ModelError)) throw new Error('it must fail with a ModelError', { cause: error });
  return error;
};

export const bodyOf = (sim: ChatSim, at = 0): Record<string, unknown> => JSON.parse(sim.requests[at]?.body ?? '{}');

export const raw = (body: string, contentType = 'text/event-stream', status = 200): Step => ({
  kind: 'raw',
  status,
  headers: { 'content-type': contentType },
  body,
});

export const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

export const two = reply([text('Looking.'), toolUse('Read', { path: 'a.ts' }), toolUse('Read', { path: 'b.ts' })]);
export const TWO_CALLS = [
  { kind: 'tool_call', name: 'Read', input: { path: 'a.ts' } },
  { kind: 'tool_call', name: 'Read', input: { path: 'b.ts' } },
];

export const callsOf = ({ blocks }: ModelReply): readonly AssistantBlock[] =>
  blocks.filter(({ kind }) => kind === 'tool_call');
