import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type ForgejoSim, type ForgejoSimOptions, startForgejoSim } from '../sim/forgejo/start.ts';
import type { SimAccount } from '../sim/forgejo/program-setup.ts';

export type Scene = {
  readonly sim: ForgejoSim;
  readonly owner: SimAccount;
  readonly author: SimAccount;
  readonly bot: SimAccount;
  readonly outsider: SimAccount;
  /** Advances the clock of the simulator. */
  readonly advance: (ms: number) => void;
  readonly api: (account: SimAccount | string | null, method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Closes everything; throws when something did not fit the API description, unless that was the point. */
  readonly end: (violations?: 'none' | 'expected') => Promise<void>;
};

export type Answer = { readonly status: number; readonly json: unknown; readonly headers: Headers };

export const repo = 'acme/shop';
const original = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';
const changed = 'zero\none\ntwo\nTHREE\nfour\nfive\nsix\nseven\neight\nnine\nten\nend\n';

const caller =
  (sim: ForgejoSim): Scene['api'] =>
  async (account, method, path, body) => {
    const token = typeof account === 'string' ? account : account?.token;
    const answer = await fetch(`${sim.url}/api/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `token ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: answer.status, json: isJson ? JSON.parse(text) : text, headers: answer.headers };
  };

/** A project of `acme` with pull request 1 by `author`, a bot with write access, and somebody without any. */
export const openScene = async (options: Partial<ForgejoSimOptions> = {}): Promise<Scene> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fixpoint-sim-'));
  let now = Date.parse('2026-03-01T10:00:00Z');
  const sim = await startForgejoSim({ dataDir, clock: () => now, ...options });
  const owner = sim.createUser({ login: 'acme' });
  const author = sim.createUser({ login: 'author' });
  const bot = sim.createUser({ login: 'fixpoint' });
  const outsider = sim.createUser({ login: 'outsider' });
  await sim.createRepo('acme', 'shop', { private: true });
  sim.addCollaborator(repo, 'author', 'write');
  sim.addCollaborator(repo, 'fixpoint', 'write');
  await sim.commitFiles({ repo, branch: 'main', files: { 'a.txt': original }, message: 'base', author: 'acme' });
  const files = { 'a.txt': changed, 'new.txt': 'fresh\n' };
  await sim.commitFiles({ repo, branch: 'feature', files, message: 'change', author: 'author' });
  await sim.openPullRequest({ repo, head: 'feature', title: 'Change a', body: 'Please review', author: 'author' });
  return {
    sim,
    owner,
    author,
    bot,
    outsider,
    advance: (ms) => {
      now += ms;
    },
    api: caller(sim),
    end: async (violations = 'none') => {
      await sim.close();
      await rm(dataDir, { recursive: true, force: true });
      if (violations === 'none' && sim.violations.length > 0) throw new Error(sim.violations.join('\n'));
    },
  };
};

/** A scene for each test, or one for all tests of a block that do not disturb each other. Read it inside the tests. */
export const useScene = (how: 'each' | 'once', options: Partial<ForgejoSimOptions> = {}): (() => Scene) => {
  let scene: Scene | null = null;
  const current = (): Scene => {
    if (scene === null) throw new Error('no scene outside of a test');
    return scene;
  };
  const open = async (): Promise<void> => {
    scene = await openScene(options);
  };
  const end = (): Promise<void> => current().end();
  if (how === 'each') {
    beforeEach(open);
    afterEach(end);
  } else {
    beforeAll(open);
    afterAll(end);
  }
  return current;
};
