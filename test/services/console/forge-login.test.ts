/** Login with an account of each kind of forge, against the simulators: what a member sees, and what nobody else does. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CALLBACK_PATH, createLoginForge } from '../../../services/console/access/login-forge.ts';
import { CHECK_EVERY_MS, createMemberSessions } from '../../../services/console/access/member-sessions.ts';
import { createPendingLogins } from '../../../services/console/access/pending-logins.ts';
import { createActivity } from '../../../shared/store/board/activity.ts';
import { createPauses } from '../../../shared/store/board/pauses.ts';
import { createChangeRequestViews } from '../../../shared/store/board/views.ts';
import { ForgeKind } from '../../../shared/forge/kinds/forge-kind.ts';
import { type FleetSim, startSim } from '../../support/fleet-forge.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { temporaryFolder } from '../../shared/workspace/repository.ts';
import { type ConsoleStage, form, openConsole, TOKENS, viewOf } from './console-stage.ts';

const PAGE = 'https://console.example';
const NUMBER = 3;

let redis: TestRedis;

beforeAll(async () => {
  redis = await startRedis();
});

afterAll(async () => redis?.stop());

type Scene = {
  readonly sim: FleetSim;
  readonly stage: ConsoleStage;
  readonly shop: number;
  readonly vault: number;
  readonly withdraw: () => void;
};

/** `bob` is a member of acme/shop, and `ann` owns both projects. */
const people = async (sim: FleetSim): Promise<Pick<Scene, 'shop' | 'vault' | 'withdraw'>> => {
  for (const login of ['acme', 'bob']) sim.createUser({ login });
  if ('traits' in sim) {
    const [shop, vault] = [
      await sim.createRepo('acme', 'shop', { private: true }),
      await sim.createRepo('acme', 'vault'),
    ];
    sim.addCollaborator('acme/shop', 'bob', 'read');
    return { shop: shop.id, vault: vault.id, withdraw: () => sim.addCollaborator('acme/shop', 'bob', 'none') };
  }
  const [shop, vault] = [await sim.createProject('acme/shop'), await sim.createProject('acme/vault')];
  sim.addMember('acme/shop', 'bob', 20);
  sim.addMember('acme/vault', 'bob', 10);
  return { shop: shop.id, vault: vault.id, withdraw: () => sim.addMember('acme/shop', 'bob', 10) };
};

const open = async (kind: ForgeKind, dataDir: string): Promise<Scene> => {
  const sim: FleetSim = await startSim(kind, { dataDir });
  const known = await people(sim);
  const application = sim.registerApplication(`${PAGE}${CALLBACK_PATH}`);
  const stage = await openConsole({
    redisUrl: redis.url,
    more: `public_url = "${PAGE}"\nbull_board = true\n`,
    login: ({ nowMs, log }) => {
      const forge = createLoginForge(
        {
          id: 'sim',
          kind,
          baseUrl: sim.url,
          clientId: application.clientId,
          clientSecret: application.secret,
          redirectUri: application.redirectUri,
        },
        nowMs,
      );
      return { forge, members: createMemberSessions({ forge, nowMs, log }), pending: createPendingLogins(nowMs) };
    },
  });
  await stage.source.redis.flushall();
  const { redis: connection, keys, config } = stage.source;
  for (const [projectId, title] of [
    [known.shop, 'Open the shop'],
    [known.vault, 'Secret vault'],
  ] as const) {
    const of = { forge: 'sim', projectId, number: NUMBER };
    await createChangeRequestViews(connection, keys).save(viewOf(NUMBER, { changeRequest: of, title }));
    await createActivity(connection, keys).note(of, { isWorking: true, atMs: stage.clock.nowMs });
    await createPauses(connection, keys).pause(of, { atMs: 1, by: `somebody at ${title}` });
    const day = new Date(stage.clock.nowMs).toISOString().slice(0, 10);
    const spent = `2,1000,400,50,${projectId === known.vault ? 777_000_000 : 3_000_000}`;
    await connection.hset(`{${config.redis.prefix}}:spending:${day}`, `sim|${projectId}|reviewer|m`, spent);
    await connection.set(`{${config.redis.prefix}}:project:sim.${projectId}:name`, `acme/${title}`);
  }
  return { sim, stage, ...known };
};

const cookiesOf = (header: unknown): string =>
  [header]
    .flat()
    .filter((one) => typeof one === 'string')
    .map((one) => one.split(';')[0])
    .filter((one) => !one?.endsWith('='))
    .join('; ');

/** As a browser would: to the forge, and back with what it said. */
const toForge = async ({ stage }: Scene, next = '/') => {
  const begun = await stage.app.inject({ url: `/login/forge?next=${encodeURIComponent(next)}` });
  const answer = await fetch(String(begun.headers.location), { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? 'https://none.example/');
  return { begun, back, path: `${back.pathname}${back.search}`, cookie: cookiesOf(begun.headers['set-cookie']) };
};

const logIn = async (scene: Scene, next = '/') => {
  const { path, cookie } = await toForge(scene, next);
  const entered = await scene.stage.app.inject({ url: path, headers: { cookie } });
  return { entered, cookie: cookiesOf(entered.headers['set-cookie']) };
};

describe.each(ForgeKind.options)('%s', (kind) => {
  let scene: Scene;
  let folder: ReturnType<typeof temporaryFolder>;

  const start = async (): Promise<Scene> => {
    folder = temporaryFolder();
    scene = await open(kind, folder.path);
    scene.sim.visitAs('bob');
    return scene;
  };

  afterEach(async () => {
    const violations = scene?.sim.violations ?? [];
    await scene?.stage.close();
    await scene?.sim.close();
    folder?.dispose();
    if (violations.length > 0) throw new Error(violations.join('\n'));
  });

  it('shows a member the own projects, and nothing of the others on any page', async () => {
    const { stage, shop, vault, sim } = await start();
    const { entered, cookie } = await logIn(scene, '/projects');
    expect(entered.statusCode).toBe(200);
    expect(entered.body).toContain('content="0; url=/projects"');
    const get = async (url: string) => stage.app.inject({ url, headers: { cookie } });
    for (const [url, status] of [
      ['/', 200],
      ['/change-requests', 200],
      [`/change-requests/sim/${shop}/${NUMBER}`, 200],
      [`/change-requests/sim/${vault}/${NUMBER}`, 404],
      [`/change-requests/sim/${vault}/${NUMBER}/runs/${'0'.repeat(20)}`, 404],
      [`/change-requests/sim/${vault}/99`, 404],
      ['/projects', 200],
      [`/projects/sim/${shop}`, 200],
      [`/projects/sim/${vault}`, 404],
      [`/projects/other/${shop}`, 404],
      ['/cost', 200],
      ['/queues', 404],
      ['/queues/bull-board', 404],
      ['/queues/bull-board/', 404],
      ['/queues/bull-board/api/queues', 404],
      ['/queues/bull-board/api/queues?activeQueue=guard', 404],
      ['/queues/bull-board/static/favicon-32x32.png', 404],
      ['/health', 404],
      ['/actions', 404],
      ['/nothing', 404],
    ] as const) {
      const { statusCode, body } = await get(url);
      expect([url, statusCode]).toEqual([url, status]);
      expect(body).not.toMatch(/vault|777/i);
    }
    expect((await get('/')).body).toContain('1 change request in progress.');
    expect((await get('/change-requests')).body).toContain('1 change request,');
    expect((await get('/projects')).body).toContain('1 project,');
    expect((await get('/cost')).body).toContain('$3.00');
    expect((await get(`/projects/sim/${shop}`)).body).not.toContain('rounds.max');
    const tokens = [...sim.world.tokens.keys()];
    const stored = await stage.source.redis.keys('*');
    const values = await Promise.all(stored.map(async (key) => stage.source.redis.dump(key)));
    for (const token of tokens) expect([...stage.lines, ...stored, ...values].join(' ')).not.toContain(token);
  });

  it('forgets a member within a minute after the membership ended', async () => {
    const { stage, shop, withdraw } = await start();
    const { cookie } = await logIn(scene);
    const url = `/change-requests/sim/${shop}/${NUMBER}`;
    const status = async () => (await stage.app.inject({ url, headers: { cookie } })).statusCode;
    expect(await status()).toBe(200);
    withdraw();
    stage.clock.nowMs += CHECK_EVERY_MS - 1;
    expect(await status()).toBe(200);
    stage.clock.nowMs += 1;
    expect(await status()).toBe(404);
  });

  it('takes neither a code that somebody else was given nor one that is used', async () => {
    await start();
    const mine = await toForge(scene);
    const other = await toForge(scene);
    const query = new URLSearchParams({
      code: other.back.searchParams.get('code') ?? '',
      state: mine.back.searchParams.get('state') ?? '',
    });
    const mixed = `${CALLBACK_PATH}?${query.toString()}`;
    const { stage } = scene;
    const refused = await stage.app.inject({ url: mixed, headers: { cookie: mine.cookie } });
    // The verifier of this browser does not fit the challenge of the other one.
    expect([refused.statusCode, cookiesOf(refused.headers['set-cookie'])]).toEqual([401, '']);
    expect((await stage.app.inject({ url: other.path, headers: { cookie: other.cookie } })).statusCode).toBe(200);
    expect((await stage.app.inject({ url: other.path, headers: { cookie: other.cookie } })).statusCode).toBe(401);
  });

  it('lets somebody in whose login began before a thousand others', async () => {
    await start();
    const { path, cookie } = await toForge(scene);
    for (let count = 0; count < 1_200; count += 1) await scene.stage.app.inject({ url: '/login/forge' });
    const { statusCode } = await scene.stage.app.inject({ url: path, headers: { cookie } });
    expect(statusCode).toBe(200);
  });

  it('goes on with a login after a callback that belongs to another one', async () => {
    await start();
    const { path, cookie } = await toForge(scene);
    const get = async (url: string) => scene.stage.app.inject({ url, headers: { cookie } });
    for (const query of ['?state=x', '', `?code=x&state=${'x'.repeat(43)}`]) {
      const { statusCode, headers } = await get(`${CALLBACK_PATH}${query}`);
      expect([statusCode, headers['set-cookie']]).toEqual([401, undefined]);
    }
    expect((await get(path)).statusCode).toBe(200);
  });

  it('ends a login that the forge refuses', async () => {
    await start();
    const { back, cookie } = await toForge(scene);
    const url = `${CALLBACK_PATH}?state=${back.searchParams.get('state')}`;
    const { statusCode, headers } = await scene.stage.app.inject({ url, headers: { cookie } });
    expect([statusCode, headers['set-cookie']]).toEqual([401, expect.stringContaining('Max-Age=0')]);
  });

  it('lets in nobody who refuses, and nobody who comes back to another browser', async () => {
    await start();
    const { stage, sim } = scene;
    const { path } = await toForge(scene);
    for (const cookie of ['', `__Host-fixpoint-console-login=${'x'.repeat(43)}`]) {
      const { statusCode, headers, body } = await stage.app.inject({ url: path, headers: { cookie } });
      expect([statusCode, cookiesOf(headers['set-cookie'])]).toEqual([401, '']);
      expect(body).toContain('not begun in this browser');
    }
    sim.visitAs(null);
    const { entered } = await logIn(scene);
    expect([entered.statusCode, entered.body.includes('did not allow the login')]).toEqual([401, true]);
  });

  it('ends the session at the logout, and when the forge ends the token', async () => {
    const { stage, sim } = await start();
    const { cookie } = await logIn(scene);
    const { body } = await stage.app.inject({ url: '/', headers: { cookie } });
    const csrf = /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '';
    const { headers, payload } = form({ csrf });
    await stage.app.inject({ method: 'POST', url: '/logout', headers: { ...headers, cookie }, payload });
    expect((await stage.app.inject({ url: '/', headers: { cookie } })).statusCode).toBe(401);
    const again = await logIn(scene);
    sim.world.tokens.clear();
    stage.clock.nowMs += CHECK_EVERY_MS;
    expect((await stage.app.inject({ url: '/', headers: { cookie: again.cookie } })).statusCode).toBe(401);
  });

  it('shows nothing while the forge does not answer, and still ends the session at the logout', async () => {
    const { stage, sim } = await start();
    const { cookie } = await logIn(scene);
    const { body } = await stage.app.inject({ url: '/', headers: { cookie } });
    const csrf = /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '';
    const fault = sim.fault({ times: 1_000 }, { kind: 'status', status: 502 });
    stage.clock.nowMs += CHECK_EVERY_MS;
    const away = await stage.app.inject({ url: '/', headers: { cookie } });
    expect([away.statusCode, away.body.includes('Open the shop')]).toEqual([503, false]);
    const logOut = async (value: string) => {
      const { headers, payload } = form({ csrf: value });
      return stage.app.inject({ method: 'POST', url: '/logout', headers: { ...headers, cookie }, payload });
    };
    expect((await logOut('wrong')).statusCode).toBe(403);
    expect((await logOut(csrf)).statusCode).toBe(303);
    fault.remove();
    stage.clock.nowMs += CHECK_EVERY_MS;
    expect((await stage.app.inject({ url: '/', headers: { cookie } })).statusCode).toBe(401);
  });

  it('lets nobody act who logged in with an account', async () => {
    const { stage, shop } = await start();
    const { cookie } = await logIn(scene);
    const { body } = await stage.app.inject({ url: '/', headers: { cookie } });
    const csrf = /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '';
    for (const [url, fields] of [
      [`/projects/sim/${shop}/pause`, { action: 'continue' }],
      [`/change-requests/sim/${shop}/${NUMBER}/grant`, { wish: '0'.repeat(16) }],
      ['/queues/jobs', { action: 'drop', queue: 'guard', job: 'one' }],
    ] as const) {
      const { headers, payload } = form({ csrf, ...fields });
      const { statusCode } = await stage.app.inject({ method: 'POST', url, headers: { ...headers, cookie }, payload });
      expect([url, statusCode]).toEqual([url, 404]);
    }
    expect(await createPauses(stage.source.redis, stage.source.keys).isPaused({ forge: 'sim', projectId: shop })).toBe(
      true,
    );
  });

  it('sends the browser nowhere else afterwards', async () => {
    await start();
    for (const next of ['//evil.example/x', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const { entered } = await logIn(scene, next);
      expect(entered.body).toContain('content="0; url=/"');
      expect(entered.body).not.toContain('evil');
    }
  });

  it('still opens for a token', async () => {
    const { stage } = await start();
    const { body } = await stage.app.inject({ url: '/', headers: { authorization: `Bearer ${TOKENS.read}` } });
    expect(body).toContain('2 change requests in progress.');
    expect((await stage.app.inject({ url: '/login' })).body).toContain('href="/login/forge?next=%2F"');
  });
});
