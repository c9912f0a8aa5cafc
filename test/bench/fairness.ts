/**
 * One project with many change requests beside projects with one each. Guard, its queues and slots, and the poster are
 * real; a review takes a fixed time. Printed: how long the small projects wait for their verdict, alone and beside the
 * crowd, all opened at once after it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { connectRedis } from '../../shared/store/redis.ts';
import { createLogger } from '../../shared/logger.ts';
import { changeRequestKey, type ChangeRequest } from '../../shared/vocabulary/ids.ts';
import { startRedis } from '../support/redis.ts';
import { median, quantile } from './numbers.ts';
import { startPipeline } from './pipeline-stage.ts';

export type FairnessWish = {
  /** Change requests of the one busy project. */
  readonly crowd: number;
  /** Projects with one change request each. */
  readonly small: number;
  readonly reviewMs: number;
  readonly limitMs: number;
  /** What reports the crowd's change requests. Default: the forge. */
  readonly crowdFrom?: 'forge' | 'sweep';
};

/** Milliseconds until the verdict of each small project, and how many verdicts the crowd got until the last of them. */
export type Waited = {
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  readonly crowdEnded: number;
};

const BUSY = 1;

const smallOnes = (count: number, run: number): readonly ChangeRequest[] =>
  Array.from({ length: count }, (_, index) => ({ forge: 'sim', projectId: BUSY + 1 + index, number: run }));

const crowdOf = (count: number): readonly ChangeRequest[] =>
  Array.from({ length: count }, (_, index) => ({ forge: 'sim', projectId: BUSY, number: 1 + index }));

type Yard = {
  readonly open: (of: ChangeRequest, source?: 'forge' | 'sweep') => Promise<void>;
  /** Opens a change request and resolves with the milliseconds until its verdict. */
  readonly waitFor: (of: ChangeRequest) => Promise<number>;
  readonly verdicts: readonly ChangeRequest[];
};

const inYard = async <Result>(
  { reviewMs, limitMs }: Pick<FairnessWish, 'reviewMs' | 'limitMs'>,
  measure: (yard: Yard) => Promise<Result>,
): Promise<Result> => {
  const server = await startRedis();
  const redis = connectRedis(server.url, 'worker');
  const log = createLogger({ service: 'bench', level: 'error', to: 'stderr', secrets: [] });
  const ended = new Map<string, () => void>();
  const verdicts: ChangeRequest[] = [];
  const pipeline = await startPipeline({
    redis,
    log,
    prefix: 'fair',
    more: '[limits]\nrunning_per_project = 1',
    concurrency: { review: 2 },
    reviewMs,
    onVerdict: (of) => {
      verdicts.push(of);
      ended.get(changeRequestKey(of))?.();
    },
  });
  const waitFor = async (of: ChangeRequest): Promise<number> => {
    const begun = performance.now();
    const done = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${changeRequestKey(of)} got no verdict`)), limitMs);
      ended.set(changeRequestKey(of), () => (clearTimeout(late), resolve()));
    });
    await pipeline.open(of);
    await done;
    return performance.now() - begun;
  };
  try {
    return await measure({ open: pipeline.open, waitFor, verdicts });
  } finally {
    await pipeline.close();
    redis.disconnect();
    await server.stop();
  }
};

const openCrowd = async (yard: Yard, count: number, source: 'forge' | 'sweep'): Promise<void> => {
  await Promise.all(crowdOf(count).map(async (of) => yard.open(of, source)));
};

export const measureFairness = async (wish: FairnessWish): Promise<Waited> =>
  inYard(wish, async (yard) => {
    const alone = await Promise.all(smallOnes(wish.small, 1).map(yard.waitFor));
    await openCrowd(yard, wish.crowd, wish.crowdFrom ?? 'forge');
    const beside = await Promise.all(smallOnes(wish.small, 2).map(yard.waitFor));
    const crowdEnded = yard.verdicts.filter(({ projectId }) => projectId === BUSY).length;
    return { alone, beside, crowdEnded };
  });

/** How many waiting change requests that the sweep reported get a verdict before one of their project that was just opened. */
export const countBeforeFresh = async (wish: Omit<FairnessWish, 'small' | 'crowdFrom'>): Promise<number> =>
  inYard(wish, async (yard) => {
    await openCrowd(yard, wish.crowd, 'sweep');
    // Two verdicts later, guard has seen the others too, and they wait for a slot.
    while (yard.verdicts.length < 2) await pause(10, undefined, { signal: AbortSignal.timeout(wish.limitMs) });
    const before = yard.verdicts.length;
    await yard.waitFor({ forge: 'sim', projectId: BUSY, number: wish.crowd + 1 });
    return yard.verdicts.length - 1 - before;
  });

const CROWD = 500;
const SMALL = 20;
const REVIEW_MS = 200;
const LIMIT_MS = 180_000;

const row = (name: string, waited: readonly number[]): string =>
  `  ${name.padEnd(28)}${median(waited).toFixed(0).padStart(8)}${quantile(waited, 1).toFixed(0).padStart(8)}`;

/** Throws if a small project waits longer than twice its time alone. */
export const benchFairness = async (): Promise<void> => {
  const wish = { crowd: CROWD, small: SMALL, reviewMs: REVIEW_MS, limitMs: LIMIT_MS };
  console.log(`\nfairness: ${SMALL} projects of 1 beside one of ${CROWD}, ${REVIEW_MS} ms a review, two at a time`);
  console.log(`  ${''.padEnd(28)}${'median'.padStart(8)}${'last ms'.padStart(8)}`);
  for (const crowdFrom of ['forge', 'sweep'] as const) {
    const { alone, beside } = await measureFairness({ ...wish, crowdFrom });
    console.log(row('alone', alone));
    console.log(row(`beside a crowd of the ${crowdFrom}`, beside));
    const ratio = quantile(beside, 1) / quantile(alone, 1);
    console.log(`  ratio of the last: ${ratio.toFixed(2)}`);
    if (ratio > 2) throw new Error('a small project waits longer than twice its time alone');
  }
};
