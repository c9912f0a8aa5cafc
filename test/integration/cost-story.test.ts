/** `fixpoint cost` after reviews by real services: every call once, whatever is killed or wiped. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { ChatSim } from '../sim/chat/start.ts';
import type { RequestEntry } from '../sim/messages/log.ts';
import type { Step } from '../sim/messages/reply.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { runCli } from '../services/cli/run-cli.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { openQueues } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, pushReview } from '../support/fleet-story.ts';
import { MANY_FILES } from '../support/many-files.ts';
import { MESSAGES_WIRE, stageOf } from '../support/wires.ts';

const TEST_MS = 240_000;
const VERDICT_MS = 120_000;
const EXPLORER = { lacksTool: 'submit_review' } as const;
const OPENS = seededReviewer(3, { explore: ['Who calls sum() and relies on its arguments being numbers?'] });

let sim: ChatSim | null = null;
let fleet: Fleet | null = null;

const start = async (): Promise<{ sim: ChatSim; fleet: Fleet }> => {
  sim = await MESSAGES_WIRE.start();
  sim.script(OPENS);
  const knobs = { lockMs: 1_000, stalledMs: 300, model: stageOf(MESSAGES_WIRE, sim) };
  fleet = await startFleet({ knobs });
  await commitBase(fleet);
  return { sim, fleet };
};

afterEach(async () => {
  await fleet?.close();
  await sim?.close();
  [fleet, sim] = [null, null];
}, TEST_MS);

const run = async ({ redis, settings }: Fleet, ...args: readonly string[]): Promise<string> => {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'fixpoint-cost-')), 'fixpoint.toml');
  await writeFile(file, settings.toml(0));
  const { code, stdout, stderr } = await runCli(['cost', '--config', file, ...args], { env: { REDIS_URL: redis.url } });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

type Row = Readonly<Record<'calls' | 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'usd', number>>;
type Printed = { readonly rows: readonly (Row & { readonly role: string })[]; readonly total: Row };

const byRole = async (world: Fleet): Promise<Readonly<Record<string, Row>>> => {
  const { rows } = JSON.parse(await run(world, '--by', 'role', '--format', 'json')) as Printed;
  return Object.fromEntries(rows.map(({ role, ...amounts }) => [role, amounts]));
};

const roleOf = ({ request }: RequestEntry): string => {
  const names = new Set(request?.tools?.map(({ name }) => name));
  if (names.has('submit_review')) return 'reviewer';
  return names.has('submit_verification') ? 'verifier' : 'explorer';
};

/** What the provider would charge for the calls of a role. Each call is rounded up to whole micro-dollars. */
const charged = ({ requests, spend }: ChatSim, role: string): Row => {
  const { calls, inputTokens, cacheReadTokens, outputTokens } = spend((entry) => roleOf(entry) === role);
  const own = requests.filter((entry) => entry.usage !== null && roleOf(entry) === role);
  const microUsd = own.reduce((sum, { costUsd }) => sum + Math.ceil(Number((costUsd * 1e6).toFixed(3))), 0);
  return { calls, inputTokens, cachedTokens: cacheReadTokens, outputTokens, usd: microUsd / 1e6 };
};

test(
  'what a review cost is printed by role, model and project, as the provider charged it',
  async () => {
    const world = await start();
    const told = await openStory(world.fleet, world.fleet.repos[0] ?? '', 'plain', MANY_FILES);
    await awaitVerdict(world.fleet, told, VERDICT_MS);
    const roles = ['reviewer', 'explorer', 'verifier'];
    const all = Object.fromEntries(roles.map((role) => [role, charged(world.sim, role)]));
    expect(Object.values(all).every(({ calls }) => calls > 0)).toBe(true);
    expect(await byRole(world.fleet)).toEqual(all);
    const csv = await run(world.fleet, '--by', 'project,model', '--format', 'csv');
    expect(csv.split('\n').map((line) => line.split(',').slice(0, 3).join())).toEqual([
      'project,model,calls',
      `sim/shop-team/shop,claude-sonnet-5-5,${(all['reviewer']?.calls ?? 0) + (all['verifier']?.calls ?? 0)}`,
      `sim/shop-team/shop,claude-haiku-5-5,${all['explorer']?.calls}`,
      '',
    ]);
  },
  TEST_MS,
);

test(
  'a call that is lost with its process counts in full, and the repeated call counts beside it',
  async () => {
    const world = await start();
    let reached = (): void => {};
    const isAsked = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const held = world.sim.script(async (): Promise<Step | null> => {
      reached();
      return new Promise<Step>(() => {});
    }, EXPLORER);
    const told = await openStory(world.fleet, world.fleet.repos[0] ?? '', 'killed', MANY_FILES);
    await isAsked;
    await Promise.all(world.fleet.alive('explorer').map(async (each) => each.kill()));
    held.remove();
    const reserved = (await byRole(world.fleet))['explorer'];
    expect(reserved).toMatchObject({ calls: 1, cachedTokens: 0 });
    expect(reserved?.usd).toBeGreaterThan(0);
    await world.fleet.spawn('explorer');
    await awaitVerdict(world.fleet, told, VERDICT_MS);
    const answered = charged(world.sim, 'explorer');
    expect((await byRole(world.fleet))['explorer']).toEqual({
      calls: answered.calls + 1,
      inputTokens: answered.inputTokens + (reserved?.inputTokens ?? 0),
      cachedTokens: answered.cachedTokens,
      outputTokens: answered.outputTokens + (reserved?.outputTokens ?? 0),
      usd: Number((answered.usd + (reserved?.usd ?? 0)).toFixed(6)),
    });
  },
  TEST_MS,
);

test(
  'after a wipe of Redis, the money that signed markers remember is listed as restored, once',
  async () => {
    const world = await start();
    const told = await openStory(world.fleet, world.fleet.repos[0] ?? '', 'wiped', MANY_FILES);
    await awaitVerdict(world.fleet, told, VERDICT_MS);
    const queues = openQueues(world.fleet);
    await queues.idle();
    const { total } = JSON.parse(await run(world.fleet, '--format', 'json')) as Printed;
    await queues.flush();
    await queues.close();
    expect(await run(world.fleet)).toContain('no spending is recorded');
    for (const review of [2, 3]) {
      await pushReview(world.fleet, told, review);
      await awaitVerdict(world.fleet, told, VERDICT_MS);
      const { restored, ...others } = await byRole(world.fleet);
      expect(restored).toEqual(total);
      expect(Object.keys(others)).toContain('reviewer');
    }
    expect(await run(world.fleet, '--by', 'role')).toContain('was read back from signed markers');
  },
  TEST_MS,
);
