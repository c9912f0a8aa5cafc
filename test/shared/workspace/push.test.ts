import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { createMirror, type Mirror, type PushRequest } from '../../../shared/workspace/mirror/mirror.ts';
import { type GitHttpAnswer, type GitHttpRequest, type GitHttpServer, serveGit } from '../../support/git-http.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from './repository.ts';

/** Built at run time and looked for everywhere afterwards. */
const PASSWORD = ['canary', 'of', 'the', 'push'].join('-');

let folder = temporaryFolder();
let repository: Repository;
let server: GitHttpServer;
let answer: (request: GitHttpRequest) => GitHttpAnswer;
let mirror: Mirror;
let base: CommitSha;
let head: CommitSha;
let next: CommitSha;

const allow: GitHttpAnswer = { kind: 'allow' };

beforeEach(async () => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'served', 'project'));
  repository.write({ a: 'one\n' });
  base = repository.commit('base');
  repository.git('checkout', '--quiet', '-b', 'feature');
  repository.write({ a: 'two\n' });
  head = repository.commit('feature');
  repository.git('update-ref', 'refs/pull/7/head', head);
  repository.git('checkout', '--quiet', 'main');
  answer = () => allow;
  server = await serveGit({ root: join(folder.path, 'served'), authorise: (request) => answer(request) });
  const settings = { dataFolder: join(folder.path, 'data'), gitPath: GIT, forge: 'home', projectId: 42 };
  mirror = await createMirror({ ...settings, allowProtocols: [] }, never());
  const fetched = await mirror.fetchHead(
    { ...source(), expectedHead: head, targetBranch: 'main', credential: null },
    never(),
  );
  if (fetched.kind !== 'fetched') throw new Error(fetched.kind);
  const tree = repository.git('rev-parse', `${base}^{tree}`);
  const made = await mirror.git.run(['commit-tree', tree, '-p', head, '-m', 'fix'], { env: IDENTITY }, never());
  next = made.stdout.toString('utf8').trim() as CommitSha; // one full object id
});
afterEach(async () => {
  await server.close();
  folder.dispose();
});

const IDENTITY = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};

const source = () => ({ source: { url: `${server.url}/project/.git`, headRef: 'refs/pull/7/head' } });

const push = (more: Partial<PushRequest> = {}) =>
  mirror.push({ ...source(), credential: null, branch: 'feature', from: head, to: next, ...more }, never());

const tip = (): string => repository.git('rev-parse', 'refs/heads/feature');

const refs = (): string => repository.git('for-each-ref', '--format=%(refname)');

describe('a push', () => {
  it('moves the one branch, and again changes nothing', async () => {
    const before = refs();
    expect([await push(), tip(), refs()]).toEqual(['pushed', next, before]);
    expect(await push()).toBe('pushed');
    expect(await mirror.tipOf({ ...source(), credential: null, branch: 'feature' }, never())).toBe(next);
  });

  it('gives its credential to git alone', async () => {
    answer = ({ username, password }) =>
      username === 'pusher' && password === PASSWORD ? allow : { kind: 'challenge' };
    expect(await push({ credential: { username: 'pusher', password: PASSWORD } })).toBe('pushed');
    for (const name of readdirSync(folder.path, { recursive: true, encoding: 'utf8' })) {
      const file = join(folder.path, name);
      if (statSync(file).isFile()) expect(readFileSync(file).includes(PASSWORD)).toBe(false);
    }
  });

  it.each<[string, () => void]>([
    ['stands elsewhere', () => void repository.git('update-ref', 'refs/heads/feature', base)],
    ['is gone', () => void repository.git('update-ref', '-d', 'refs/heads/feature')],
  ])('is not made when the branch %s', async (_name, move) => {
    move();
    const before = refs();
    expect(await push()).toBe('moved');
    expect(refs()).toBe(before);
    expect(server.requests.some((line) => line.includes('git-receive-pack'))).toBe(false);
  });

  it('G10, I11: is refused by the server when the branch moves after the question, also to where it could be reached from', async () => {
    answer = ({ service }) => {
      if (service === 'git-receive-pack') repository.git('update-ref', 'refs/heads/feature', base);
      return allow;
    };
    expect([await push(), tip()]).toEqual(['moved', base]);
  });

  it.each([
    [503, 'GIT_FAILED'],
    [502, 'GIT_FAILED'],
    [403, 'GIT_UNAUTHORISED'],
  ])('F-E5: that the server gives up under way with %i is no refusal of it', async (status, code) => {
    let asked = 0;
    answer = ({ service }) => {
      if (service !== 'git-receive-pack') return allow;
      asked += 1;
      // The question is answered, and the commits are not taken.
      return asked === 1 ? allow : { kind: 'status', status };
    };
    await expect(push()).rejects.toMatchObject({ code });
    expect([asked > 1, tip()]).toEqual([true, head]);
  });

  it('is told apart from one that the server will not have', async () => {
    execFileSync(
      '/bin/sh',
      ['-c', 'mkdir -p hooks && printf "#!/bin/sh\\nexit 1\\n" > hooks/pre-receive && chmod +x hooks/pre-receive'],
      {
        cwd: repository.gitDir,
      },
    );
    expect([await push(), tip()]).toEqual(['refused', head]);
  });

  it('that the server cannot take at all is an error to try again', async () => {
    answer = ({ service }) => (service === 'git-receive-pack' ? { kind: 'not_found' } : allow);
    await expect(push()).rejects.toMatchObject({ code: 'GIT_REPOSITORY_MISSING', disposition: { kind: 'retry' } });
    expect(tip()).toBe(head);
  });

  it.each(['-x', 'a..b', 'refs/heads/../x', 'a b', ''])('takes no branch called %j', async (branch) => {
    await expect(push({ branch })).rejects.toMatchObject({ code: 'GIT_REFUSED' });
  });
});
