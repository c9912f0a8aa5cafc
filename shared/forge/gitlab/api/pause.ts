import { aborted } from '../../answer.ts';
import type { GitlabContext } from './context.ts';

/** Throws FORGE_ABORTED when the signal aborts. */
export const pause = async (
  { clock, http }: Pick<GitlabContext, 'clock' | 'http'>,
  ms: number,
  signal: AbortSignal,
): Promise<void> => {
  await clock.sleep(ms, signal).catch(() => {
    throw aborted({ forge: http.forgeId, method: 'GET', path: '', attempts: 1 });
  });
};
