/** Rules and guidelines of the operator's repositories, over a real git server. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RuleSource } from '../../../shared/config/rule-settings.ts';
import { withSources } from '../../../shared/rule-sources/connect.ts';
import { loadSource } from '../../../shared/rule-sources/load-source.ts';
import type { MirrorAccess } from '../../../shared/workspace/mirror/open-head.ts';
import { failWrites } from '../../support/full-disk.ts';
import { type GitHttpAnswer, type GitHttpRequest, type GitHttpServer, serveGit } from '../../support/git-http.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from '../workspace/repository.ts';

const PASSWORD = ['git', 'token', 'of', 'the', 'reviewer'].join('-');

let folder = temporaryFolder();
let repository: Repository;
let server: GitHttpServer;
let asked: GitHttpRequest[] = [];
let answer: (request: GitHttpRequest) => GitHttpAnswer;

const rule = (id: string): string =>
  `id: ${id}\nlanguage: js\nmessage: No\nrule: { pattern: ${id}($A) }\ninvalid: ["${id}(a)"]\n`;

beforeEach(async () => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'served', 'acme', 'code-rules.git'));
  repository.write({ 'rules/fetch.yml': rule('fetch'), 'style.md': 'Names are words.\n' });
  repository.commit('first');
  answer = ({ username, password }) =>
    username === 'oauth2' && password === PASSWORD ? { kind: 'allow' } : { kind: 'challenge' };
  server = await serveGit({
    root: join(folder.path, 'served'),
    authorise: (request) => {
      asked.push(request);
      return answer(request);
    },
  });
});
afterEach(async () => {
  await server.close();
  folder.dispose();
  asked = [];
});

const load = async (
  more: Partial<RuleSource> = {},
  { signal = never(), ...place }: Partial<MirrorAccess> & { readonly signal?: AbortSignal } = {},
) =>
  loadSource(
    {
      name: 'acme',
      forge: 'home',
      project: 'acme/code-rules',
      ref: 'main',
      rules: 'rules',
      guidelines: 'style.md',
      projects: [],
      ...more,
    },
    {
      baseUrl: server.url,
      mirror: {
        dataFolder: join(folder.path, 'data'),
        gitPath: GIT,
        credential: { username: 'oauth2', password: PASSWORD },
        allowProtocols: [],
        caFile: null,
        proxy: 'none',
        renameLikeness: 50,
        ...place,
      },
    },
    signal,
  );

type Loaded = Awaited<ReturnType<typeof load>>;

const idsOf = ({ set }: Loaded): readonly string[] => set.rules.map(({ id }) => id);
const whyOf = ({ set }: Loaded): readonly string[] =>
  set.problems.map(({ file, why }) => (file === null ? why : `${file}: ${why}`));

describe('a source', () => {
  test('gives its rules and guidelines at the newest commit of a branch', async () => {
    const first = await load();
    expect({ ids: idsOf(first), why: whyOf(first), guidelines: first.guidelines }).toEqual({
      ids: ['acme/fetch'],
      why: [],
      guidelines: [{ source: 'acme', path: 'acme: style.md', scope: [], text: 'Names are words.\n' }],
    });
    repository.write({ 'rules/more.yaml': rule('more') });
    const second = repository.commit('second');
    const next = await load();
    expect([idsOf(next), next.commit]).toEqual([['acme/fetch', 'acme/more'], second]);
    expect(next.key).not.toBe(first.key);
  });

  test('is read once for each commit', async () => {
    const first = await load();
    const fetches = asked.length;
    expect(await load()).toBe(first);
    // The second time only the refs were listed.
    expect(asked.length - fetches).toBeLessThan(fetches);
  });

  test('is read again if there was no time for the examples of its rules', async () => {
    repository.write({ 'rules/fetch.yml': rule('late') });
    repository.commit('late');
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 60_000));
    try {
      const late = await load();
      expect([idsOf(late), whyOf(late)]).toEqual([[], ['rules/fetch.yml: `acme/late` could not be checked in time']]);
    } finally {
      clock.mockRestore();
    }
    const next = await load();
    expect([idsOf(next), whyOf(next)]).toEqual([['acme/late'], []]);
  });

  test('may be a tag, which stays where it is', async () => {
    repository.git('tag', '-a', 'v1', '-m', 'the first');
    repository.write({ 'rules/more.yml': rule('more') });
    repository.commit('second');
    expect(idsOf(await load({ ref: 'v1' }))).toEqual(['acme/fetch']);
    expect(idsOf(await load({ ref: 'refs/tags/v1' }))).toEqual(['acme/fetch']);
    expect(idsOf(await load())).toEqual(['acme/fetch', 'acme/more']);
  });

  test('may change to a ref below the earlier one, and back', async () => {
    repository.git('branch', 'rules');
    expect(whyOf(await load({ ref: 'rules' }))).toEqual([]);
    repository.git('branch', '-m', 'rules', 'rules/v2');
    const next = await load({ ref: 'rules/v2' });
    expect([idsOf(next), whyOf(next)]).toEqual([['acme/fetch'], []]);
    repository.git('branch', '-m', 'rules/v2', 'rules');
    expect(whyOf(await load({ ref: 'rules' }))).toEqual([]);
  });

  test('has guidelines for certain paths, from a folder', async () => {
    repository.write({
      'guides/a.md': '---\npaths: ["*.sql"]\n---\nNo triggers.\n',
      'guides/b.md': 'All.\n',
      'guides/c.txt': 'x',
    });
    repository.commit('guides');
    const { guidelines } = await load({ rules: null, guidelines: 'guides' });
    expect(guidelines.map(({ path, scope }) => [path, scope])).toEqual([
      ['acme: guides/a.md', ['*.sql']],
      ['acme: guides/b.md', []],
    ]);
  });
});

describe('a source that cannot be used as it is configured', () => {
  test.each<readonly [string, Partial<RuleSource>, string]>([
    ['a ref that does not exist', { ref: 'v9' }, 'could not be read: `acme/code-rules` has no branch and no tag `v9`'],
    [
      'a project that does not exist',
      { project: 'acme/none' },
      'could not be read from `acme/none` (GIT_REPOSITORY_MISSING)',
    ],
    ['a folder without rules', { rules: 'other' }, 'are missing: `other` contains none'],
    [
      'guidelines that do not exist',
      { guidelines: 'no.md' },
      'have no guidelines: `no.md` is no file and contains none',
    ],
  ])('names %s', async (_, more, why) => {
    expect(whyOf(await load(more))).toEqual([why]);
  });

  test('names a branch and a tag of the same name', async () => {
    repository.git('branch', 'v1');
    repository.git('tag', 'v1');
    expect(whyOf(await load({ ref: 'v1' }))).toEqual([expect.stringContaining('has a branch and a tag `v1`')]);
    expect(whyOf(await load({ ref: 'refs/heads/v1' }))).toEqual([]);
  });

  test('names a wrong rule and a wrong guideline, and keeps the others', async () => {
    repository.write({ 'rules/bad.yml': '- [', 'style.md': '---\nscope: x\n---\n' });
    repository.commit('wrong');
    const read = await load();
    expect([idsOf(read), read.guidelines]).toEqual([['acme/fetch'], []]);
    expect(whyOf(read)).toEqual([
      expect.stringContaining('rules/bad.yml: line 1: the file is not plain YAML'),
      expect.stringContaining('style.md: it has an unknown key in its front matter'),
    ]);
  });

  test.each([
    ['a repository that its token may not read', 'GIT_UNAUTHORISED'],
    ['a forge that cannot be reached', 'GIT_FAILED'],
  ])('names %s, without the token', async (_, code) => {
    answer = () => ({ kind: 'challenge' });
    if (code === 'GIT_FAILED') await server.close();
    const read = await load();
    expect(whyOf(read)).toEqual([`could not be read from \`acme/code-rules\` (${code})`]);
    expect(JSON.stringify(read)).not.toContain(PASSWORD);
    if (code === 'GIT_FAILED') server = await serveGit({ root: folder.path });
  });

  test('stops when the caller gives up', async () => {
    const abort = new AbortController();
    abort.abort(new Error('enough'));
    await expect(load({}, { signal: abort.signal })).rejects.toThrow('enough');
  });
});

describe('a source whose mirror cannot be used', () => {
  const packs = (): string => {
    const names = readdirSync(join(folder.path, 'data', 'mirrors')).filter((name) => /\.git(?:\.g\d+)?$/.test(name));
    const mirror = names.toSorted().at(-1) ?? '';
    return join(folder.path, 'data', 'mirrors', mirror, 'objects', 'pack');
  };

  const DAMAGES: Readonly<Record<string, () => void>> = {
    'broken packs': () => {
      for (const name of readdirSync(packs()).filter((each) => each.endsWith('.pack'))) {
        rmSync(join(packs(), name));
        writeFileSync(join(packs(), name), 'broken');
      }
    },
    'objects that are gone': () => rmSync(join(packs(), '..'), { recursive: true }),
  };

  test.each(Object.keys(DAMAGES))('is fetched into a new one: %s', async (name) => {
    await load();
    DAMAGES[name]?.();
    const known = await load({ name: 'again' });
    expect([idsOf(known), whyOf(known)]).toEqual([['again/fetch'], []]);
    DAMAGES[name]?.();
    repository.write({ 'rules/more.yml': rule('more') });
    repository.commit('second');
    const next = await load();
    expect([idsOf(next), whyOf(next)]).toEqual([['acme/fetch', 'acme/more'], []]);
  });

  test('removes other mirrors when the disk is full, and is no problem of the rules', async () => {
    const disk = await failWrites();
    const asks: unknown[] = [];
    const keeper = {
      settle: async () => {},
      makeRoom: async (project: unknown) => {
        asks.push(project);
        await disk.empty();
        return true;
      },
    };
    try {
      await disk.fill();
      await expect(load({}, { dataFolder: disk.folder })).rejects.toMatchObject({ code: 'ENOSPC' });
      expect(idsOf(await load({}, { dataFolder: disk.folder, keeper }))).toEqual(['acme/fetch']);
      expect(asks).toEqual([expect.objectContaining({ forge: 'home', projectId: expect.stringMatching(/^rules-/) })]);
    } finally {
      await disk.dispose();
    }
  });

  test('is no problem of the rules when git finds the disk full', async () => {
    const disk = await failWrites();
    try {
      // The fetch comes after the listing.
      answer = () => {
        void disk.fill();
        return { kind: 'allow' };
      };
      await expect(load({}, { dataFolder: disk.folder })).rejects.toMatchObject({ code: 'GIT_DISK_FULL' });
    } finally {
      await disk.dispose();
    }
  });
});

test('the content of sources is part of what a verdict is carried for', async () => {
  const first = await load();
  const other = await load({ guidelines: null });
  expect(withSources('operator', [])).toBe('operator');
  expect(new Set(['operator', withSources('operator', [first]), withSources('operator', [other])]).size).toBe(3);
});
