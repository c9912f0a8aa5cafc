import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseBranch, parseGitSource } from '../../../../shared/workspace/git/git-source.ts';
import { createMirror } from '../../../../shared/workspace/mirror/mirror.ts';
import { createRepository, GIT, never, temporaryFolder } from '../repository.ts';

it.each(['main\u3000\u4e00', 'a\u00a0b', 'x\u2028y', '-'.padStart(60, '\u958b')])(
  'fetches the target branch %j, which git accepts',
  async (branch) => {
    const folder = temporaryFolder();
    const repository = createRepository(join(folder.path, 'served'));
    const base = repository.commit('base');
    repository.git('update-ref', `refs/heads/${branch}`, base);
    const head = repository.commit('head');
    repository.git('update-ref', 'refs/pull/7/head', head);
    const place = { dataFolder: join(folder.path, 'data'), gitPath: GIT, forge: 'home', projectId: 1 };
    const mirror = await createMirror({ ...place, allowProtocols: ['file'] }, never());
    const source = { url: `file://${repository.gitDir}`, headRef: 'refs/pull/7/head' };
    const wanted = { source, expectedHead: head, targetBranch: branch, credential: null };
    expect(await mirror.fetchHead(wanted, never())).toEqual({ kind: 'fetched', head, targetHead: base });
    expect(await mirror.tipOf({ source, credential: null, branch }, never())).toBe(base);
    await mirror.release();
    folder.dispose();
  },
);

it.each(['https://forge.example.org/o/-foo.git', 'https://forge.example.org/-o/--foo.git'])(
  'accepts the repository %s',
  (url) => {
    expect(parseGitSource({ url, headRef: 'refs/pull/7/head' }, [])).toMatchObject({ url });
  },
);

it('accepts a target branch of more than 250 characters, and refuses one that no file system can hold', () => {
  expect(parseBranch(`${'a'.repeat(200)}/${'b'.repeat(200)}`)).toHaveLength(401);
  expect(() => parseBranch('a/'.repeat(2500).concat('a'))).toThrow(/no valid name/);
});
