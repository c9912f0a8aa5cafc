/** How long one change request takes when nothing else runs: from the webhook to its first comment and to its verdict. */
import { setTimeout as pause } from 'node:timers/promises';
import { changeRequestKey } from '../../shared/vocabulary/ids.ts';
import { quantile } from './numbers.ts';
import type { Pipeline } from './pipeline-stage.ts';

const TIMES = 100;
const LIMIT_MS = 10_000;
/** Longer than guard takes to end the run after the verdict. */
const IDLE_MS = 60;
const FIRST_NUMBER = 1_000_000;

/** Both are replaced for each change request. Contract: the caller passes the key of the change request. */
export type Alone = { onComment: (key: string) => void; onVerdict: (key: string) => void };

export const measureAtRest = async (stage: Pick<Pipeline, 'deliver'>, alone: Alone): Promise<void> => {
  const commentMs: number[] = [];
  const verdictMs: number[] = [];
  for (let index = 0; index < TIMES; index += 1) {
    const of = { forge: 'sim', projectId: 1, number: FIRST_NUMBER + index };
    const key = changeRequestKey(of);
    const [toComment, toVerdict] = [nextOf(key), nextOf(key)];
    [alone.onComment, alone.onVerdict] = [toComment.come, toVerdict.come];
    await stage.deliver(of);
    commentMs.push(await toComment.tookMs);
    verdictMs.push(await toVerdict.tookMs);
    await pause(IDLE_MS);
  }
  const line = (all: readonly number[]): string =>
    [0.5, 0.9, 0.99].map((share) => quantile(all, share).toFixed(1)).join(' / ');
  console.log(`at rest, ${TIMES} times, from the webhook, p50 / p90 / p99 ms:`);
  console.log(`first comment ${line(commentMs)}, verdict ${line(verdictMs)}`);
};

type Awaited = { readonly come: (key: string) => void; readonly tookMs: Promise<number> };

const nextOf = (wanted: string): Awaited => {
  const begun = performance.now();
  let come: (key: string) => void = () => {};
  const tookMs = new Promise<number>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`nothing was said about ${wanted}`)), LIMIT_MS);
    come = (key) => {
      if (key !== wanted) return;
      clearTimeout(late);
      resolve(performance.now() - begun);
    };
  });
  return { come: (key) => come(key), tookMs };
};
