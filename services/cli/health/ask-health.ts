import { z } from 'zod';
import { timeLimit } from '../../../shared/time-limit.ts';

/** Longer than a check may take in the service, shorter than the time limit of the compose file. */
const LIMIT_MS = 4_000;

const Answer = z.object({ ready: z.boolean(), problems: z.array(z.string()) });

/** `problems` is empty when the service is ready. */
export type Health = { readonly ready: boolean; readonly problems: readonly string[] };

const notReady = (problem: string): Health => ({ ready: false, problems: [problem] });

/** Contract: `url` is an address of this machine, without a path. Throws only `signal.reason`. */
export const askHealth = async (url: string, signal: AbortSignal): Promise<Health> => {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: timeLimit(LIMIT_MS, signal) });
    const text = await answer.text();
    return parseHealth(answer.status, text) ?? notReady(`${url} is not a service of Fixpoint`);
  } catch (error) {
    signal.throwIfAborted();
    return notReady(`does not answer at ${url}${reasonOf(error)}`);
  }
};

/** `fetch` hides the reason in a cause. */
const reasonOf = (error: unknown): string => {
  const { cause } = error instanceof Error ? error : { cause: undefined };
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
};

const parseHealth = (status: number, text: string): Health | null => {
  try {
    const { ready, problems } = Answer.parse(JSON.parse(text));
    if (ready) return status === 200 ? { ready, problems: [] } : null;
    return { ready, problems };
  } catch {
    return null;
  }
};
