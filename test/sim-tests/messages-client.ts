/** A started simulator, the SDK's client on it, and requests without trimmings. */
import Anthropic from '@anthropic-ai/sdk';
import { onTestFinished } from 'vitest';
import { type MessagesSim, type MessagesSimOptions, startMessagesSim } from '../sim/messages/start.ts';

export const SONNET = 'claude-sonnet-5-5';
export const HAIKU = 'claude-haiku-5-5';
export const OPUS = 'claude-opus-5-5';
export const OLD_HAIKU = 'claude-haiku-4-5';

export type Scene = {
  readonly sim: MessagesSim;
  readonly client: Anthropic;
  readonly advance: (ms: number) => void;
};

/** Closed when the test ends. The clock stands still unless it is advanced. */
export const openScene = async (options: MessagesSimOptions = {}): Promise<Scene> => {
  let nowMs = Date.UTC(2026, 10, 1);
  const sim = await startMessagesSim({ clock: () => nowMs, ...options });
  onTestFinished(() => sim.close());
  const client = new Anthropic({ baseURL: sim.url, apiKey: sim.apiKey, maxRetries: 0, logLevel: 'off' });
  return { sim, client, advance: (ms) => void (nowMs += ms) };
};

type Params = Anthropic.MessageCreateParamsNonStreaming;

export const ask = (more: Partial<Params> = {}): Params => ({
  model: SONNET,
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'hello' }],
  ...more,
});

/** A string that costs exactly `tokens` tokens. */
export const textOfTokens = (tokens: number, letter = 'x'): string => letter.repeat(Math.floor(tokens * 3.5));

export const tool = (name: string, properties: object = {}): Anthropic.Tool => ({
  name,
  description: `does ${name}`,
  input_schema: { type: 'object', properties },
});

/** Sends any body, also one that the SDK would not send. */
export const post = async (
  sim: MessagesSim,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; json: { error?: { type: string; message: string } }; headers: Headers }> => {
  const answer = await fetch(`${sim.url}/v1/messages`, {
    method: 'POST',
    headers: {
      'x-api-key': sim.apiKey,
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  // The simulator answers JSON; a test that asks for something else fails here.
  return { status: answer.status, json: (await answer.json()) as never, headers: answer.headers };
};

/** The error that a promise rejects with. */
export const errorOf = async (promise: PromiseLike<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> => {
  try {
    await promise;
  } catch (error) {
    // Callers compare the class themselves; the fields are those of every error of the SDK.
    return error as InstanceType<typeof Anthropic.APIError>;
  }
  throw new Error('expected an error');
};
