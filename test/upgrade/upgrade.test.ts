/**
 * The previous version and this one side by side on one Redis, on each forge: one run per review, nothing is said twice,
 * nothing is lost. `npm run test:upgrade` builds the previous version.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startFleet } from '../support/fleet.ts';
import { type FleetSim, FORGE_KINDS } from '../support/fleet-forge.ts';
import { type FleetQueues, openQueues } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, ROUNDS, statusOf, type Told } from '../support/fleet-story.ts';
import type { Fleet } from '../support/fleet.ts';
import { playReview } from '../support/undisturbed.ts';
import {
  ALL_NEW,
  ALL_OLD,
  type Crew,
  crewOf,
  expectSaidOnce,
  NOBODY,
  play,
  SERVICES,
  type TwoVersions,
  type Version,
  withVersions,
} from './crew.ts';
import { buildPrevious, type PreviousVersion, UPGRADE_FROM } from './previous-version.ts';

/** Gitea differs from Forgejo in few answers, so it is left to the deep run. */
const KINDS = FORGE_KINDS.filter((kind) => process.env['FIXPOINT_DEEP'] === '1' || kind !== 'gitea');

const START_MS = 600_000;
const STORY_MS = 300_000;

const other = (version: Version): Version => (version === 'old' ? 'new' : 'old');

let previous: PreviousVersion | null = null;

const distOfPrevious = (): string => {
  previous ??= buildPrevious();
  return previous.dist;
};

afterAll(() => previous?.remove());

describe.skipIf(UPGRADE_FROM === '').each(KINDS)('on %s, the previous version and this one', (kind) => {
  let fleet: Fleet<FleetSim>;
  let queues: FleetQueues;
  let both: TwoVersions;

  beforeAll(async () => {
    fleet = await startFleet({
      forge: kind,
      count: NOBODY,
      knobs: { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5 },
    });
    queues = openQueues(fleet);
    both = withVersions(fleet, distOfPrevious());
    await commitBase(fleet);
  }, START_MS);

  afterEach(async () => both.stop(), STORY_MS);

  afterAll(async () => {
    await queues?.close();
    await fleet?.close();
  });

  const playAll = async (branch: string): Promise<void> => {
    let told: Told | null = null;
    for (let review = 1; review <= ROUNDS; review += 1) told = await play(both, told, { branch, review });
  };

  test.each([
    ['an old guard works with a new reviewer and poster', crewOf((service) => (service === 'guard' ? 'old' : 'new'))],
    ['a new guard works with an old reviewer and poster', crewOf((service) => (service === 'guard' ? 'new' : 'old'))],
    ['an old reviewer works with new services', crewOf((service) => (service === 'reviewer' ? 'old' : 'new'))],
    ['a new reviewer works with old services', crewOf((service) => (service === 'reviewer' ? 'new' : 'old'))],
    ['an old poster works with new services', crewOf((service) => (service === 'poster' ? 'old' : 'new'))],
    ['a new poster works with old services', crewOf((service) => (service === 'poster' ? 'new' : 'old'))],
    ['an old ingress works with new services', crewOf((service) => (service === 'ingress' ? 'old' : 'new'))],
    ['a new ingress works with old services', crewOf((service) => (service === 'ingress' ? 'new' : 'old'))],
  ] as const)(
    '%s',
    async (title, crew) => {
      await both.start(crew);
      await playAll(title.replaceAll(' ', '-'));
    },
    STORY_MS,
  );

  test(
    'compete for every job, with two processes of each service',
    async () => {
      const everyone: Crew = Object.fromEntries(SERVICES.map((service) => [service, ['old', 'new'] as const]));
      await both.start(everyone);
      const branches = ['side-by-side-1', 'side-by-side-2', 'side-by-side-3'];
      const told: (Told | null)[] = branches.map(() => null);
      for (let review = 1; review <= ROUNDS; review += 1) {
        for (const [at, branch] of branches.entries())
          told[at] = await playReview(fleet, told[at] ?? null, { branch, review });
        for (const each of told) if (each !== null) await awaitVerdict(fleet, each);
        for (const each of told) if (each !== null) await expectSaidOnce(fleet, each, review);
      }
    },
    STORY_MS,
  );

  test.each([
    ['keep their state', false],
    ['keep only their markers, because Redis is wiped each time', true],
  ])(
    'take turns: after the update to this one and after the way back, change requests %s',
    async (_how, isWiped) => {
      const branch = isWiped ? 'turns-with-markers' : 'turns-with-state';
      let told: Told | null = null;
      for (const [index, crew] of [ALL_OLD, ALL_NEW, ALL_OLD].entries()) {
        await both.replaceBy(crew);
        if (isWiped) await queues.flush();
        told = await play(both, told, { branch, review: index + 1 });
      }
      // Words of both versions stand on the forge now; the update repeats none of them.
      await both.replaceBy(ALL_NEW);
      if (isWiped) await queues.flush();
      await queues.idle();
      if (told !== null) await expectSaidOnce(fleet, told, ROUNDS);
    },
    STORY_MS,
  );

  test.each([
    ['old', 'announcements', ['poster', 'reviewer']],
    ['old', 'reviews', ['reviewer']],
    ['new', 'announcements', ['poster', 'reviewer']],
    ['new', 'reviews', ['reviewer']],
  ] as const)(
    'jobs of the %s one that wait in the queues (%s) are done by the other one',
    async (version, what, missing) => {
      const first = crewOf(() => version);
      const present: Crew = Object.fromEntries(
        Object.entries(first).filter(([service]) => !missing.some((each) => each === service)),
      );
      // Guard decides nothing before a poster has named its account.
      await both.start({ poster: [version] });
      if (missing.some((each) => each === 'poster')) await both.stop(['poster']);
      await both.start(what === 'reviews' ? { ...present, poster: [] } : present);
      const branch = `left-${what}-by-${version}`;
      const told = await playReview(fleet, null, { branch, review: 1 });
      await queues.jobs(what === 'reviews' ? 'review' : 'post', 1);
      await both.replaceBy(crewOf(() => other(version)));
      await awaitVerdict(fleet, told);
      await expectSaidOnce(fleet, told, 1);
    },
    STORY_MS,
  );

  const KILLED = [
    ['poster', 'after-inline', 1],
    ['poster', 'after-summary:2', 2],
    ['reviewer', 'before-review', 1],
    ['reviewer', 'before-report', 1],
    ['guard', 'before-review', 1],
    ['guard', 'after-save:2', 2],
    ['guard', 'before-post_review', 1],
    ['ingress', 'after-push', 1],
  ] as const;

  test.each(
    KILLED.flatMap(([service, at, review]) =>
      (['old', 'new'] as const).map((version) => ({ service, at, review, version })),
    ),
  )(
    'SIGKILL of the $version $service at $at in review $review: the services of the other version continue',
    async ({ service, at, review, version }) => {
      const before = crewOf(() => version);
      await both.start(before);
      const branch = `killed-${version}-${service}-${at.replace(':', '-')}-${review}`;
      let told: Told | null = null;
      for (let round = 1; round < review; round += 1) told = await play(both, told, { branch, review: round });
      await queues.idle();
      await both.stop([service]);
      await both.start({ [service]: [version] }, { crashAt: at });
      const [doomed] = fleet.alive(service);
      const next = await playReview(fleet, told, { branch, review });
      expect(await doomed?.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await both.replaceBy(crewOf(() => other(version)));
      await awaitVerdict(fleet, next);
      await expectSaidOnce(fleet, next, review);
      expect(statusOf(fleet, next)).toBeDefined();
    },
    STORY_MS,
  );
});
