import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import type { FetchRequest } from '../../../../shared/workspace/mirror/fetch-head.ts';
import { createMirror, type Mirror } from '../../../../shared/workspace/mirror/mirror.ts';
import { createRevisions } from '../../../../shared/workspace/git/revisions.ts';
import { type GitHttpAnswer, type GitHttpRequest, type GitHttpServer, serveGit } from '../../../support/git-http.ts';
import { sampleProcesses } from '../../../support/process-sampler.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from '../repository.ts';

const USERNAME = 'reader';
/** Built at run time and looked for everywhere afterwards. */
const PASSWORD = ['canary', 'of', 'the', 'fetch'].join('-');

let folder = temporaryFolder();
let repository: Repository;
let server: GitHttpServer;
let answer: (request: GitHttpRequest) => GitHttpAnswer;
let base: CommitSha;
let head: CommitSha;

beforeEach(async () => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'served', 'project'));
  repository.write({ a: 'one\n' });
  base = repository.commit('base');
  repository.git('checkout', '--quiet', '-b', 'feature');
  repository.write({ a: 'two\n' });
  head = repository.commit('feature');
  repository.git('update-ref', 'refs/pull/7/head', head);
  answer = () => ({ kind: 'allow' });
  server = await serveGit({ root: join(folder.path, 'served'), authorise: (request) => answer(request) });
});
afterEach(async () => {
  await server.close();
  folder.dispose();
});

const open = (): Promise<Mirror> =>
  createMirror(
    { dataFolder: join(folder.path, 'data'), gitPath: GIT, forge: 'home', projectId: 42, allowProtocols: [] },
    never(),
  );

const request = (more: Partial<FetchRequest> = {}): FetchRequest => ({
  source: { url: `${server.url}/project/.git`, headRef: 'refs/pull/7/head' },
  expectedHead: head,
  targetBranch: 'main',
  credential: null,
  ...more,
});

const withUrl = (url: string, headRef = 'refs/pull/7/head'): FetchRequest => request({ source: { url, headRef } });

const gitDir = (): string => join(folder.path, 'data', 'mirrors', 'home.42.git');

const needsPassword = (asked: GitHttpRequest): GitHttpAnswer =>
  asked.username === USERNAME && asked.password === PASSWORD ? { kind: 'allow' } : { kind: 'challenge' };

describe('fetchHead', () => {
  it('brings head and target branch, and proves the head', async () => {
    const mirror = await open();
    expect(await mirror.fetchHead(request(), never())).toEqual({ kind: 'fetched', head, targetHead: base });
    const revisions = createRevisions(mirror.git);
    expect(await revisions.diff({ target: base, head }, never())).toMatchObject({ kind: 'diff', mergeBase: base });
    revisions.close();
  });

  it('F-R13: gets both in one conversation, and keeps them when the head has moved', async () => {
    const mirror = await open();
    await mirror.fetchHead(request(), never());
    expect(server.requests).toHaveLength(3);
    repository.git('update-ref', 'refs/pull/7/head', repository.commit('moved'));
    expect(await mirror.fetchHead(request(), never())).toMatchObject({ kind: 'head_moved' });
    const count = server.requests.length;
    expect(await mirror.fetchCommit(request(), never())).toBe('available');
    expect(server.requests).toHaveLength(count);
  });

  it('works for merge requests too, and again for a newer head', async () => {
    const mirror = await open();
    repository.git('update-ref', 'refs/merge-requests/7/head', head);
    const source = { url: `${server.url}/project/.git`, headRef: 'refs/merge-requests/7/head' };
    expect(await mirror.fetchHead(request({ source }), never())).toMatchObject({ kind: 'fetched', head });
    const newer = repository.commit('newer');
    repository.git('update-ref', 'refs/merge-requests/7/head', newer);
    expect(await mirror.fetchHead(request({ source, expectedHead: newer }), never())).toMatchObject({ head: newer });
  });

  it('G10 says when the head has moved, and to what', async () => {
    const mirror = await open();
    const moved = repository.commit('moved');
    repository.git('update-ref', 'refs/pull/7/head', moved);
    expect(await mirror.fetchHead(request(), never())).toEqual({ kind: 'head_moved', actual: moved });
  });

  it('G10 notices a force-push between the question and the fetch', async () => {
    const mirror = await open();
    const moved = repository.commit('moved');
    repository.git('update-ref', 'refs/pull/7/head', base);
    answer = () => {
      if (server.requests.length === 4) repository.git('update-ref', 'refs/pull/7/head', head);
      if (server.requests.length === 6) repository.git('update-ref', 'refs/pull/7/head', moved);
      return { kind: 'allow' };
    };
    expect(await mirror.fetchHead(request(), never())).toEqual({ kind: 'head_moved', actual: moved });
    const refs = execFileSync(GIT, ['--git-dir', gitDir(), 'for-each-ref', '--format=%(refname)'], {
      encoding: 'utf8',
    });
    expect(refs).not.toContain(head);
  });

  it('says what is missing', async () => {
    const mirror = await open();
    expect(await mirror.fetchHead(withUrl(`${server.url}/project/.git`, 'refs/pull/8/head'), never())).toEqual({
      kind: 'missing',
      what: 'head',
    });
    expect(await mirror.fetchHead(request({ targetBranch: 'gone' }), never())).toEqual({
      kind: 'missing',
      what: 'target',
    });
  });

  describe('F-R1: when the ref of the change request is not at the head that the forge names', () => {
    const branchIn = (project: string, name = 'feature') => ({ url: `${server.url}/${project}/.git`, name });
    const wanted = (branch: { url: string; name: string } | null, expectedHead: CommitSha) =>
      request({ source: { ...request().source, branch }, expectedHead });
    let newer: CommitSha;
    beforeEach(() => {
      repository.write({ a: 'three\n' });
      newer = repository.commit('newer');
    });

    it('fetches the branch of the project', async () => {
      const mirror = await open();
      const fetched = { kind: 'fetched', head: newer, targetHead: base };
      expect(await mirror.fetchHead(wanted(branchIn('project'), newer), never())).toEqual(fetched);
      repository.git('update-ref', '-d', 'refs/pull/7/head');
      expect(await mirror.fetchHead(wanted(branchIn('project'), newer), never())).toEqual(fetched);
      // The ref is what it should be, and the branch has moved on: it is the ref that was asked for.
      repository.git('update-ref', 'refs/pull/7/head', head);
      expect(await mirror.fetchHead(wanted(branchIn('project'), head), never())).toMatchObject({ head });
    });

    it('fetches the branch of a fork, and never from another server', async () => {
      const fork = createRepository(join(folder.path, 'served', 'fork'));
      fork.git('fetch', '--quiet', repository.workTree, 'feature');
      fork.git('checkout', '--quiet', '-B', 'theirs', 'FETCH_HEAD');
      const inFork = fork.commit('in the fork');
      const mirror = await open();
      expect(await mirror.fetchHead(wanted(branchIn('fork', 'theirs'), inFork), never())).toEqual({
        kind: 'fetched',
        head: inFork,
        targetHead: base,
      });
      const other = await serveGit({ root: join(folder.path, 'served'), authorise: () => ({ kind: 'allow' }) });
      const away = { url: `${other.url}/fork/.git`, name: 'theirs' };
      const another = fork.commit('another');
      expect(await mirror.fetchHead(wanted(away, another), never())).toEqual({ kind: 'head_moved', actual: head });
      expect(other.requests).toEqual([]);
      await other.close();
    });

    it('fetches the commit by its id when the branch is gone or may not be read', async () => {
      for (const branch of [branchIn('project', 'gone'), branchIn('no-such-fork'), null]) {
        const mirror = await open();
        expect(await mirror.fetchHead(wanted(branch, newer), never())).toMatchObject({ kind: 'fetched', head: newer });
        rmSync(join(folder.path, 'data'), { recursive: true });
      }
    });

    it('is superseded when the branch has moved on, or nothing leads to the head', async () => {
      const later = repository.commit('later');
      const mirror = await open();
      expect(await mirror.fetchHead(wanted(branchIn('project'), newer), never())).toEqual({
        kind: 'head_moved',
        actual: later,
      });
      const unknown = request({ expectedHead: newer });
      expect(await mirror.fetchHead(unknown, never())).toEqual({ kind: 'head_moved', actual: head });
      repository.git('checkout', '--quiet', 'main');
      repository.git('branch', '-D', 'feature');
      const gone = wanted(branchIn('project'), CommitSha.parse('f'.repeat(40)));
      expect(await mirror.fetchHead(gone, never())).toEqual({ kind: 'head_moved', actual: head });
    });
  });

  it('G10 goes by exact names where branches and tags imitate them', async () => {
    const imposter = repository.commit('imposter');
    repository.git('update-ref', 'refs/heads/refs/pull/8/head', imposter);
    repository.git('update-ref', `refs/heads/${head}`, imposter);
    repository.git('update-ref', 'refs/tags/main', imposter);
    repository.git('update-ref', 'refs/heads/refs/heads/main', imposter);
    repository.git('update-ref', 'refs/heads/HEAD', imposter);
    repository.git('update-ref', 'refs/heads/refs/heads/gone', imposter);
    const mirror = await open();
    const missing = withUrl(`${server.url}/project/.git`, 'refs/pull/8/head');
    expect(await mirror.fetchHead({ ...missing, expectedHead: imposter }, never())).toMatchObject({ kind: 'missing' });
    expect(await mirror.fetchHead(request(), never())).toEqual({ kind: 'fetched', head, targetHead: base });
    expect(await mirror.fetchHead(request({ targetBranch: 'HEAD' }), never())).toMatchObject({ targetHead: imposter });
    expect(await mirror.fetchHead(request({ targetBranch: 'gone' }), never())).toMatchObject({ what: 'target' });
  });

  it('keeps an old head that was force-pushed away, and fetches one that it never had by its id', async () => {
    repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    const mirror = await open();
    repository.git('update-ref', 'refs/pull/7/head', base);
    expect(await mirror.fetchHead(request(), never())).toMatchObject({ kind: 'head_moved' });
    expect(await mirror.fetchCommit(request(), never())).toBe('available');
    const count = server.requests.length;
    expect(await mirror.fetchCommit(request(), never())).toBe('available');
    expect(server.requests.length).toBe(count);
    const unknown = 'a'.repeat(40) as CommitSha;
    expect(await mirror.fetchCommit(request({ expectedHead: unknown }), never())).toBe('unavailable');
  });

  it('serves several fetches and openings at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 4 }, async () => (await open()).fetchHead(request(), never())),
    );
    expect(results).toEqual(Array.from({ length: 4 }, () => ({ kind: 'fetched', head, targetHead: base })));
    expect(readdirSync(join(folder.path, 'data', 'mirrors'))).toEqual(['home.42.git', 'home.42.git.use']);
  });

  it('throws an error that names no credential, and is not worth a retry, when the server refuses', async () => {
    answer = () => ({ kind: 'challenge' });
    const mirror = await open();
    const failure = mirror.fetchHead(request({ credential: { username: USERNAME, password: PASSWORD } }), never());
    const error: unknown = await failure.catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'GIT_UNAUTHORISED', disposition: { kind: 'fail' } });
    expect(String(error)).not.toContain(PASSWORD);
  });

  it('ends when it is aborted', async () => {
    const mirror = await open();
    const controller = new AbortController();
    answer = () => {
      controller.abort(new Error('superseded'));
      return { kind: 'allow' };
    };
    await expect(mirror.fetchHead(request(), controller.signal)).rejects.toThrow('superseded');
    expect(existsSync(`${gitDir()}.lock`)).toBe(false);
  });
});

describe('G5 addresses', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['ext', 'ext::sh -c "touch canary"'],
    ['an option', '--upload-pack=touch canary'],
    ['a file', 'file:///etc'],
    ['a path', '/etc'],
    ['ssh', 'ssh://-oProxyCommand=touch/x'],
    ['scp syntax', 'git@host:x.git'],
    ['git', 'git://127.0.0.1/x.git'],
    ['plain http elsewhere', 'http://forge.example.org/x.git'],
    ['user information', 'https://user@forge.example.org/x.git'],
    ['a credential', 'https://user:word@forge.example.org/x.git'],
    ['a parent folder', 'https://forge.example.org/a/../x.git'],
    ['an escaped parent folder', 'https://forge.example.org/a/%2E%2e/x.git'],
    ['a path below a dash, which is no repository', 'https://forge.example.org/a/-/b'],
    ['a query', 'https://forge.example.org/x.git?service=y'],
    ['a fragment', 'https://forge.example.org/x.git#y'],
    ['a line break', 'https://forge.example.org/x.git\nhelper'],
    ['a backslash', 'https://forge.example.org\\@evil/x.git'],
    ['a leading space', ' https://forge.example.org/x.git'],
  ];

  it.each(refused)('refuses %s', async (_, url) => {
    const mirror = await open();
    const before = server.requests.length;
    await expect(mirror.fetchHead(withUrl(url), never())).rejects.toMatchObject({ code: 'GIT_REFUSED' });
    expect(server.requests.length).toBe(before);
  });

  const refs = [
    'refs/heads/main',
    'refs/pull/7/merge',
    'refs/pull/0/head',
    'refs/pull/7/head:x',
    '--upload-pack=x',
    '',
  ];

  it.each(refs)('refuses the ref %j', async (headRef) => {
    const mirror = await open();
    await expect(mirror.fetchHead(withUrl(server.url, headRef), never())).rejects.toMatchObject({
      code: 'GIT_REFUSED',
    });
  });

  const branches = [
    '-x',
    '',
    'a..b',
    'a b',
    'a:b',
    'a*',
    'a\nb',
    'x.lock',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    '@',
    'a@{b',
    'a^',
    'a~1',
  ];

  it.each(branches)('refuses the target branch %j', async (targetBranch) => {
    const mirror = await open();
    await expect(mirror.fetchHead(request({ targetBranch }), never())).rejects.toMatchObject({ code: 'GIT_REFUSED' });
  });

  it('follows no redirect', async () => {
    const listener = await serveGit({ root: join(folder.path, 'served') });
    answer = () => ({ kind: 'redirect', location: `${listener.url}/project/.git/info/refs?service=git-upload-pack` });
    const mirror = await open();
    const credential = { username: USERNAME, password: PASSWORD };
    await expect(mirror.fetchHead(request({ credential }), never())).rejects.toMatchObject({ code: 'GIT_REDIRECTED' });
    expect(listener.requests).toEqual([]);
    await listener.close();
  });

  it('lets the operator allow http, and a caller a file of its own', async () => {
    const settings = { dataFolder: join(folder.path, 'data'), gitPath: GIT, forge: 'home', projectId: 1 };
    const mirror = await createMirror({ ...settings, allowProtocols: ['file'] }, never());
    expect(await mirror.fetchHead(withUrl(`file://${repository.gitDir}`), never())).toMatchObject({ kind: 'fetched' });
  });
});

const filesBelow = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isFile());

describe('G6 the credential', () => {
  it('authenticates, and is in no argument, environment or file', async () => {
    answer = needsPassword;
    repository.write({ large: Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 251)) });
    head = repository.commit('large');
    repository.git('update-ref', 'refs/pull/7/head', head);
    const mirror = await open();
    const credential = { username: USERNAME, password: PASSWORD };
    const { result, sampled } = await sampleProcesses(gitDir(), async () =>
      mirror.fetchHead(request({ credential }), never()),
    );
    expect(result).toMatchObject({ kind: 'fetched' });
    const commands = [...sampled.processes.keys()].join('\n');
    expect(commands).toMatch(/git .*fetch/);
    expect([...sampled.processes.values()].filter((text) => text.includes(PASSWORD))).toEqual([]);
    const files = filesBelow(join(folder.path, 'data'));
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((path) => readFileSync(path).includes(PASSWORD))).toEqual([]);
  });

  it('fails without it', async () => {
    answer = needsPassword;
    await expect((await open()).fetchHead(request(), never())).rejects.toMatchObject({ code: 'GIT_UNAUTHORISED' });
  });

  it('keeps the helper and the mirrors to their owner', async () => {
    await open();
    const modes = ['askpass', 'askpass/askpass', 'mirrors'].map((name) => {
      return (statSync(join(folder.path, 'data', name)).mode & 0o777).toString(8);
    });
    expect(modes).toEqual(['700', '700', '700']);
  });

  it('refuses a credential that would be two lines', async () => {
    const credential = { username: USERNAME, password: `a\nb` };
    const failure = (await open()).fetchHead(request({ credential }), never());
    await expect(failure).rejects.toMatchObject({ code: 'GIT_REFUSED' });
  });
});

describe('G3 a planted configuration', () => {
  const plant = (canary: string): void => {
    const config = `[core]
\tfsmonitor = touch ${canary}
\thooksPath = ${join(folder.path, 'hooks')}
\tsshCommand = touch ${canary}
\taskPass = ${join(folder.path, 'hooks', 'post-checkout')}
\tattributesFile = ${join(folder.path, 'attributes')}
\tpager = touch ${canary}
[diff]
\texternal = touch ${canary}
[diff "evil"]
\tcommand = touch ${canary}
\ttextconv = touch ${canary}
[filter "evil"]
\tclean = touch ${canary}
\tsmudge = touch ${canary}
[merge "evil"]
\tdriver = touch ${canary}
[credential]
\thelper = "!touch ${canary}"
[alias]
\tfetch = "!touch ${canary}"
\tdiff-tree = "!touch ${canary}"
[url "ext::touch ${canary} "]
\tinsteadOf = ${server.url}/
[fetch]
\trecurseSubmodules = true
`;
    mkdirSync(join(folder.path, 'hooks'), { recursive: true });
    for (const name of ['reference-transaction', 'post-checkout', 'post-merge', 'pre-auto-gc']) {
      writeFileSync(join(folder.path, 'hooks', name), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
    }
    writeFileSync(join(folder.path, 'attributes'), '* diff=evil filter=evil merge=evil\n');
    writeFileSync(join(gitDir(), 'config'), `${readFileSync(join(gitDir(), 'config'), 'utf8')}${config}`);
    writeFileSync(join(gitDir(), 'info', 'attributes'), '* diff=evil filter=evil merge=evil\n');
  };

  it('runs nothing between jobs, and is gone after the next fetch', async () => {
    const canary = join(folder.path, 'canary');
    answer = needsPassword;
    const mirror = await open();
    plant(canary);
    const credential = { username: USERNAME, password: PASSWORD };
    expect(await mirror.fetchHead(request({ credential }), never())).toMatchObject({ kind: 'fetched' });
    expect(readFileSync(join(gitDir(), 'config'), 'utf8')).not.toContain('evil');
    expect(existsSync(canary)).toBe(false);
  });

  it.each(['objects/info/alternates', 'shallow', 'info/grafts', 'commondir', 'config.worktree'])(
    'F-T17: takes a planted %s away at the next fetch',
    async (name) => {
      const mirror = await open();
      await mirror.fetchHead(request(), never());
      mkdirSync(dirname(join(gitDir(), name)), { recursive: true });
      // An existing repository, so that git itself finds nothing wrong with it.
      writeFileSync(join(gitDir(), name), `${join(repository.gitDir, 'objects')}\n`);
      await mirror.fetchHead(request(), never());
      expect(existsSync(join(gitDir(), name))).toBe(false);
    },
  );

  it('runs nothing when it is planted inside a job', async () => {
    const canary = join(folder.path, 'canary');
    const mirror = await open();
    await mirror.fetchHead(request(), never());
    plant(canary);
    const revisions = createRevisions(mirror.git);
    expect(await revisions.diff({ target: base, head }, never())).toMatchObject({ kind: 'diff' });
    await revisions.commits({ base, head, maxCommits: 5 }, never());
    await revisions.listFiles(head, { maxFiles: 5 }, never());
    await revisions.readFile({ commit: head, path: 'a', maxBytes: 10 }, never());
    revisions.close();
    expect(existsSync(canary)).toBe(false);
  });
});

describe('G4 G7 submodules and LFS', () => {
  it('fetch nothing beside the repository', async () => {
    const listener = await serveGit({ root: join(folder.path, 'served') });
    const modules = repository.blob(`[submodule "x"]\n\tpath = sub\n\turl = ${listener.url}/project/.git\n`);
    const lfs = repository.blob(`[lfs]\n\turl = ${listener.url}/lfs\n`);
    const pointer = repository.blob(
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5\n`,
    );
    const attributes = repository.blob('* filter=lfs diff=lfs merge=lfs -text\n');
    const file = (name: string, objectId: string) => ({ mode: '100644', name, objectId });
    const tree = repository.rawTree([
      file('.gitattributes', attributes),
      file('.gitmodules', modules),
      file('.lfsconfig', lfs),
      file('data.bin', pointer),
      { mode: '160000', name: 'sub', objectId: base },
    ]);
    const expectedHead = repository.commitTree(tree, head);
    repository.git('update-ref', 'refs/pull/7/head', expectedHead);
    const mirror = await open();
    expect(await mirror.fetchHead(request({ expectedHead }), never())).toMatchObject({ kind: 'fetched' });
    expect(listener.requests).toEqual([]);
    await listener.close();
  });
});
