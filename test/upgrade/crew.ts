/** Services of two versions on one Redis and one forge, and what must be true of what they said. */
import { expect } from 'vitest';
import type { ServiceName } from '../../shared/config/service-needs.ts';
import { QUEUES, type QueueName } from '../../shared/queue/contracts.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { readMarkers } from '../../shared/rounds/memory/marker.ts';
import type { MarkerPayload, SummaryMarker } from '../../shared/rounds/model/marker-payload.ts';
import { createKeys } from '../../shared/store/keys.ts';
import type { Fleet, SpawnOptions } from '../support/fleet.ts';
import { type FleetSim, handsOn } from '../support/fleet-forge.ts';
import { awaitVerdict, FINDINGS, findingsIn, readerView, type Told } from '../support/fleet-story.ts';
import { playReview } from '../support/undisturbed.ts';

export type Version = 'old' | 'new';

/** The versions of the processes of each service. */
export type Crew = Partial<Readonly<Record<ServiceName, readonly Version[]>>>;

export const SERVICES = ['poster', 'guard', 'reviewer', 'ingress'] as const;
type Service = (typeof SERVICES)[number];

/** One process per service. */
export const crewOf = (versionOf: (service: Service) => Version): Crew =>
  Object.fromEntries(SERVICES.map((service) => [service, [versionOf(service)]]));

export const ALL_OLD = crewOf(() => 'old');
export const ALL_NEW = crewOf(() => 'new');

export const NOBODY: Readonly<Record<ServiceName, number>> = {
  ingress: 0,
  guard: 0,
  reviewer: 0,
  explorer: 0,
  poster: 0,
  author: 0,
  console: 0,
};

const VERDICT_MS = 90_000;

export type TwoVersions = {
  readonly fleet: Fleet<FleetSim>;
  /** Starts processes beside those that run. */
  readonly start: (crew: Crew, options?: SpawnOptions) => Promise<void>;
  /** SIGTERM for every process of these services; by default of all. Each must end with 0. */
  readonly stop: (services?: readonly ServiceName[]) => Promise<void>;
  /** Stops what runs and starts these. */
  readonly replaceBy: (crew: Crew) => Promise<void>;
};

export const withVersions = (fleet: Fleet<FleetSim>, dist: string): TwoVersions => {
  const start: TwoVersions['start'] = async (crew, options = {}) => {
    // Safe cast: a crew has only names of services.
    const entries = Object.entries(crew) as [ServiceName, readonly Version[]][];
    const wanted = entries.flatMap(([name, versions]) => versions.map((version) => [name, version] as const));
    await Promise.all(
      wanted.map(async ([name, version]) => fleet.spawn(name, version === 'old' ? { ...options, dist } : options)),
    );
  };
  const stop: TwoVersions['stop'] = async (services = [...SERVICES, 'explorer']) => {
    const ended = await Promise.all(services.flatMap(fleet.alive).map(async (each) => each.terminate()));
    expect(ended.map(({ code }) => code)).toEqual(ended.map(() => 0));
  };
  return {
    fleet,
    start,
    stop,
    replaceBy: async (crew) => {
      await stop();
      await start(crew);
    },
  };
};

const bodiesOf = ({ sim }: Fleet<FleetSim>, told: Told): readonly string[] => {
  const { comments, reviews, inline } = handsOn(sim).look(told);
  return [...comments, ...reviews, ...inline, ...inline.flatMap(({ replies }) => replies)].map(({ body }) => body);
};

export const markersOf = (fleet: Fleet<FleetSim>, told: Told): readonly MarkerPayload[] =>
  bodiesOf(fleet, told)
    .flatMap((body) => readMarkers(body, [fleet.settings.markerSecret]))
    .map((reading) => {
      if (reading.kind !== 'valid') throw new Error(`a marker is ${reading.kind}`);
      return reading.payload;
    });

export const summaryOf = (fleet: Fleet<FleetSim>, told: Told): SummaryMarker => {
  const [summary, ...others] = markersOf(fleet, told).filter(({ kind }) => kind === 'summary');
  expect(others).toEqual([]);
  if (summary?.kind !== 'summary') throw new Error('there is no summary');
  return summary;
};

/** Each thing was said once, by one run per review, and no job was lost or failed. */
export const expectSaidOnce = async (fleet: Fleet<FleetSim>, told: Told, review: number): Promise<void> => {
  const view = readerView(fleet, told);
  expect(findingsIn(view)).toEqual(FINDINGS[review - 1]);
  expect(view.unpublished).toEqual([]);
  const said = [
    ...view.comments.map(({ body }) => body),
    ...view.inline.map(({ path, line, body }) => `${path}:${line} ${body}`),
    ...view.reviews.map(({ body }) => body).filter((body) => body !== ''),
  ];
  expect(said.filter((body, index) => said.indexOf(body) !== index)).toEqual([]);
  const { phase, review: last, runs, reviewed } = summaryOf(fleet, told);
  expect({ phase, review: last, runs, reviewed: reviewed.length }).toEqual({
    phase: 'posted',
    review,
    runs: review,
    reviewed: review,
  });
  expect(markersOf(fleet, told).filter(({ kind }) => kind === 'handoff')).toEqual([]);
  expect(fleet.sim.violations).toEqual([]);
  expect(await failedJobs(fleet)).toEqual([]);
};

/** The queue and the reason of each job that failed for good. */
export const failedJobs = async (fleet: Fleet<FleetSim>): Promise<readonly string[]> => {
  const redis = fleet.redis.connect();
  const queues = createQueues(redis, createKeys('fixpoint').queues);
  try {
    // Safe cast: the names are the keys of the object.
    const found = (Object.keys(QUEUES) as QueueName[]).map(async (name) => {
      const jobs = await queues.queue(name).getJobs(['failed']);
      return jobs.map(({ failedReason }) => `${name}: ${failedReason}`);
    });
    return (await Promise.all(found)).flat();
  } finally {
    await queues.close();
    redis.disconnect();
  }
};

/** Plays one review to its verdict and checks it. */
export const play = async (
  { fleet }: Pick<TwoVersions, 'fleet'>,
  told: Told | null,
  round: { readonly branch: string; readonly review: number },
): Promise<Told> => {
  const next = await playReview(fleet, told, round);
  await awaitVerdict(fleet, next, VERDICT_MS);
  await expectSaidOnce(fleet, next, round.review);
  return next;
};
