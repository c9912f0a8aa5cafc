import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openScene, repo, type Scene } from './support.ts';

const run = promisify(execFile);
const at = { repo, number: 1 };

let scene: Scene;
let folder: string;
beforeEach(async () => {
  scene = await openScene();
  folder = await mkdtemp(join(tmpdir(), 'fixpoint-clone-'));
});
afterEach(async () => {
  await scene.end();
  await rm(folder, { recursive: true, force: true });
});

const address = (token: string | null): string =>
  `${scene.sim.url.replace('://', token === null ? '://' : `://x:${token}@`)}/${repo}.git`;

const git = async (...args: readonly string[]): Promise<string> => {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=author', '-c', 'user.email=author@localhost'];
  return (await run('git', [...who, ...args], { cwd: folder, env })).stdout.trim();
};

const commit = async (branch: string): Promise<string> => {
  await git('clone', '--quiet', address(scene.author.token), '.');
  await git('checkout', '--quiet', branch);
  await writeFile(join(folder, 'pushed.txt'), 'pushed\n');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'pushed');
  return git('rev-parse', 'HEAD');
};

describe('git over HTTP', () => {
  it('moves the pull request, its ref and its log when a user pushes', async () => {
    const sha = await commit('feature');
    await git('push', '--quiet', 'origin', 'feature');
    expect(scene.sim.pullAt(at).headSha).toBe(sha);
    expect(await git('ls-remote', address(scene.bot.token), 'refs/pull/1/head')).toBe(`${sha}\trefs/pull/1/head`);
    expect(scene.sim.effects.at(-1)).toMatchObject({
      actor: 'author',
      kind: 'pull.push',
      number: 1,
      detail: { after: sha },
    });
  });

  it('serves the pull ref, any commit by its id, and partial clones', async () => {
    const { headSha } = scene.sim.pullAt(at);
    await scene.sim.moveBranch({ repo, branch: 'feature', to: 'main', as: 'author' });
    await git('init', '--quiet', '.');
    const options = ['--quiet', '--depth=1', '--filter=blob:none'];
    await git('fetch', ...options, address(scene.bot.token), headSha);
    expect(await git('rev-parse', 'FETCH_HEAD')).toBe(headSha);
  });

  it.each([
    ['nobody may read a private project', null, 'ls-remote', /could not read Username/],
    ['an outsider does not find it', 'outsider', 'ls-remote', /not found/],
    ['a reader begins to push, and has each ref declined', 'reader', 'push', /pre-receive hook declined/],
    ['nobody writes pull refs', 'author', 'push-pull', /hidden ref/],
  ])('%s', async (_, login, what, refusal) => {
    scene.sim.createUser({ login: 'reader' });
    scene.sim.addCollaborator(repo, 'reader', 'read');
    const to = address(login === null ? null : scene.sim.createToken(login));
    await commit('feature');
    const target = what === 'push-pull' ? 'HEAD:refs/pull/1/head' : 'HEAD:refs/heads/other';
    const attempt = what === 'ls-remote' ? git('ls-remote', to) : git('push', to, target);
    await expect(attempt).rejects.toThrow(refusal);
  });

  it('closes the pull request whose branch is deleted, and names the ref that is left', async () => {
    await commit('feature');
    const { headSha } = scene.sim.pullAt(at);
    await git('push', '--quiet', 'origin', '--delete', 'feature');
    expect(scene.sim.pullAt(at)).toMatchObject({ state: 'closed', headRef: 'refs/pull/1/head', headSha });
  });
});

describe('where the head comes from (Forgejo services/convert/pull.go, forges.md 4.3)', () => {
  const Head = z.object({
    state: z.string(),
    head: z.object({
      ref: z.string(),
      sha: z.string(),
      repo_id: z.number(),
      repo: z.looseObject({ full_name: z.string() }).nullable(),
    }),
    flow: z.number(),
  });
  const read = async (number: number) =>
    Head.parse((await scene.api(scene.bot, 'GET', `/repos/acme/shop/pulls/${number}`)).json);

  it('is a fork, fetched from the base all the same, and null once that is deleted', async () => {
    await scene.sim.forkRepo(repo, 'author');
    const wish = { repo: 'author/shop', branch: 'fix', files: { f: 'x\n' }, message: 'f', author: 'author' };
    const sha = await scene.sim.commitFiles(wish);
    await scene.sim.openPullRequest({ repo, headRepo: 'author/shop', head: 'fix', title: 'Fork', author: 'author' });
    expect((await read(2)).head.repo?.full_name).toBe('author/shop');
    const next = await scene.sim.commitFiles({ ...wish, files: { f: 'y\n' } });
    expect(await git('ls-remote', address(scene.bot.token), 'refs/pull/2/head')).toBe(`${next}\trefs/pull/2/head`);
    expect(next).not.toBe(sha);
    await scene.sim.deleteRepo('author/shop');
    expect(await read(2)).toMatchObject({
      state: 'closed',
      head: { ref: 'refs/pull/2/head', sha: next, repo_id: -1, repo: null },
    });
  });

  it('is a pull ref for AGit', async () => {
    const { headSha } = scene.sim.pullAt(at);
    await scene.sim.openPullRequest({ repo, head: headSha, title: 'AGit', author: 'author', agit: true });
    expect(await read(2)).toMatchObject({ flow: 1, head: { ref: 'refs/pull/2/head', repo_id: 1 } });
  });
});

describe('an installation under a path ([server] ROOT_URL)', () => {
  it('answers API, pages and git below it', async () => {
    const root = 'http://forge.test/code';
    const other = await openScene({ publicUrl: root });
    const local = `http://127.0.0.1:${other.sim.port}/code`;
    const user = await fetch(`${local}/api/v1/user`, { headers: { authorization: `token ${other.bot.token}` } });
    const page = await (await fetch(`${local}/acme/shop/pulls/1`)).text();
    const refs = await git(
      'ls-remote',
      `${local.replace('://', `://x:${other.bot.token}@`)}/${repo}.git`,
      'refs/pull/1/head',
    );
    await other.end();
    expect(await user.json()).toMatchObject({ html_url: `${root}/fixpoint` });
    expect(page).toContain(`href="${root}/acme/shop"`);
    expect(refs).toContain('refs/pull/1/head');
  });
});
