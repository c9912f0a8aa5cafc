/** A simulated forge of each kind with a project, its administrator and a bot, and setup in the process of the test. */
import { mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { thisMachine } from '../../../../services/cli/doctor/machine.ts';
import { runSetup } from '../../../../services/cli/setup/setup.ts';
import type { SetupOptions } from '../../../../services/cli/setup/setup-options.ts';
import { AppError } from '../../../../shared/errors.ts';
import type { ForgeKind } from '../../../../shared/forge/kinds/forge-kind.ts';
import { startForgejoSim } from '../../../sim/forgejo/start.ts';
import { startGitlabSim } from '../../../sim/gitlab/start.ts';
import { freePort } from '../../../support/redis.ts';

export const KINDS: readonly ForgeKind[] = ['forgejo', 'gitea', 'gitlab'];

export type StageHook = { readonly url: string; readonly secret: string; readonly events: readonly string[] };

export type StageForge = {
  readonly kind: ForgeKind;
  readonly url: string;
  readonly boss: string;
  readonly bot: string;
  /** A token of the administrator that may only read. */
  readonly weak: string;
  /** An account that may read the project and nothing more. */
  readonly reader: string;
  /** An account that manages the project, but not its group. */
  readonly keeper: string;
  hooks(project?: string): readonly StageHook[];
  groupHooks(): readonly StageHook[];
  addHook(url: string, secret: string): void;
  dropHooks(): void;
  /** Another project of the group. Returns how to delete it. */
  addProject(name: string): Promise<() => Promise<void>>;
  /** Gives the project another name, as its administrator would. */
  renameProject(to: string): void;
  muteHooks(): void;
  isMember(): boolean;
  /** Writes that came from a client, as "METHOD path". */
  writes(): readonly string[];
  setLocalHooks(allowed: boolean): void;
  deliveries(): number;
  violations(): readonly string[];
  close(): Promise<void>;
};

const FILES = { 'README.md': 'a shop\n' };

/** Without the probes of setup and doctor, which delete what does not exist. */
const isWrite = ({ method, path: at }: { readonly method: string; readonly path: string }): boolean =>
  method !== 'GET' && !at.endsWith('/0');

const startForgejoStage = async (kind: 'forgejo' | 'gitea', dataDir: string): Promise<StageForge> => {
  const sim = await startForgejoSim({ dataDir, flavour: kind === 'gitea' ? 'gitea-1.26' : 'forgejo-15' });
  const boss = sim.createUser({ login: 'boss' });
  const bot = sim.createUser({ login: 'fixpoint' });
  const reader = sim.createUser({ login: 'onlooker' });
  const keeper = sim.createUser({ login: 'keeper' });
  const team = sim.createOrganization('shop-team', 'boss');
  const shop = await sim.createRepo('shop-team', 'shop', { private: true });
  await sim.commitFiles({ repo: 'shop-team/shop', branch: 'main', files: FILES, message: 'start', author: 'boss' });
  sim.addCollaborator('shop-team/shop', 'onlooker', 'read');
  sim.addCollaborator('shop-team/shop', 'keeper', 'admin');
  const shown = (hooks: typeof shop.hooks): readonly StageHook[] =>
    hooks.map(({ url, secret, events }) => ({ url, secret, events: [...events].toSorted() }));
  return {
    kind,
    url: sim.url,
    boss: boss.token,
    bot: bot.token,
    weak: sim.createToken('boss', ['read:user', 'read:repository', 'read:organization']),
    reader: reader.token,
    keeper: keeper.token,
    hooks: () => shown(shop.hooks),
    groupHooks: () => shown(team.organization?.hooks ?? []),
    addHook: (url, secret) => void sim.addWebhook({ repo: 'shop-team/shop', url, secret, events: ['pull_request'] }),
    dropHooks: () => void shop.hooks.splice(0),
    addProject: async (name) => {
      const repo = `shop-team/${name}`;
      await sim.createRepo('shop-team', name, { private: true });
      await sim.commitFiles({ repo, branch: 'main', files: FILES, message: 'start', author: 'boss' });
      return async () => sim.deleteRepo(repo);
    },
    renameProject: (to) => {
      shop.name = to;
    },
    muteHooks: () => {
      for (const hook of shop.hooks) hook.events = new Set(['push']);
    },
    isMember: () => shop.collaborators.has(bot.id),
    writes: () => sim.requests.filter(isWrite).map(({ method, path: at }) => `${method} ${at}`),
    setLocalHooks: (allowed) => sim.setLocalHooks(allowed),
    deliveries: () => sim.deliveries.length,
    violations: () => sim.violations,
    close: () => sim.close(),
  };
};

const startGitlabStage = async (dataDir: string): Promise<StageForge> => {
  const sim = await startGitlabSim({ dataDir });
  const boss = sim.createUser({ login: 'boss' });
  const bot = sim.createUser({ login: 'fixpoint' });
  const reader = sim.createUser({ login: 'onlooker' });
  const keeper = sim.createUser({ login: 'keeper' });
  const group = sim.createGroup('shop-team');
  sim.addMember('shop-team', 'boss', 50);
  const shop = await sim.createProject('shop-team/shop');
  await sim.commitFiles({ project: 'shop-team/shop', branch: 'main', files: FILES, message: 'start', author: 'boss' });
  sim.addMember('shop-team/shop', 'onlooker', 20);
  sim.addMember('shop-team/shop', 'keeper', 40);
  const shown = (hooks: typeof shop.hooks): readonly StageHook[] =>
    hooks.map(({ url, token, events }) => ({ url, secret: token, events: [...events].toSorted() }));
  return {
    kind: 'gitlab',
    url: sim.url,
    boss: boss.token,
    bot: bot.token,
    weak: sim.createToken('boss', ['read_api']),
    reader: reader.token,
    keeper: keeper.token,
    hooks: () => shown(shop.hooks),
    groupHooks: () => shown(group.hooks),
    addHook: (url, secret) => void sim.addProjectHook({ project: 'shop-team/shop', url, token: secret }),
    dropHooks: () => void shop.hooks.splice(0),
    addProject: async (name) => {
      const project = `shop-team/${name}`;
      await sim.createProject(project);
      await sim.commitFiles({ project, branch: 'main', files: FILES, message: 'start', author: 'boss' });
      return async () => sim.deleteProject(project);
    },
    renameProject: (to) => sim.renameProject('shop-team/shop', `shop-team/${to}`),
    muteHooks: () => {
      for (const hook of shop.hooks) hook.events = new Set(['push_events']);
    },
    isMember: () => shop.members.has(bot.id) || group.members.has(bot.id),
    writes: () => sim.requests.filter(isWrite).map(({ method, path: at }) => `${method} ${at}`),
    setLocalHooks: (allowed) => sim.setLocalHooks(allowed),
    deliveries: () => sim.deliveries.length,
    violations: () => sim.violations,
    close: () => sim.close(),
  };
};

export const startStageForge = async (kind: ForgeKind, dataDir: string): Promise<StageForge> =>
  kind === 'gitlab' ? startGitlabStage(dataDir) : startForgejoStage(kind, dataDir);

export type Installation = {
  readonly folder: string;
  readonly port: number;
  readonly hookUrl: string;
  readonly file: (name: string) => Promise<string | null>;
  readonly run: (options?: SetupOptions, wish?: RunWish) => Promise<SetupRun>;
};

export type RunWish = {
  readonly env?: NodeJS.ProcessEnv;
  readonly answers?: readonly string[];
  readonly searchPath?: string;
  readonly nowMs?: number;
  /** Only the flags that are given. */
  readonly bare?: true;
};

export type SetupRun = { readonly code: number; readonly said: string; readonly error: string };

/** An empty folder beside a forge. `run` is `fixpoint setup` with the usual flags, and those that are given. */
export const makeInstallation = async (
  forge: StageForge,
  { folder: within, redisUrl }: { readonly folder: string; readonly redisUrl: string },
): Promise<Installation> => {
  const folder = await mkdtemp(path.join(within, 'setup-'));
  const port = await freePort();
  const variable = `${forge.kind.toUpperCase()}_TOKEN`;
  const usual = {
    url: forge.url,
    project: ['shop-team/shop'],
    publicUrl: `http://127.0.0.1:${port}`,
    listen: `127.0.0.1:${port}`,
    wait: '1',
  };
  const run: Installation['run'] = async (options = {}, wish = {}) => {
    const said: string[] = [];
    const answers = [...(wish.answers ?? [])];
    const all: SetupOptions = {
      config: path.join(folder, 'fixpoint.toml'),
      ...(wish.bare === true ? {} : usual),
      ...(wish.answers === undefined && wish.bare !== true ? { yes: true } : {}),
      ...options,
    };
    const context = {
      env: { [variable]: forge.bot, FIXPOINT_SETUP_TOKEN: forge.boss, REDIS_URL: redisUrl, ...wish.env },
      // A cage takes a while to be checked, and has nothing to do with setup.
      machine: {
        ...thisMachine(),
        searchPath: wish.searchPath ?? '/nowhere',
        freeBytes: async () => 100 * 1024 ** 3,
        nowMs: () => wish.nowMs ?? Date.now(),
      },
      ask:
        wish.answers === undefined
          ? null
          : async (question: string) => {
              said.push(question);
              return answers.shift() ?? '';
            },
      say: (text: string) => void said.push(text),
      signal: new AbortController().signal,
    };
    try {
      return { code: await runSetup(all, context), said: said.join(''), error: '' };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { code: 2, said: said.join(''), error: error.message };
    }
  };
  const file = async (name: string): Promise<string | null> =>
    readFile(path.join(folder, name), 'utf8').catch(() => null);
  return { folder, port, hookUrl: `http://127.0.0.1:${port}/webhooks/${forge.kind}`, file, run };
};

/** Closes the forge. Throws when it was sent something that a real one would not have understood. */
export const endStage = async (forge: StageForge): Promise<void> => {
  const violations = forge.violations();
  await forge.close();
  if (violations.length > 0) throw new Error(violations.join('\n'));
};
