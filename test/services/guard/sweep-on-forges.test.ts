/**
 * The sweep through the real adapters on simulated forges: which projects it looks at, what it asks them, and what it
 * finds without a single webhook.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import type { ForgeKind } from '../../../shared/forge/kinds/forge-kind.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { createSweepBench, FORGE, type SweepBench } from './sweep-bench.ts';
import { type FleetSim, FORGE_KINDS, handsOn, startSim } from '../../support/fleet-forge.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const AUTHOR = 'author';
const BOT = 'fixpoint';
const GROUP = 'acme';
const HERE = `https://review.example/webhooks/${FORGE}`;

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});
beforeEach(async () => void (await redis.flushall()));

type Ground = {
  readonly sim: FleetSim;
  /** Two in the group, one of them in a group below where there is such a thing, and one elsewhere. */
  readonly paths: readonly [shop: string, site: string, third: string];
  readonly token: string;
  readonly idOf: (path: string) => number;
  readonly grantAdmin: () => void;
  readonly addHook: (project: string, state: 'working' | 'off') => { readonly mend: () => void };
};

const SHOP = `${GROUP}/shop`;
const THIRD = 'other/third';

const layForgejo = async (sim: Extract<FleetSim, { traits: unknown }>): Promise<Ground> => {
  for (const login of ['owner', AUTHOR]) sim.createUser({ login });
  const { token } = sim.createUser({ login: BOT });
  for (const organization of [GROUP, 'other']) sim.createOrganization(organization, 'owner');
  const paths = [SHOP, `${GROUP}/site`, THIRD] as const;
  for (const project of paths) {
    const [owner = '', name = ''] = project.split('/');
    await sim.createRepo(owner, name, { private: true });
    sim.addCollaborator(project, AUTHOR, 'write');
    sim.addCollaborator(project, BOT, 'read');
  }
  return {
    sim,
    paths,
    token,
    idOf: (wanted) => sim.world.repos.find(({ owner, name }) => `${owner.login}/${name}` === wanted)?.id ?? 0,
    grantAdmin: () => {
      for (const project of paths) sim.addCollaborator(project, BOT, 'admin');
    },
    addHook: (repo, state) => {
      const hook = sim.addWebhook({ repo, url: HERE });
      hook.active = state === 'working';
      return { mend: () => void (hook.active = true) };
    },
  };
};

const layGitlab = async (sim: Exclude<FleetSim, { traits: unknown }>): Promise<Ground> => {
  for (const login of ['owner', AUTHOR]) sim.createUser({ login });
  const { token } = sim.createUser({ login: BOT });
  for (const group of [GROUP, `${GROUP}/team`, 'other']) sim.createGroup(group);
  const paths = [SHOP, `${GROUP}/team/site`, THIRD] as const;
  for (const project of paths) {
    await sim.createProject(project);
    sim.addMember(project, AUTHOR, 30);
    sim.addMember(project, BOT, 20);
  }
  sim.setAutoDisable(true);
  return {
    sim,
    paths,
    token,
    idOf: (wanted) => sim.world.projects.find((each) => sim.pathOf(each.id) === wanted)?.id ?? 0,
    grantAdmin: () => {
      for (const project of paths) sim.addMember(project, BOT, 40);
    },
    addHook: (project, state) => {
      const hook = sim.addProjectHook({ project, url: HERE, token: 'known to both' });
      if (state === 'off') hook.recentFailures = 40;
      return { mend: () => void (hook.recentFailures = 0) };
    },
  };
};

const layGround = (sim: FleetSim): Promise<Ground> => ('traits' in sim ? layForgejo(sim) : layGitlab(sim));

describe.each(FORGE_KINDS)('the sweep on %s', (kind: ForgeKind) => {
  let folder: string;
  let ground: Ground;
  let bench: SweepBench;

  const openBench = async (projects: readonly string[], requestsPerSecond = 1_000): Promise<SweepBench> => {
    const { url } = ground.sim;
    const id = ForgeId.parse(FORGE);
    const forge = await connectForge({ id, kind, baseUrl: url, token: ground.token }, new AbortController().signal);
    const made = createSweepBench(redis, { projects, requestsPerSecond, kind, read: forge.read });
    // The simulators date changes by the machine's clock.
    made.tick(Date.now() - made.now());
    made.tick(MINUTE);
    return made;
  };

  const openChange = async (repo: string): Promise<number> => {
    const hands = handsOn(ground.sim);
    const files = { 'a.txt': 'one\n' };
    await hands.commit({ repo, branch: 'main', files, message: 'base', author: AUTHOR });
    await hands.commit({ repo, branch: 'change', files: { 'a.txt': 'two\n' }, message: 'change', author: AUTHOR });
    return hands.open({ repo, branch: 'change', title: 'Change', author: AUTHOR });
  };

  /** Requests since the last call, as method and path without the query. */
  const asked = (): readonly string[] => {
    const { requests } = ground.sim;
    const since = requests.slice(counted).map((each) => `${each.method} ${each.path.replace(/\?.*/, '')}`);
    counted = requests.length;
    return since;
  };
  let counted = 0;

  const woken = async (project: string, number: number): Promise<readonly string[]> => {
    const of = { forge: FORGE, projectId: ground.idOf(project), number };
    const { events } = await bench.deps.inbox.read(of);
    await redis.del(bench.deps.keys.ofChangeRequest(of, 'inbox'));
    return events.map(({ source }) => source);
  };

  /** As guard would: it has looked, and has given no verdict. */
  const remember = async (project: string, number: number): Promise<void> =>
    bench.save({ forge: FORGE, projectId: ground.idOf(project), number }, {});

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-sweep-'));
    ground = await layGround(await startSim(kind, { dataDir: folder }));
    counted = 0;
  });
  afterEach(async () => {
    const { violations } = ground.sim;
    await ground.sim.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    if (violations.length > 0) throw new Error(`a real forge would not have understood: ${violations.join('; ')}`);
  });

  test('finds what no webhook told of in the projects of a group, and asks nothing about a third', async () => {
    const numbers = await Promise.all(ground.paths.map(openChange));
    bench = await openBench([`${GROUP}/*`]);
    asked();
    await bench.sweep();
    const found = await Promise.all(ground.paths.map((each, index) => woken(each, numbers[index] ?? 0)));
    expect(found).toEqual([['sweep'], ['sweep'], []]);
    const third = [THIRD, `/projects/${ground.idOf(THIRD)}/`];
    expect(asked().filter((each) => third.some((part) => each.includes(part)))).toEqual([]);
  });

  test('looks at everything that its account is a member of, where the settings say so', async () => {
    const numbers = await Promise.all(ground.paths.map(openChange));
    bench = await openBench(['*']);
    await bench.sweep();
    const found = await Promise.all(ground.paths.map((each, index) => woken(each, numbers[index] ?? 0)));
    expect(found).toEqual([['sweep'], ['sweep'], ['sweep']]);
  });

  test('asks one thing of a project where nothing has changed, and looks only where a comment came', async () => {
    const [shop, site] = ground.paths;
    const [first, second] = [await openChange(shop), await openChange(site)];
    bench = await openBench([shop, site]);
    await bench.sweep();
    for (const [project, number] of [
      [shop, first],
      [site, second],
    ] as const) {
      expect(await woken(project, number)).toEqual(['sweep']);
      await remember(project, number);
    }
    for (let review = 1; review <= 3; review += 1) {
      bench.tick(5 * MINUTE);
      asked();
      await bench.sweep();
      const requests = asked();
      expect(requests).toHaveLength(2);
      expect(new Set(requests).size).toBe(2);
      expect([await woken(shop, first), await woken(site, second)]).toEqual([[], []]);
    }
    // Dates are told in whole seconds: within the same one nothing would tell this comment from the opening.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await handsOn(ground.sim).comment({ repo: site, number: second, as: AUTHOR, body: 'a word' });
    await bench.sweep();
    expect([await woken(shop, first), await woken(site, second)]).toEqual([[], ['sweep']]);
  });

  test('reports a webhook that is switched off once, until it works', async () => {
    const [shop, site] = ground.paths;
    ground.grantAdmin();
    const { mend } = ground.addHook(shop, 'off');
    ground.addHook(site, 'working');
    bench = await openBench([shop, site]);
    const healths: unknown[] = [];
    for (let review = 1; review <= 3; review += 1) {
      if (review === 3) mend();
      await bench.sweep();
      await bench.sweep();
      const reports = await bench.deps.hooks.all(FORGE);
      healths.push(reports.toSorted((one, two) => one.path.localeCompare(two.path)).map(({ health }) => health));
      bench.tick(HOUR);
    }
    expect(healths).toEqual([
      ['disabled', 'working'],
      ['disabled', 'working'],
      ['working', 'working'],
    ]);
    expect(bench.lines('a webhook does not work')).toHaveLength(1);
    expect(asked().filter((each) => each.endsWith('/hooks') && each.includes(GROUP) && each.includes('orgs'))).toEqual(
      kind === 'gitlab' ? [] : [`GET /api/v1/orgs/${GROUP}/hooks`, `GET /api/v1/orgs/${GROUP}/hooks`],
    );
  });

  test('says once that it may not see webhooks, and goes on', async () => {
    const [shop, site] = ground.paths;
    bench = await openBench([shop, site]);
    await bench.sweep();
    bench.tick(HOUR);
    await bench.sweep();
    expect(bench.lines('the account is not allowed to see webhooks')).toHaveLength(1);
    expect(bench.lines('could not be swept')).toEqual([]);
  });

  test('waits as long as the forge asks for when it limits the rate', async () => {
    const [shop] = ground.paths;
    const number = await openChange(shop);
    bench = await openBench([shop]);
    const headers = { 'retry-after': '45' };
    const list = /\/(?:pulls|merge_requests)\?/;
    ground.sim.fault({ method: 'GET', path: list }, { kind: 'status', status: 429, headers });
    expect(await bench.slice('job')).toEqual({ kind: 'defer', delayMs: 45_000 });
    asked();
    bench.tick(44_000);
    expect(await bench.slice('job')).toEqual({ kind: 'defer', delayMs: 1_000 });
    expect(asked()).toEqual([]);
    bench.tick(1_000);
    expect(await bench.slice('job')).toEqual({ kind: 'done' });
    expect(await woken(shop, number)).toEqual(['sweep']);
  });
});
