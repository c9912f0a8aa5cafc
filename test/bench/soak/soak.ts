/**
 * An installation under load for some minutes: real services as processes, a real Redis, and a simulated forge on which
 * change requests are opened and pushed to at an even pace. Only rules review, or a simulated model too. Printed: whether
 * the memory of each service grows, and every kind of key without an expiry. A key that should have one is a fault, and so
 * is a service that ends.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { QUEUES } from '../../../shared/queue/contracts.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { seededReviewer } from '../../sim/messages/seeded-reviewer.ts';
import { interrupted } from '../../sim/shared/interrupted.ts';
import { type Fleet, startFleet } from '../../support/fleet.ts';
import { openQueues } from '../../support/fleet-queues.ts';
import { commitBase } from '../../support/fleet-story.ts';
import type { ServiceProcess } from '../../support/service-process.ts';
import { MESSAGES_WIRE, stageOf } from '../../support/wires.ts';
import { faultsOf, groupLastingKeys } from './lasting-keys.ts';
import { type LiveMemory, startLiveMemory } from './live-memory.ts';
import { printKeys, printMemory, printRedis } from './print.ts';
import { pushEvenly } from './push-evenly.ts';
import { type Sample, sampleRegularly } from './sample.ts';
import type { SoakWish } from './wish.ts';

const PREFIX = 'fixpoint';
const PROJECTS = ['shop', 'bank', 'mill', 'farm', 'port'];
const MINUTE_MS = 60_000;
const SAMPLE_MS = 10_000;
/** Once a minute. */
const LIVE_EVERY = 6;
const WARM_UP_MS = 2 * MINUTE_MS;
/** The warm-up of a short run. */
const WARM_UP_SHARE = 0.25;
/** Several sweeps in a run, because they keep things in Redis too. */
const SWEEP_S = 60;
const IDLE_MS = 120_000;
const STOP_MS = 20_000;
const LOCK_MS = 30_000;
const SEED = 1;

/** Actions so far. */
type Done = { readonly open: number; readonly push: number };

type Run = { readonly samples: readonly Sample[]; readonly done: Done };

type Stage = {
  readonly fleet: Fleet;
  readonly redis: Redis;
  readonly live: LiveMemory;
  readonly signal: AbortSignal;
};

const inMinutes = (ms: number): string => (ms / MINUTE_MS).toFixed(1);

const printProgress = ({ atMs, keys, lasting }: Sample, { open, push }: Done): void =>
  console.log(
    `  ${inMinutes(atMs)} min: ${open} opened, ${push} pushed to again; ${keys} keys, ${lasting} without an expiry`,
  );

const runLoad = async ({ fleet, redis, live, signal }: Stage, { minutes, changeRequests }: SoakWish): Promise<Run> => {
  const samples: Sample[] = [];
  const done = { open: 0, push: 0 };
  const onDone = (kind: keyof Done): void => {
    done[kind] += 1;
  };
  const ended = new AbortController();
  const both = AbortSignal.any([signal, ended.signal]);
  const onSample = (sample: Sample): void => {
    samples.push(sample);
    if (samples.length % (MINUTE_MS / SAMPLE_MS) === 0) printProgress(sample, done);
  };
  const load = { fleet, changeRequests, durationMs: minutes * MINUTE_MS, signal: both, onDone };
  await Promise.all([
    pushEvenly(load).finally(() => ended.abort()),
    sampleRegularly({
      fleet,
      redis,
      everyMs: SAMPLE_MS,
      liveEvery: LIVE_EVERY,
      measureLive: live.measure,
      signal: both,
      onSample,
    }).finally(() => ended.abort()),
  ]);
  return { samples, done };
};

const printRun = (run: Run, wish: SoakWish, names: readonly string[]): void => {
  const warmUpMs = Math.min(WARM_UP_MS, wish.minutes * MINUTE_MS * WARM_UP_SHARE);
  const { open, push } = run.done;
  console.log(`${open} of ${wish.changeRequests} change requests opened, ${push} pushed to again`);
  const measured = run.samples.filter(({ atMs }) => atMs >= warmUpMs);
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined) throw new Error('there are no samples after the warm-up');
  printMemory(names, measured);
  printRedis(first, last);
};

const printJobs = async ({ fleet, redis }: Stage): Promise<void> => {
  const queues = openQueues(fleet);
  const startedAt = performance.now();
  const isIdle = await queues.idle(IDLE_MS).then(
    () => true,
    () => false,
  );
  await queues.close();
  const took = `${((performance.now() - startedAt) / 1000).toFixed(0)} s after the last push`;
  console.log(`\n${isIdle ? 'no job waited' : 'jobs still waited: the machine is too slow for this pace,'} ${took}`);
  const { queues: start } = createKeys(PREFIX);
  const counts = await Promise.all(
    Object.values(QUEUES).map(async ({ name }) => {
      const inState = async (state: string): Promise<number> => redis.zcard(`${start}:${name}:${state}`);
      const [done, failed, delayed] = [await inState('completed'), await inState('failed'), await inState('delayed')];
      return `${name} ${done} done, ${failed} failed, ${delayed} delayed`;
    }),
  );
  console.log(`jobs in Redis: ${counts.join('; ')}`);
};

const stop = async (service: ServiceProcess): Promise<void> => {
  const late = pause(STOP_MS, undefined, { ref: false }).then(async () => service.kill());
  await Promise.race([service.terminate(), late]);
};

const endedEarly = ({ processes, alive }: Fleet): readonly string[] =>
  processes
    .filter((each) => !alive(each.name).includes(each))
    .map(({ name, output }) => `${name} ended during the run: ${output.slice(-3).join('\n')}`);

/** Returns the faults. */
const soak = async (stage: Stage, wish: SoakWish): Promise<readonly string[]> => {
  const { fleet, redis } = stage;
  await commitBase(fleet);
  const run = await runLoad(stage, wish);
  const early = endedEarly(fleet);
  printRun(run, wish, [...new Set(fleet.processes.map(({ name }) => name))].toSorted());
  await printJobs(stage);
  await Promise.all(fleet.processes.map(stop));
  const groups = await groupLastingKeys(redis, PREFIX);
  printKeys(groups);
  return [...early, ...faultsOf(groups)];
};

type Model = Awaited<ReturnType<typeof MESSAGES_WIRE.start>>;

const startModel = async (): Promise<Model> => {
  const model = await MESSAGES_WIRE.start();
  model.script(seededReviewer(SEED));
  return model;
};

const startStage = async (model: Model | null, { env }: LiveMemory): Promise<Fleet> => {
  const knobs = { sweepSeconds: SWEEP_S, lockMs: LOCK_MS, stalledMs: LOCK_MS };
  const more = model === null ? {} : { model: stageOf(MESSAGES_WIRE, model) };
  return startFleet({ repos: PROJECTS, env, knobs: { ...knobs, ...more } });
};

const soakStage = async (means: Omit<Stage, 'redis'>, wish: SoakWish): Promise<void> => {
  const { fleet } = means;
  const redis = connectRedis(fleet.redis.url, 'worker');
  let faults: readonly string[];
  try {
    faults = await soak({ ...means, redis }, wish);
    console.log('\nsearching logs, requests and Redis for secrets');
  } finally {
    redis.disconnect();
    await fleet.close();
  }
  if (faults.length > 0) throw new Error(`faults:\n${faults.join('\n')}`);
  console.log('no faults');
};

/** Throws if there is a fault, or when it is interrupted. Ends all processes in every case. */
export const benchSoak = async (wish: SoakWish): Promise<void> => {
  const stopping = new AbortController();
  void interrupted().then(() => stopping.abort(new Error('interrupted')));
  const { minutes, changeRequests, withModel } = wish;
  const how = `reviewed by rules${withModel ? ' and a simulated model' : ''}`;
  console.log(`\nsoak: ${changeRequests} change requests and a second push to each in ${minutes} min, ${how}`);
  const model = withModel ? await startModel() : null;
  const live = await startLiveMemory();
  try {
    await soakStage({ fleet: await startStage(model, live), live, signal: stopping.signal }, wish);
  } finally {
    await live.close();
    await model?.close();
  }
};
