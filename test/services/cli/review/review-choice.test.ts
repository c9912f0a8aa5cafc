/** Which commits and files `fixpoint review` takes when they are not all named. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { review } from '../../../../services/cli/api.ts';
import { createRepository, GIT, type Repository, temporaryFolder } from '../../../shared/workspace/repository.ts';

const EVAL = 'export const run = (text) => eval(text);\n';

let folder = temporaryFolder();
let repository: Repository;
beforeEach(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'repository'));
  repository.write({ 'a.js': 'export const a = 1;\n' });
  repository.commit('base');
});
afterEach(() => folder.dispose());

type Wish = { readonly base?: string; readonly head?: string; readonly paths?: readonly string[] };

const reviewed = async (wish: Wish, workspacePath = repository.workTree) => {
  const { verdict, summary, coverage, findings } = await review({ workspacePath, runner: 'rules', ...wish });
  return { verdict, summary, files: coverage.files, paths: findings.map(({ path }) => path) };
};

describe('without a base', () => {
  /** A clone whose remote has one commit less than the clone. */
  const cloned = (): string => {
    const clone = join(folder.path, 'clone');
    execFileSync(GIT, ['clone', '--quiet', repository.workTree, clone]);
    writeFileSync(join(clone, 'b.js'), EVAL);
    execFileSync(GIT, ['-C', clone, 'add', '.']);
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    execFileSync(GIT, ['-C', clone, ...who, 'commit', '--quiet', '-m', 'more']);
    return clone;
  };
  const git = (clone: string, ...args: readonly string[]): void => void execFileSync(GIT, ['-C', clone, ...args]);

  test('reviews what the default branch of the remote does not have', async () => {
    expect(await reviewed({}, cloned())).toMatchObject({ verdict: 'feedback', files: 1, paths: ['b.js'] });
  });

  test.each([
    ['is not recorded, but has a usual name', ['remote', 'set-head', 'origin', '--delete']],
    ['belongs to the only remote, whatever its name', ['remote', 'rename', 'origin', 'upstream']],
  ])('finds it when it %s', async (_name, args) => {
    const clone = cloned();
    git(clone, ...args);
    expect(await reviewed({}, clone)).toMatchObject({ verdict: 'feedback', paths: ['b.js'] });
  });

  test('says what to name where nothing is known', async () => {
    await expect(reviewed({})).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/^--base is missing.*git remote set-head origin --auto/),
    });
    const clone = cloned();
    git(clone, 'remote', 'set-head', 'origin', '--delete');
    git(clone, 'update-ref', 'refs/remotes/origin/master', 'HEAD');
    await expect(reviewed({}, clone)).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('says that nothing is new', async () => {
    const clone = cloned();
    git(clone, 'reset', '--quiet', '--hard', 'origin/main');
    expect(await reviewed({}, clone)).toMatchObject({
      verdict: 'inconclusive',
      summary: 'Nothing to review: origin/main and HEAD are the same commit.',
    });
  });
});

describe('one commit', () => {
  test('is compared with its first parent', async () => {
    repository.write({ 'b.js': EVAL });
    const wanted = repository.commit('wanted');
    repository.write({ 'c.js': EVAL });
    repository.commit('later');
    expect(await reviewed({ base: `${wanted}^1`, head: wanted })).toMatchObject({ files: 1, paths: ['b.js'] });
  });

  test('that is the first has no parent, which is said', async () => {
    await expect(reviewed({ base: 'HEAD^1', head: 'HEAD' })).rejects.toMatchObject({
      code: 'REVISION_UNKNOWN',
      message: 'no commit named HEAD^1: HEAD is the first commit; to review everything: --mode codebase --path .',
    });
  });
});

describe('one commit that is not there', () => {
  test('is named as it was asked for', async () => {
    await expect(reviewed({ base: 'none^1', head: 'none' })).rejects.toMatchObject({ message: 'no commit named none' });
  });
});

describe('only some files', () => {
  beforeEach(() => {
    repository.git('branch', 'target');
    repository.write({ 'src/b.js': EVAL, 'docs/c.js': EVAL, 'd.js': 'export const d = 1;\n' });
    repository.commit('more');
  });

  test.each([
    ['one folder', ['src/**'], 'feedback', ['src/b.js']],
    ['two patterns', ['src/**', 'docs/*.js'], 'feedback', ['docs/c.js', 'src/b.js']],
    ['one file', ['d.js'], 'lgtm', []],
  ] as const)('%s', async (_name, paths, verdict, found) => {
    expect(await reviewed({ base: 'target', paths })).toMatchObject({ verdict, paths: found });
  });

  test('none of which is changed: nothing was reviewed', async () => {
    expect(await reviewed({ base: 'target', paths: ['lib/**', '*.md'] })).toMatchObject({
      verdict: 'inconclusive',
      summary: 'Nothing to review: no changed file matches lib/** or *.md.',
      paths: [],
    });
  });

  test.each(['', '/src', '../src', 'src/[', 'a\nb'])(
    'a pattern that can match nothing is refused: %j',
    async (pattern) => {
      await expect(reviewed({ base: 'target', paths: [pattern] })).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringContaining('is not a path pattern'),
      });
    },
  );

  test('a secret is found wherever it is', async () => {
    const secret = ['ghp', 'w'.repeat(3) + 'aB3dE6gH9jK2mN5pQ8sT1vX4yZ7cF0'.padEnd(33, 'r')].join('_');
    repository.write({ 'docs/key.txt': `${secret}\n` });
    repository.commit('key');
    expect((await reviewed({ base: 'target', paths: ['d.js'] })).paths).toContain('docs/key.txt');
  });
});
