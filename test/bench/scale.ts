/**
 * Reviews per minute with 1, 2, 4 and 8 reviewer processes of one job each, all else as real processes, against a forge and
 * a model that are simulated. The model takes five seconds and answers once per review. The processes are warm: each has
 * reviewed before, and the mirrors are there. Reviews are queued while the queue is paused, so that only reviewers count.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { reply, toolUse } from '../sim/messages/reply.ts';
import { startMessagesSim } from '../sim/messages/start.ts';
import { SUBMIT, writeSubmission } from '../sim/messages/submission.ts';
import { AUTHOR, type Fleet, startFleet } from '../support/fleet.ts';
import { handsOn } from '../support/fleet-forge.ts';
import { until } from '../support/fleet-queues.ts';
import { commitBase } from '../support/fleet-story.ts';
import { busySeconds, cores, processSeconds } from './cpu-time.ts';

const PROCESSES = [1, 2, 4, 8] as const;
const MODEL_MS = 5_000;
/**
 * Reviews of each process in a measurement. All processes begin at the same moment, and so compete for the processors, and
 * wait for the slowest at the end. With three reviews each, these two moments were a sixth of the measurement.
 */
const WAVES = 8;
const LIMIT_MS = 120_000;
const PROJECTS = ['shop', 'bank', 'mill', 'farm'];
/** Above it, waiting for the processor decides, not the model. */
const BUSY_LIMIT = 0.8;

type Stage = { readonly fleet: Fleet; readonly queue: Queue };

/** The changes are small and touch nothing risky, so that no finders are sent. */
let opened = 0;

const openOne = async ({ fleet }: Stage): Promise<void> => {
  opened += 1;
  const hands = handsOn(fleet.sim);
  const repo = fleet.repos[opened % fleet.repos.length] ?? '';
  const branch = `change-${opened}`;
  const files = { [`words-${opened}.js`]: `export const words = (text) => text.split(' ').slice(0, ${opened});\n` };
  await hands.commit({ repo, branch, files, message: 'Add words\n', author: AUTHOR });
  await hands.open({ repo, branch, title: `Words ${opened}`, author: AUTHOR });
};

type Round = { readonly perMinute: number; readonly cpuS: number; readonly busy: number };

/** Queues the reviews, then lets them run, and measures until the last one has ended. */
const measure = async (stage: Stage, reviews: number): Promise<Round> => {
  const { queue, fleet } = stage;
  await queue.pause();
  const before = await queue.getCompletedCount();
  for (let index = 0; index < reviews; index += 1) await openOne(stage);
  await until(async () => (await queue.getJobCountByTypes('prioritized', 'wait')) >= reviews, LIMIT_MS);
  const pids = fleet.alive('reviewer').map(({ pid }) => pid);
  const spent = (): number => pids.reduce((sum, pid) => sum + processSeconds(pid), 0);
  const start = { atMs: performance.now(), cpuS: spent(), busyS: busySeconds() };
  await queue.resume();
  await until(async () => (await queue.getCompletedCount()) >= before + reviews, LIMIT_MS);
  const tookS = (performance.now() - start.atMs) / 1000;
  return {
    perMinute: (reviews * 60) / tookS,
    cpuS: (spent() - start.cpuS) / reviews,
    busy: (busySeconds() - start.busyS) / (tookS * cores),
  };
};

const COLUMNS = ['reviewers', 'per minute', 'ratio', 'CPU s per review', 'machine busy'];

const printRow = (cells: readonly string[]): void => console.log(cells.map((cell) => cell.padStart(18)).join(''));

const printCeiling = (rounds: readonly Round[]): void => {
  const last = rounds.at(-1);
  if (last === undefined) return;
  const ceiling = (cores * BUSY_LIMIT * 60) / last.cpuS;
  const share = `${Math.round(BUSY_LIMIT * 100)} % of ${cores} cores`;
  console.log(
    `a review takes ${last.cpuS.toFixed(2)} s of CPU: ${share} allow ${ceiling.toFixed(0)} reviews per minute`,
  );
};

export const benchScale = async (): Promise<void> => {
  const model = await startMessagesSim({ apiKeys: [['scale', 'model', 'key', '0123456789'].join('-')] });
  model.script(async (exchange) => {
    await pause(MODEL_MS);
    const summary = 'Looked at the change and found nothing.';
    return reply([toolUse(SUBMIT, writeSubmission(exchange, { summary, defects: [], choose: () => null }))]);
  });
  const fleet = await startFleet({
    count: { reviewer: 0, explorer: 0 },
    repos: PROJECTS,
    knobs: { reviewConcurrency: 1, lockMs: 30_000, stalledMs: 30_000, runningPerProject: 50, model },
  });
  const redis = connectRedis(fleet.redis.url, 'worker');
  const queues = createQueues(redis, createKeys('fixpoint').queues);
  try {
    await commitBase(fleet);
    const stage = { fleet, queue: queues.queue('review') };
    console.log(`\nscale: reviewers with one job each, a model of ${MODEL_MS / 1000} s, ${WAVES} reviews per process`);
    printRow(COLUMNS);
    const rounds: Round[] = [];
    for (const count of PROCESSES) {
      while (fleet.alive('reviewer').length < count) await fleet.spawn('reviewer');
      await measure(stage, count);
      const round = await measure(stage, count * WAVES);
      rounds.push(round);
      const ratio = round.perMinute / (rounds[0]?.perMinute ?? Number.NaN);
      const busy = `${Math.round(round.busy * 100)} %`;
      printRow([String(count), round.perMinute.toFixed(1), ratio.toFixed(2), round.cpuS.toFixed(2), busy]);
    }
    printCeiling(rounds);
    if (model.violations.length > 0) throw new Error(`the model was misused: ${model.violations[0]}`);
  } finally {
    await queues.close();
    redis.disconnect();
    await fleet.close();
    await model.close();
  }
};
