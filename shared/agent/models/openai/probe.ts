/** Requests the list of models, because not every server can be asked about a single model. */
import { APIError } from 'openai';
import { z } from 'zod';
import { isTimeout, withTimeLimit } from '../../../time-limit.ts';
import type { ModelProbe } from '../../model/model-probe.ts';
import { type ClientOptions, createClient } from './client.ts';

const List = z.object({ data: z.array(z.object({ id: z.string() })) });

/** GET /models costs nothing: https://platform.openai.com/docs/api-reference/models/list */
export const probeOpenaiModel = async (
  options: ClientOptions,
  model: string,
  signal: AbortSignal,
): Promise<ModelProbe> => {
  const client = createClient(options, () => {});
  try {
    const response = await withTimeLimit({ ms: options.callTimeoutMs, signal }, async (limited) =>
      client.api.models.list({ signal: limited }).asResponse(),
    );
    const list = List.safeParse(await response.json().catch(() => null));
    if (!list.success) return { kind: 'no_answer', status: response.status };
    return { kind: list.data.data.some(({ id }) => id === model) ? 'known' : 'not_listed' };
  } catch (error) {
    signal.throwIfAborted();
    if (isTimeout(error)) return { kind: 'no_answer', status: undefined };
    if (!(error instanceof APIError)) throw error;
    const { status } = error;
    if (status === 401 || status === 403) return { kind: 'key_refused', status };
    return status === 404 || status === 405 ? { kind: 'not_listed' } : { kind: 'no_answer', status };
  } finally {
    await client.close();
  }
};
