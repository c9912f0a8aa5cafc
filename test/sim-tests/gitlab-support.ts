import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { z } from 'zod';
import type { SimAccount } from '../sim/gitlab/program-setup.ts';
import { type GitlabSim, type GitlabSimOptions, startGitlabSim } from '../sim/gitlab/start.ts';

export const project = 'acme/web/shop';
/** Project 1 by number: what clients should use. */
export const mrPath = '/projects/1/merge_requests/1';

export type Answer = {
  readonly status: number;
  readonly json: unknown;
  readonly text: string;
  readonly headers: Headers;
};

export type Scene = {
  readonly sim: GitlabSim;
  readonly owner: SimAccount;
  readonly author: SimAccount;
  /** A project bot with the rights of a developer. */
  readonly bot: SimAccount;
  readonly outsider: SimAccount;
  /** Advances the clock of the simulator. */
  readonly advance: (ms: number) => void;
  readonly api: (account: SimAccount | string | null, method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Closes everything; throws when something did not fit, unless that was the point. */
  readonly end: (violations?: 'none' | 'expected') => Promise<void>;
};

const original = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n';
const changed = 'zero\none\ntwo\nTHREE\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\nend\n';

const isRaw = (body: unknown): body is FormData | URLSearchParams =>
  body instanceof FormData || body instanceof URLSearchParams;

const caller =
  (sim: GitlabSim): Scene['api'] =>
  async (account, method, path, body) => {
    const token = typeof account === 'string' ? account : account?.token;
    const raw = isRaw(body);
    const answer = await fetch(`${sim.url}/api/v4${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { 'private-token': token }),
        ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: answer.status, json: isJson ? JSON.parse(text) : null, text, headers: answer.headers };
  };

/** A project in a subgroup with merge request 1 by `author`, a bot, and somebody without any rights. */
export const openScene = async (options: Partial<GitlabSimOptions> = {}): Promise<Scene> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fixpoint-gitlab-'));
  let now = Date.parse('2026-03-01T10:00:00Z');
  const sim = await startGitlabSim({ dataDir, clock: () => now, ...options });
  const owner = sim.createUser({ login: 'owner' });
  const author = sim.createUser({ login: 'author' });
  const outsider = sim.createUser({ login: 'outsider' });
  sim.createGroup('acme');
  sim.createGroup('acme/web');
  await sim.createProject(project);
  sim.addMember('acme', 'owner', 50);
  sim.addMember(project, 'author', 30);
  const bot = sim.createProjectAccessToken(project);
  await sim.commitFiles({ project, branch: 'main', files: { 'a.txt': original }, message: 'base', author: 'owner' });
  const files = { 'a.txt': changed, 'new.txt': 'fresh\n' };
  await sim.commitFiles({ project, branch: 'feature', files, message: 'change', author: 'author' });
  await sim.openMergeRequest({ project, sourceBranch: 'feature', title: 'Change a', author: 'author' });
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

/** A new scene for each test. Read it inside the tests. */
export const useScene = (options: Partial<GitlabSimOptions> = {}): (() => Scene) => {
  let scene: Scene | null = null;
  const current = (): Scene => {
    if (scene === null) throw new Error('no scene outside of a test');
    return scene;
  };
  beforeEach(async () => {
    scene = await openScene(options);
  });
  afterEach(() => current().end());
  return current;
};

const Row = z.record(z.string(), z.unknown());
export const rowOf = (answer: Answer): Record<string, unknown> => Row.parse(answer.json);
export const rowsOf = (answer: Answer): readonly Record<string, unknown>[] => z.array(Row).parse(answer.json);

const Discussion = z.looseObject({
  id: z.string(),
  individual_note: z.boolean(),
  notes: z.array(z.looseObject({ id: z.number(), body: z.string(), resolved: z.boolean().optional() })),
});
export type ReadDiscussion = z.output<typeof Discussion>;
export const discussionOf = (answer: Answer): ReadDiscussion => Discussion.parse(answer.json);

const Refs = z.object({ base_sha: z.string(), start_sha: z.string(), head_sha: z.string() });
/** The three SHAs of the newest version. */
export const refsOf = async (scene: Scene): Promise<z.output<typeof Refs>> =>
  Refs.parse(rowOf(await scene.api(scene.bot, 'GET', mrPath))['diff_refs']);

export type Line = { readonly old?: number; readonly new?: number; readonly path?: string; readonly oldPath?: string };

export const positionAt = async (scene: Scene, line: Line): Promise<Record<string, unknown>> => ({
  ...(await refsOf(scene)),
  position_type: 'text',
  old_path: line.oldPath ?? line.path ?? 'a.txt',
  new_path: line.path ?? 'a.txt',
  ...(line.old === undefined ? {} : { old_line: line.old }),
  ...(line.new === undefined ? {} : { new_line: line.new }),
});

/** A thread by the bot on a line, through the API. */
export const postThread = async (scene: Scene, line: Line, body = 'a finding'): Promise<Answer> =>
  scene.api(scene.bot, 'POST', `${mrPath}/discussions`, { body, position: await positionAt(scene, line) });
