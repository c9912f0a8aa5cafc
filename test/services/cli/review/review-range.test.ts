/** `fixpoint review` on ranges that hold nothing, that are cut, and on every kind of name that git takes. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ReviewRequest, review } from '../../../../services/cli/api.ts';
import { createRepository, GIT, type Repository, temporaryFolder } from '../../../shared/workspace/repository.ts';
import { builtScript } from '../../../support/built.ts';
import { runCli } from '../run-cli.ts';

const RUN_MS = 60_000;
const EVAL = 'export const run = (text) => eval(text);\n';

let folder = temporaryFolder();
let repository: Repository;
beforeAll(async () => void (await builtScript('services/cli/main.js')), 240_000);
beforeEach(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'repository'));
  repository.write({ 'a.js': 'export const a = 1;\n' });
  repository.commit('base');
});
afterEach(() => folder.dispose());

type Wish = { readonly base?: string; readonly head?: string; readonly uncommitted?: 'staged' | 'worktree' };

const reviewed = async (wish: Wish, workspacePath = repository.workTree) => {
  const notices: string[] = [];
  const request: ReviewRequest = { workspacePath, runner: 'rules', ...wish, onNotice: (line) => notices.push(line) };
  const { verdict, summary, coverage, findings } = await review(request);
  return { verdict, summary, files: coverage.files, paths: findings.map(({ path }) => path), notices };
};

const nothing = (why: string) => ({
  verdict: 'inconclusive',
  summary: `Nothing to review: ${why}.`,
  files: 0,
  paths: [],
  notices: [],
});

/** Every file with its time: what was only read is still the same. Git renews the time of objects that it would write. */
const stateOf = (): string => {
  const files = readdirSync(repository.workTree, { recursive: true, encoding: 'utf8' }).toSorted();
  const timeOf = (name: string): string =>
    name.startsWith('.git/objects/') ? '' : String(statSync(join(repository.workTree, name)).mtimeMs);
  return files.map((name) => `${name} ${timeOf(name)}`).join('\n');
};

describe('F-A8: nothing to review is no pass', () => {
  test('says that base and head are one commit, and counts what is not committed', async () => {
    expect(await reviewed({ base: 'main' })).toEqual(nothing('main and HEAD are the same commit'));
    repository.write({ 'staged.js': EVAL });
    repository.git('add', 'staged.js');
    repository.write({ 'new/untracked.js': EVAL });
    const before = stateOf();
    const both = 'to review them: --worktree, or --staged for the staged changes';
    const why = `main and HEAD are the same commit; 2 changed files are not committed (${both})`;
    expect(await reviewed({ base: 'main' })).toEqual(nothing(why));
    expect(stateOf()).toBe(before);
  });

  test('says so of a merged head, of empty commits and of a merge that changes no file', async () => {
    repository.git('branch', 'old');
    repository.write({ 'b.js': EVAL });
    repository.commit('more');
    expect(await reviewed({ base: 'main', head: 'old' })).toEqual(nothing('main contains all commits of old'));
    repository.git('checkout', '--quiet', '-b', 'empty');
    repository.commit('empty');
    expect(await reviewed({ base: 'main' })).toEqual(nothing('the commits between main and HEAD change no file'));
    repository.git('checkout', '--quiet', 'old');
    repository.commit('aside');
    repository.git('merge', '--quiet', '--no-edit', 'main');
    expect(await reviewed({ base: 'main' })).toEqual(nothing('the commits between main and HEAD change no file'));
  });

  test('says so when the path filters leave nothing, unless what they leave out is grave', async () => {
    repository.write({ '.fixpoint.toml': '[review]\nexclude_paths = ["docs/"]\n' });
    repository.git('branch', '-f', 'target', repository.commit('settings'));
    repository.write({ 'docs/a.js': 'export const b = 1;\n', 'docs/b.js': 'export const b = 1;\n' });
    repository.commit('docs');
    expect(await reviewed({ base: 'target' })).toMatchObject({
      verdict: 'inconclusive',
      summary: 'Nothing to review: the path filters of `.fixpoint.toml` exclude all 2 changed files.',
      files: 2,
    });
    repository.write({ 'docs/c.js': EVAL });
    repository.commit('grave');
    expect(await reviewed({ base: 'target' })).toMatchObject({ verdict: 'feedback', paths: ['docs/c.js'] });
  });

  test('says so of a folder without files, in an audit', async () => {
    const empty = join(folder.path, 'empty');
    mkdirSync(join(empty, 'deeper'), { recursive: true });
    const { verdict, summary } = await review({ mode: 'codebase', workspacePath: empty, runner: 'rules' });
    expect({ verdict, summary }).toEqual({
      verdict: 'inconclusive',
      summary: 'Nothing to review: the folder contains no file.',
    });
  });

  test(
    'ends with 3, in text and JSON',
    async () => {
      const args = ['review', '--repo', repository.workTree, '--base', 'main', '--runner', 'rules'];
      const run = await runCli(args);
      expect(run).toEqual({
        code: 3,
        stdout: 'inconclusive: Nothing to review: main and HEAD are the same commit.\n',
        stderr: '',
      });
      expect(JSON.parse((await runCli([...args, '--format', 'json'])).stdout)).toMatchObject({
        verdict: 'inconclusive',
      });
    },
    RUN_MS,
  );
});

describe('F-A8: what is not committed', () => {
  test('is reviewed as it is staged, or as the work tree holds it, and nothing is written', async () => {
    repository.write({ 'a.js': EVAL, 'gone.js': 'x\n' });
    repository.git('add', '--all');
    repository.write({
      'a.js': 'export const a = 2;\n',
      'new.js': EVAL,
      'ignored.js': EVAL,
      '.gitignore': 'ignored.js\n',
    });
    const before = stateOf();
    expect(await reviewed({ uncommitted: 'staged' })).toMatchObject({ verdict: 'feedback', files: 2, paths: ['a.js'] });
    expect(await reviewed({ uncommitted: 'worktree' })).toMatchObject({
      verdict: 'feedback',
      files: 4,
      paths: ['new.js'],
    });
    expect(stateOf()).toBe(before);
  });

  test('is reviewed on top of the commits of the branch when a base is named', async () => {
    repository.git('checkout', '--quiet', '-b', 'feature');
    repository.write({ 'b.js': EVAL });
    repository.commit('committed');
    repository.write({ 'c.js': EVAL });
    expect((await reviewed({ base: 'main', uncommitted: 'worktree' })).paths).toEqual(['b.js', 'c.js']);
    expect((await reviewed({ base: 'main', uncommitted: 'staged' })).paths).toEqual(['b.js']);
  });

  test('is nothing in a clean tree; the words lead from the index to the tree', async () => {
    expect(await reviewed({ uncommitted: 'worktree' })).toEqual(nothing('the worktree does not differ from HEAD'));
    expect(await reviewed({ uncommitted: 'staged' })).toEqual(nothing('the staged changes do not differ from HEAD'));
  });

  test('is found where a file kept its size and its time', async () => {
    const file = join(repository.workTree, 'a.js');
    const { atime, mtime } = statSync(join(repository.gitDir, 'index'));
    writeFileSync(file, 'export const a = 3;\n');
    utimesSync(file, atime, mtime);
    expect(await reviewed({ uncommitted: 'worktree' })).toMatchObject({ verdict: 'lgtm', files: 1 });
  });

  test('is found before the first commit, from a folder inside, in a linked work tree and with a split index', async () => {
    const fresh = createRepository(join(folder.path, 'fresh'));
    fresh.write({ 'x.js': EVAL });
    expect(await reviewed({ uncommitted: 'worktree' }, fresh.workTree)).toMatchObject({ paths: ['x.js'] });
    repository.write({ 'in/side.js': EVAL });
    expect(await reviewed({ uncommitted: 'worktree' }, join(repository.workTree, 'in'))).toMatchObject({
      paths: ['in/side.js'],
    });
    const linked = join(folder.path, 'linked');
    repository.git('worktree', 'add', '--quiet', '-b', 'linked', linked);
    writeFileSync(join(linked, 'l.js'), EVAL);
    expect(await reviewed({ uncommitted: 'worktree' }, linked)).toMatchObject({ paths: ['l.js'] });
    repository.git('update-index', '--split-index');
    repository.git('add', '--all');
    expect(await reviewed({ uncommitted: 'staged' })).toMatchObject({ paths: ['in/side.js'] });
  });

  test('leaves out what the user ignores everywhere, and runs no filter', async () => {
    const canary = join(folder.path, 'canary');
    repository.git('config', 'filter.evil.clean', `touch ${canary}; cat`);
    repository.git('config', 'core.excludesFile', join(folder.path, 'everywhere'));
    writeFileSync(join(folder.path, 'everywhere'), '*.private\n');
    writeFileSync(join(repository.gitDir, 'info', 'exclude'), 'mine.js\n');
    repository.write({ '.gitattributes': '*.js filter=evil\n', 'b.private': EVAL, 'mine.js': EVAL, 'c.js': 'c();\n' });
    expect(await reviewed({ uncommitted: 'worktree' })).toMatchObject({ files: 2, paths: [] });
    expect(existsSync(canary)).toBe(false);
  });

  test('has no line changed by the line ends that the repository converts', async () => {
    repository.write({ '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': 'one\r\ntwo\r\n' });
    repository.commit('text');
    repository.write({ 'a.txt': 'one\r\nTWO\r\n' });
    expect(await reviewed({ uncommitted: 'worktree' })).toMatchObject({ files: 1 });
    repository.write({ 'a.txt': 'one\r\ntwo\r\n' });
    expect(await reviewed({ uncommitted: 'worktree' })).toEqual(nothing('the worktree does not differ from HEAD'));
  });

  test('is refused in words in the middle of a merge and in a bare repository', async () => {
    repository.git('checkout', '--quiet', '-b', 'other');
    repository.write({ 'a.js': 'other\n' });
    repository.commit('other');
    repository.git('checkout', '--quiet', 'main');
    repository.write({ 'a.js': 'main\n' });
    repository.commit('main');
    expect(() => repository.git('merge', 'other')).toThrow('git merge');
    await expect(reviewed({ uncommitted: 'staged' })).rejects.toMatchObject({
      message: /a merge has unresolved conflicts/,
    });
    expect(await reviewed({ uncommitted: 'worktree' })).toMatchObject({ verdict: 'feedback', paths: ['a.js'] });
    const bare = join(folder.path, 'bare.git');
    repository.git('clone', '--quiet', '--bare', repository.gitDir, bare);
    await expect(reviewed({ uncommitted: 'worktree' }, bare)).rejects.toMatchObject({ message: /no worktree/ });
  });

  test(
    'has options that exclude each other',
    async () => {
      repository.write({ 'b.js': EVAL });
      const args = ['review', '--repo', repository.workTree, '--runner', 'rules'];
      expect(await runCli([...args, '--worktree'])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^fixpoint: reviewing \w{10} against \w{10} with rules\n[^]*fixpoint: 1 of 1 changed files reviewed\n$/m,
        ),
      });
      expect(await runCli([...args, '--staged', '--worktree'])).toMatchObject({ code: 2 });
      expect(await runCli([...args, '--staged', '--head', 'HEAD'])).toMatchObject({ code: 2 });
      expect(await runCli([...args])).toMatchObject({ code: 2, stderr: expect.stringContaining('--worktree') });
    },
    RUN_MS,
  );
});

describe('F-C14: any name that git takes', () => {
  const NAMES = [
    'feature/#123-fix',
    'größe',
    'fix%20x',
    'a,b',
    "it's",
    'v(1)',
    'a{b}',
    'x!y',
    '$HOME',
    '@x',
    'a&b',
    '=',
    '日本',
    '"q"',
  ];

  test.each(NAMES)('reviews the branch %s', async (name) => {
    repository.git('checkout', '--quiet', '-b', name);
    repository.write({ 'b.js': EVAL });
    repository.commit('more');
    expect(await reviewed({ base: 'main', head: name })).toMatchObject({ verdict: 'feedback', paths: ['b.js'] });
  });

  test('reviews what an expression names', async () => {
    repository.git('branch', 'start');
    repository.git('checkout', '--quiet', '-b', 'side');
    repository.write({ 'b.js': EVAL });
    const side = repository.commit('fix (b): text');
    repository.git('checkout', '--quiet', 'main');
    repository.commit('aside');
    repository.git('merge', '--quiet', '--no-edit', 'side');
    repository.git('tag', '-a', 'v1', '-m', 'tag', 'side');
    repository.git('branch', '--set-upstream-to=side', 'main');
    repository.git('checkout', '--quiet', '--detach', 'side');
    repository.git('checkout', '--quiet', 'main');
    const names = [
      'HEAD^2',
      'HEAD~0^2',
      'v1',
      'refs/tags/v1',
      'refs/heads/side',
      'heads/side',
      '@{u}',
      'main@{upstream}',
    ];
    names.push(':/fix', 'HEAD^{/fix}', '@^2', side.slice(0, 8), '@{-1}', 'v1^{}', 'main^{commit}^2', 'HEAD@{0}^2');
    for (const head of names) {
      expect({ head, ...(await reviewed({ base: 'start', head })) }).toMatchObject({ head, paths: ['b.js'] });
    }
  });

  test('takes the tag of one name, as git does, and says so', async () => {
    repository.git('tag', 'both');
    repository.git('checkout', '--quiet', '-b', 'both');
    repository.write({ 'b.js': EVAL });
    repository.commit('more');
    const tag = await reviewed({ base: 'main', head: 'both' });
    expect(tag).toMatchObject({
      verdict: 'inconclusive',
      notices: [expect.stringContaining('is both a tag and a branch')],
    });
    expect(await reviewed({ base: 'main', head: 'refs/heads/both' })).toMatchObject({ paths: ['b.js'], notices: [] });
  });

  test('refuses in words what names no commit', async () => {
    const bad = [
      'none',
      'main..main',
      '^main',
      'HEAD:a.js',
      'HEAD^{tree}',
      ':a.js',
      ':/no such words',
      'HEAD^@',
      'HEAD\nHEAD',
      'a\0b',
      '*',
    ];
    for (const head of bad) {
      await expect(reviewed({ base: 'main', head })).rejects.toMatchObject({ code: 'REVISION_UNKNOWN' });
    }
    for (const head of ['-x', '--help', '']) {
      await expect(reviewed({ base: 'main', head })).rejects.toMatchObject({ code: 'USAGE' });
    }
  });
});

describe('F-C15: a history that is cut', () => {
  const cloned = (name: string, ...args: readonly string[]): string => {
    const target = join(folder.path, name);
    repository.git('clone', '--quiet', ...args, `file://${repository.workTree}`, target);
    return target;
  };
  const inside = (at: string, ...args: readonly string[]) =>
    execFileSync(GIT, ['-C', at, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/bin:/bin', HOME: folder.path },
    });

  beforeEach(() => {
    repository.write({ 'other.js': EVAL });
    repository.commit('on main');
    repository.git('checkout', '--quiet', '-b', 'feature', 'HEAD~1');
    repository.write({ 'b.js': 'export const b = 1;\n' });
    repository.commit('on feature');
    repository.git('config', 'uploadpack.allowFilter', 'true');
  });

  test('is refused with the command that brings it, and reviewed after that command', async () => {
    const shallow = cloned('shallow', '--depth=1', '--branch=feature', '--no-single-branch');
    const range = { base: 'origin/main', head: 'HEAD' };
    await expect(reviewed(range, shallow)).rejects.toMatchObject({
      code: 'HISTORY_CUT',
      message: /git fetch --unshallow/,
    });
    await expect(reviewed({ base: 'HEAD~1' }, shallow)).rejects.toMatchObject({ message: /git fetch --unshallow/ });
    inside(shallow, 'fetch', '--quiet', '--unshallow');
    expect(await reviewed(range, shallow)).toMatchObject({ verdict: 'lgtm', files: 1 });
  });

  test('is refused where a merge base is found that may be too old', async () => {
    // main - x - y, feature = merge(main, y): cut at y, the only common commit that is left is main.
    repository.git('checkout', '--quiet', '-b', 'x', 'main');
    repository.write({ 'x.js': EVAL });
    repository.commit('x');
    repository.git('checkout', '--quiet', '-b', 'y');
    repository.commit('y');
    repository.git('checkout', '--quiet', '-b', 'z', 'main');
    repository.commit('z');
    repository.git('merge', '--quiet', '--no-edit', 'y');
    const shallow = cloned('doubt', '--depth=2', '--branch=z', '--no-single-branch');
    await expect(reviewed({ base: 'origin/x' }, shallow)).rejects.toMatchObject({ code: 'HISTORY_CUT' });
  });

  test('does not matter behind the merge base', async () => {
    repository.commit('two');
    repository.commit('three');
    const shallow = cloned('deep-enough', '--depth=3', '--branch=feature');
    expect(await reviewed({ base: 'HEAD~2' }, shallow)).toMatchObject({ verdict: 'inconclusive' });
    inside(shallow, 'checkout', '--quiet', '-b', 'more');
    writeFileSync(join(shallow, 'c.js'), EVAL);
    expect(await reviewed({ base: 'HEAD~1', uncommitted: 'worktree' }, shallow)).toMatchObject({ paths: ['c.js'] });
  });

  test('is refused in a partial clone that lacks files, and reviewed when they are there', async () => {
    const partial = cloned('partial', '--filter=blob:none', '--branch=feature');
    const range = { base: 'origin/main' };
    await expect(reviewed(range, partial)).rejects.toMatchObject({
      code: 'HISTORY_CUT',
      message: /git fetch --refetch --no-filter/,
    });
    inside(partial, 'fetch', '--quiet', '--refetch', '--no-filter');
    expect(await reviewed(range, partial)).toMatchObject({ verdict: 'lgtm', files: 1 });
    const bare = cloned('treeless', '--filter=tree:0', '--no-checkout', '--branch=feature');
    await expect(reviewed(range, bare)).rejects.toMatchObject({ code: 'HISTORY_CUT' });
  });

  test('is refused where the two share no commit, or commits are gone', async () => {
    repository.git('checkout', '--quiet', '--orphan', 'unrelated');
    repository.commit('unrelated');
    await expect(reviewed({ base: 'main' })).rejects.toMatchObject({ message: /no common history/ });
    const broken = cloned('broken', '--branch=feature', '--no-local');
    const gone = inside(broken, 'rev-parse', 'HEAD~1').toString().trim();
    inside(broken, 'config', 'gc.auto', '0');
    const packs = join(broken, '.git/objects/pack');
    const pack = readdirSync(packs).find((name) => name.endsWith('.pack')) ?? '';
    const content = readFileSync(join(packs, pack));
    rmSync(packs, { recursive: true });
    mkdirSync(packs);
    execFileSync(GIT, ['-C', broken, 'unpack-objects', '-q'], { input: content });
    rmSync(join(broken, '.git/objects', gone.slice(0, 2), gone.slice(2)));
    await expect(reviewed({ base: 'origin/main' }, broken)).rejects.toMatchObject({ code: 'HISTORY_CUT' });
  });

  test('says that a commit is missing whose name is known', async () => {
    const emptied = cloned('emptied');
    rmSync(join(emptied, '.git/objects'), { recursive: true });
    mkdirSync(join(emptied, '.git/objects'));
    await expect(reviewed({ base: 'origin/main', head: 'origin/main' }, emptied)).rejects.toMatchObject({
      code: 'REVISION_UNKNOWN',
      message: expect.stringMatching(
        /^no commit named origin\/main in this repository: the name is known, but the commit/,
      ),
    });
  });

  test('names the branch of the remote where only that one is here', async () => {
    const single = cloned('single', '--branch=feature');
    await expect(reviewed({ base: 'main' }, single)).rejects.toMatchObject({
      code: 'REVISION_UNKNOWN',
      message: 'no commit named main; did you mean origin/main?',
    });
  });
});
