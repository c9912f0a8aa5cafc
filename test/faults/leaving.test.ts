/** Rows Q2, Q3 and Q13: a process gets SIGTERM while it works, crashes again and again, or sleeps through its lock. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ServiceName } from '../../shared/config/service-needs.ts';
import type { FaultMatch } from '../sim/forgejo/faults.ts';
import { usually } from '../support/deep.ts';
import { BOT, type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetQueues, openQueues, until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, readerView } from '../support/fleet-story.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { playUndisturbed, type ReaderView } from '../support/undisturbed.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

let fleet: Fleet;
let queues: FleetQueues;
let undisturbed: readonly ReaderView[];

beforeAll(async () => {
  fleet = await startFleet({
    count: { explorer: DEEP ? 1 : 0 },
    knobs: { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5 },
  });
  queues = openQueues(fleet);
  await commitBase(fleet);
  undisturbed = await playUndisturbed(fleet);
}, 240_000);
beforeEach(async () => queues.idle());
afterAll(async () => {
  await queues?.close();
  await fleet?.close();
});

const begin = async (branch: string) => openStory(fleet, fleet.repos[0] ?? '', branch);

/** Orchestrators kill after ten seconds. */
const LEAVE_MS = 10_000;
const TEST_MS = 180_000;

type Leaving = { readonly service: ServiceName; readonly during: string; readonly match: FaultMatch };

/** Each service gets SIGTERM during a call that only it makes. */
const LEAVINGS: readonly Leaving[] = [
  {
    service: 'guard',
    during: 'reading the facts',
    match: { method: 'GET', path: /\/pulls\/\d+$/, user: 'fixpoint-reader' },
  },
  { service: 'reviewer', during: 'fetching the code', match: { path: 'git-upload-pack' } },
  { service: 'poster', during: 'posting the review', match: { method: 'POST', path: /\/reviews$/ } },
];

describe.sequential('a service that is told to leave', () => {
  for (const { service, during, match } of LEAVINGS) {
    test(
      `Q13: a ${service} leaves within ten seconds while ${during}, and another one goes on`,
      async () => {
        const [leaver] = fleet.alive(service);
        let exit: ReturnType<ServiceProcess['terminate']> | undefined;
        fleet.sim.fault(match, { kind: 'meanwhile', task: () => void (exit = leaver?.terminate()) });
        const told = await begin(`leaving-${service}`);
        await fleet.sim.until(() => exit !== undefined, 60_000);
        await fleet.spawn(service);
        const { code, signal, tookMs } = (await exit) ?? { code: null, signal: null, tookMs: Number.NaN };
        expect({ code, signal, inTime: tookMs < LEAVE_MS }).toEqual({ code: 0, signal: null, inTime: true });
        await awaitVerdict(fleet, told);
        expect(readerView(fleet, told)).toEqual(undisturbed[0]);
      },
      TEST_MS,
    );
  }

  test(
    'Q13: a poster whose forge does not answer hands its work back and leaves all the same',
    async () => {
      const [leaver] = fleet.alive('poster');
      const hanging = fleet.sim.fault({ method: 'POST', path: /\/reviews$/ }, { kind: 'timeout' });
      const told = await begin('leaving-stuck');
      await fleet.sim.until(() => hanging.remaining() === 0, 60_000);
      const { code, signal, tookMs } = (await leaver?.terminate()) ?? { code: null, signal: null, tookMs: Number.NaN };
      expect({ code, signal, inTime: tookMs < LEAVE_MS }).toEqual({ code: 0, signal: null, inTime: true });
      await fleet.spawn('poster');
      await awaitVerdict(fleet, told);
      expect(readerView(fleet, told)).toEqual(undisturbed[0]);
    },
    TEST_MS,
  );

  for (const service of usually('ingress' as const, 'explorer' as const)) {
    test(
      `Q13: an idle ${service} leaves within ten seconds with code 0`,
      async () => {
        const [leaver] = fleet.alive(service);
        const exit = await leaver?.terminate();
        expect({ code: exit?.code, inTime: (exit?.tookMs ?? Number.NaN) < LEAVE_MS }).toEqual({
          code: 0,
          inTime: true,
        });
        await fleet.spawn(service);
      },
      TEST_MS,
    );
  }
});

describe.sequential('a service that dies again and again', () => {
  // The third time would be the last: see `dying.test.ts` and `dying-guard.test.ts`.
  const TIMES = 2;
  const DYING = usually(
    { service: 'poster', at: 'after-inline:2' } as const,
    { service: 'reviewer', at: 'before-draft' } as const,
    { service: 'guard', at: 'before-post_review' } as const,
  );

  for (const { service, at } of DYING) {
    test(
      `Q2: a ${service} killed ${TIMES} times at ${at} costs no comment and no attempt`,
      async () => {
        await Promise.all(fleet.alive(service).map(async (each) => each.kill()));
        let doomed = await fleet.spawn(service, { crashAt: at });
        const told = await begin(`dying-${service}`);
        for (let kill = 1; kill < TIMES; kill += 1) {
          expect((await doomed.exited).signal).toBe('SIGKILL');
          doomed = await fleet.spawn(service, { crashAt: at.split(':')[0] ?? at });
        }
        expect((await doomed.exited).signal).toBe('SIGKILL');
        await fleet.spawn(service);
        await awaitVerdict(fleet, told);
        expect(readerView(fleet, told)).toEqual(undisturbed[0]);
      },
      TEST_MS,
    );
  }
});

describe.sequential('a service that sleeps through its lock', () => {
  test(
    'Q3: a poster that stood still before it wrote, while another one posted, writes nothing when it goes on',
    async () => {
      const [sleeper] = fleet.alive('poster');
      if (sleeper === undefined) throw new Error('no poster runs');
      let isAsleep = false;
      const sleep = (): void => {
        process.kill(sleeper.pid, 'SIGSTOP');
        isAsleep = true;
      };
      // The announcement is posted before the code is fetched, so the next look at the comments is that of the result.
      const arm = (): void =>
        void fleet.sim.fault({ method: 'GET', path: /\/comments/, user: BOT }, { kind: 'meanwhile', task: sleep });
      fleet.sim.fault({ path: 'git-upload-pack' }, { kind: 'meanwhile', task: arm });
      const told = await begin('asleep');
      await fleet.sim.until(() => isAsleep, 60_000);
      await fleet.spawn('poster');
      await awaitVerdict(fleet, told);
      const posted = fleet.sim.effects.length;
      const before = sleeper.records.length;
      process.kill(sleeper.pid, 'SIGCONT');
      await until(() => sleeper.records.length > before);
      await queues.idle();
      expect((await sleeper.terminate()).code).toBe(0);
      expect(readerView(fleet, told)).toEqual(undisturbed[0]);
      expect(fleet.sim.effects.slice(posted)).toEqual([]);
    },
    TEST_MS,
  );
});
