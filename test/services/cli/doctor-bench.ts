/**
 * A whole installation for the doctor to look at, with a forge, a Redis and a model. Each file that uses it calls
 * `standBench` once: this module is shared by the files of a worker.
 */
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Finding, Level } from '../../../services/cli/doctor/check.ts';
import { type Machine, thisMachine } from '../../../services/cli/doctor/machine.ts';
import { type Examination, examine, exitCodeOf } from '../../../services/cli/doctor/doctor.ts';
import { type ForgejoSim, startForgejoSim } from '../../sim/forgejo/start.ts';
import { type MessagesSim, startMessagesSim } from '../../sim/messages/start.ts';
import { findTestCage } from '../../support/cage.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { makeSettings } from '../../support/settings.ts';

export const MODEL_KEY = ['doctor', 'model', 'key', '0123456789'].join('-');
/** Its folder goes with all scratch files of the run: other files of this worker use it, too. */
export const { cage, folder } = await findTestCage();

type World = {
  readonly forge: ForgejoSim;
  readonly redis: TestRedis;
  readonly model: MessagesSim;
  readonly tokens: Readonly<Record<'bot' | 'reader' | 'narrow' | 'onlyReads' | 'noComments' | 'noReviews', string>>;
};
export let world: World;

let benches = 0;

/** Starts everything before the tests of a file, and ends it after them. */
export const standBench = (): void => {
  beforeAll(startWorld, 60_000);
  afterAll(async () => {
    await Promise.all([world.forge.close(), world.redis.stop(), world.model.close()]);
  });
};

const startWorld = async (): Promise<void> => {
  benches += 1;
  const forge = await startForgejoSim({ dataDir: path.join(folder, `forge-${benches}`) });
  forge.createUser({ login: 'shop-team' });
  const bot = forge.createUser({ login: 'fixpoint' }).token;
  const reader = forge.createUser({ login: 'onlooker' }).token;
  await forge.createRepo('shop-team', 'shop', { private: true });
  await forge.createRepo('shop-team', 'hidden', { private: true });
  forge.addCollaborator('shop-team/shop', 'fixpoint', 'admin');
  forge.addCollaborator('shop-team/shop', 'onlooker', 'read');
  forge.addWebhook({ repo: 'shop-team/shop', url: 'https://ci.example/webhooks/sim', secret: 'x'.repeat(24) });
  const archived = await forge.createRepo('shop-team', 'attic');
  archived.archived = true;
  const bare = await forge.createRepo('shop-team', 'bare');
  bare.hasPullRequests = false;
  const reads = ['read:user', 'read:organization'];
  const tokens = {
    bot,
    reader,
    narrow: forge.createToken('fixpoint', ['read:user']),
    onlyReads: forge.createToken('fixpoint', [...reads, 'read:repository', 'read:issue']),
    noComments: forge.createToken('fixpoint', [...reads, 'write:repository', 'read:issue']),
    noReviews: forge.createToken('fixpoint', [...reads, 'read:repository', 'write:issue']),
  };
  const [redis, model] = await Promise.all([startRedis(), startMessagesSim({ apiKeys: [MODEL_KEY] })]);
  world = { forge, redis, model, tokens };
};

export type Wish = {
  readonly token?: string;
  readonly redisUrl?: string;
  readonly projects?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  readonly more?: string;
  readonly runner?: 'rules' | 'agent';
  readonly machine?: Partial<Machine>;
  readonly callModel?: boolean;
  /** No operators are named. */
  readonly nobody?: boolean;
  readonly edit?: (toml: string) => string;
};

let installations = 0;

export const install = async (wish: Wish = {}): Promise<Examination> => {
  installations += 1;
  const home = path.join(folder, `installation-${installations}`);
  await mkdir(home);
  await chmod(home, 0o755);
  const settings = makeSettings({
    forgeUrl: world.forge.url,
    token: wish.token ?? world.tokens.bot,
    projects: wish.projects ?? ['shop-team/shop'],
    dataDir: wish.dataDir ?? path.join(home, 'data'),
    redisUrl: wish.redisUrl ?? world.redis.url,
    runner: wish.runner ?? 'agent',
    ...(wish.more === undefined ? {} : { more: wish.more }),
  });
  const file = path.join(home, 'fixpoint.toml');
  // What the settings of tests lift, so that nothing is lifted here.
  const lifted = settings.toml.replace('allow_no_persistence = true', '');
  const toml = wish.nobody === true ? lifted : `${lifted}\n[operators]\nlogins = ["shop-team"]\n`;
  await writeFile(file, wish.edit === undefined ? toml : wish.edit(toml));
  const env = { ...settings.env, ANTHROPIC_API_KEY: MODEL_KEY, ANTHROPIC_BASE_URL: world.model.url, ...wish.env };
  // Most of what is broken here has nothing to do with the cage, which takes a while to be checked.
  const machine = { ...thisMachine(), searchPath: '/nowhere', freeBytes: async () => 100 * 1024 ** 3, ...wish.machine };
  return { path: file, env, service: null, machine, callModel: wish.callModel ?? false };
};

export const never = (): AbortSignal => new AbortController().signal;
export const look = async (wish: Wish = {}): Promise<readonly Finding[]> => examine(await install(wish), never());

export const stub = async (name: string, script: string): Promise<string> => {
  const place = await mkdtemp(path.join(folder, 'stub-'));
  await chmod(place, 0o755);
  const file = path.join(place, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
};

/** The findings beyond those of an installation that is well. */
export const amiss = (findings: readonly Finding[], checks: readonly string[]) =>
  findings
    .filter(({ check, level }) => level !== 'ok' && (checks.length === 0 || checks.includes(check)))
    .map(({ check, level, text, fix }) => ({ check, level, text, fix }));

export type Broken = readonly [
  what: string,
  break_: () => Promise<Wish>,
  check: string,
  level: Level,
  text: RegExp,
  fix: RegExp,
];

/** What is broken is found, with its fix and without a secret. */
export const isNamed = async (...[, breakIt, check, level, text, fix]: Broken): Promise<void> => {
  const findings = await look(await breakIt());
  expect(amiss(findings, [check])).toContainEqual({
    check,
    level,
    text: expect.stringMatching(text),
    fix: expect.stringMatching(fix),
  });
  expect(exitCodeOf(findings)).toBe(findings.some((finding) => finding.level === 'fail') ? 1 : 0);
  if (level === 'fail') expect(exitCodeOf(findings)).toBe(1);
  const said = JSON.stringify(findings);
  for (const secret of [MODEL_KEY, world.tokens.bot]) expect(said).not.toContain(secret);
};
