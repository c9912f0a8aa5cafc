import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalRepository, openLocalRepository } from '../../../../shared/workspace/local/local.ts';
import { createRevisions } from '../../../../shared/workspace/git/revisions.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from '../repository.ts';

let folder = temporaryFolder();
let repository: Repository;
beforeEach(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'work'));
});
afterEach(() => folder.dispose());

const open = (directory = repository.workTree): Promise<LocalRepository> =>
  openLocalRepository({ directory, gitPath: GIT, scratchFolder: join(folder.path, 'scratch') }, never());

const snapshot = (): readonly string[] =>
  readdirSync(repository.gitDir, { recursive: true, encoding: 'utf8' }).map(
    (name) => `${name} ${statSync(join(repository.gitDir, name)).mtimeMs}`,
  );

describe('openLocalRepository', () => {
  it('resolves what names a commit, and nothing else', async () => {
    const base = repository.commit('base');
    repository.git('tag', '-a', 'v1', '-m', 'tag');
    const head = repository.commit('head');
    const local = await open();
    const resolve = (revision: string) => local.resolveRevision(revision, never());
    expect(await Promise.all(['HEAD', 'main', 'v1', 'HEAD~1', ':/base', head.slice(0, 12)].map(resolve))).toEqual([
      head,
      head,
      base,
      base,
      base,
      head,
    ]);
    const bad = [
      'none',
      '-x',
      '--help',
      'HEAD:a',
      ':/nothing',
      'HEAD^{/x}',
      'a..b',
      'HEAD\nHEAD',
      '',
      'HEAD^{tree}',
      '@{-1}',
    ];
    expect(await Promise.all(bad.map(resolve))).toEqual(bad.map(() => null));
    await local.close();
  });

  it('reads through the same interface, writes nothing and leaves nothing', async () => {
    repository.write({ a: 'one\n' });
    const base = repository.commit('base');
    repository.write({ a: 'two\n' });
    const head = repository.commit('head');
    const before = snapshot();
    const local = await open();
    const revisions = createRevisions(local.git);
    expect(await revisions.diff({ target: base, head }, never())).toMatchObject({ kind: 'diff', mergeBase: base });
    expect(await revisions.readFile({ commit: head, path: 'a', maxBytes: 10 }, never())).toMatchObject({
      text: 'two\n',
    });
    revisions.close();
    await local.close();
    expect(snapshot()).toEqual(before);
    expect(readdirSync(join(folder.path, 'scratch'))).toEqual([]);
  });

  it('works from a folder inside, from a linked work tree, on a bare and on a SHA-256 repository', async () => {
    repository.write({ 'deep/er/a': '1' });
    const head = repository.commit('head');
    const linked = join(folder.path, 'linked');
    repository.git('worktree', 'add', '--quiet', linked);
    const bare = join(folder.path, 'bare.git');
    repository.git('clone', '--quiet', '--bare', repository.gitDir, bare);
    for (const directory of [join(repository.workTree, 'deep', 'er'), linked, bare]) {
      const local = await open(directory);
      const revisions = createRevisions(local.git);
      expect(await local.resolveRevision('HEAD', never())).toBe(head);
      expect(await revisions.exists(head, never())).toBe(true);
      revisions.close();
      await local.close();
    }
    const other = join(folder.path, 'sha256');
    repository.git('init', '--quiet', '--object-format=sha256', other);
    repository.git('-C', other, 'commit', '--quiet', '--allow-empty', '-m', 'x');
    const local = await open(other);
    expect(await local.resolveRevision('HEAD', never())).toMatch(/^[0-9a-f]{64}$/);
    await local.close();
  });

  it('reads a shallow clone up to where it is cut', async () => {
    repository.commit('one');
    repository.commit('two');
    const head = repository.commit('three');
    const shallow = join(folder.path, 'shallow');
    repository.git('clone', '--quiet', '--depth=2', `file://${repository.workTree}`, shallow);
    const local = await open(shallow);
    const revisions = createRevisions(local.git);
    const unrelated = await local.resolveRevision('HEAD~1', never());
    expect(unrelated && (await revisions.commits({ base: unrelated, head, maxCommits: 9 }, never()))).toHaveLength(1);
    revisions.close();
    await local.close();
  });

  it('names every folder that the repository borrows objects from, each once', async () => {
    const head = repository.commit('head');
    const first = join(folder.path, 'first');
    const second = join(folder.path, 'second');
    repository.git('clone', '--quiet', '--shared', repository.workTree, first);
    repository.git('clone', '--quiet', '--shared', first, second);
    const alternates = join(second, '.git', 'objects', 'info', 'alternates');
    writeFileSync(alternates, '# a comment\n../../nowhere\n../objects\n../../../first/.git/objects\n');
    const local = await open(second);
    expect(await local.resolveRevision('HEAD', never())).toBe(head);
    const own = [join(second, '.git'), join(first, '.git'), repository.gitDir];
    expect(local.objectFolders.toSorted()).toEqual(own.map((gitDir) => join(gitDir, 'objects')).toSorted());
    await local.close();
  });

  it('G1 does not take a bare repository inside the tree for one', async () => {
    repository.write({ 'emb/HEAD': 'ref: refs/heads/x\n', 'emb/objects/x': '', 'emb/refs/x': '', 'emb/sub/x': '' });
    const head = repository.commit('head');
    const local = await open(join(repository.workTree, 'emb', 'sub'));
    expect(await local.resolveRevision('HEAD', never())).toBe(head);
    await local.close();
  });

  it('G3 runs nothing that its configuration names', async () => {
    const canary = join(folder.path, 'canary');
    repository.write({ a: 'one\n', '.gitattributes': '* diff=evil filter=evil\n' });
    const base = repository.commit('base');
    repository.write({ a: 'two\n' });
    const head = repository.commit('head');
    for (const key of [
      'core.fsmonitor',
      'diff.external',
      'diff.evil.textconv',
      'diff.evil.command',
      'filter.evil.clean',
    ]) {
      repository.git('config', key, `touch ${canary}`);
    }
    const local = await open();
    const revisions = createRevisions(local.git);
    await local.resolveRevision('HEAD', never());
    await revisions.diff({ target: base, head }, never());
    await revisions.commits({ base, head, maxCommits: 5 }, never());
    revisions.close();
    await local.close();
    expect(existsSync(canary)).toBe(false);
  });

  it('refuses a folder without a repository, and cleans up when it cannot go on', async () => {
    const empty = join(folder.path, 'empty');
    mkdirSync(join(empty, '.git'), { recursive: true });
    await expect(open(folder.path)).rejects.toMatchObject({ code: 'GIT_REFUSED' });
    await expect(open(join(folder.path, 'none'))).rejects.toThrow('/none does not exist');
    const lost = join(folder.path, 'lost');
    mkdirSync(lost);
    writeFileSync(join(lost, '.git'), 'gitdir: /nowhere\n');
    await expect(open(lost)).rejects.toThrow('/lost/.git points to /nowhere, and there is no such folder');
    await expect(open(empty)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(readdirSync(join(folder.path, 'scratch'))).toEqual([]);
  });
});

describe('what is not committed', () => {
  const changedFiles = async (env: Readonly<Record<string, string>> = {}): Promise<number> => {
    const settings = { directory: repository.workTree, gitPath: GIT, scratchFolder: join(folder.path, 'scratch'), env };
    const local = await openLocalRepository(settings, never());
    const stored = await local.storeUncommitted('worktree', never());
    await local.close();
    return stored.changedFiles;
  };

  describe.each([
    ['.gitattributes', () => repository.write({ '.gitattributes': '*.bin filter=pack\n' })],
    [
      'info/attributes',
      () => {
        mkdirSync(join(repository.gitDir, 'info'), { recursive: true });
        writeFileSync(join(repository.gitDir, 'info', 'attributes'), '*.bin filter=pack\n');
      },
    ],
  ] as const)('with a filter that %s names', (_where, nameFilter) => {
    /** As in a fresh clone: the files are as old as the index, so git would compare their content. */
    const lay = (): string => {
      const canary = join(folder.path, 'canary');
      repository.git('config', 'filter.pack.clean', 'tr a-z A-Z');
      repository.git('config', 'filter.pack.smudge', 'tr A-Z a-z');
      nameFilter();
      repository.write({ 'a.bin': 'hello\n', 'b.bin': 'world\n', 'sub/c.bin': 'again\n', 'd.txt': 'one\n' });
      repository.commit('filtered');
      repository.git('config', 'filter.pack.clean', `touch ${canary}; tr a-z A-Z`);
      expect(repository.git('show', 'HEAD:a.bin')).toBe('HELLO');
      return canary;
    };

    it('takes no unchanged file into the change, and does not run the filter', async () => {
      const canary = lay();
      expect(await changedFiles()).toBe(0);
      expect(existsSync(canary)).toBe(false);
    });

    it('takes what was edited, removed or is of no filter', async () => {
      const canary = lay();
      repository.write({ 'a.bin': 'edited\n', 'b.bin': null, 'd.txt': 'two\n' });
      expect(await changedFiles()).toBe(3);
      expect(existsSync(canary)).toBe(false);
    });

    it('takes no file that is as it was in a copy of the clone, where only size and time are the same', async () => {
      lay();
      const copy = join(folder.path, 'copy');
      cpSync(repository.workTree, copy, { recursive: true, preserveTimestamps: true });
      const settings = { directory: copy, gitPath: GIT, scratchFolder: join(folder.path, 'scratch') };
      const local = await openLocalRepository(settings, never());
      expect((await local.storeUncommitted('worktree', never())).changedFiles).toBe(0);
      await local.close();
    });
  });

  it('leaves out what ~/.config/git/ignore names if XDG_CONFIG_HOME is empty', async () => {
    repository.commit('base');
    const home = join(folder.path, 'home');
    mkdirSync(join(home, '.config', 'git'), { recursive: true });
    writeFileSync(join(home, '.config', 'git', 'ignore'), '*.private\n');
    repository.write({ 'b.private': 'private\n', 'c.txt': 'c\n' });
    expect(await changedFiles({ HOME: home, XDG_CONFIG_HOME: '' })).toBe(1);
  });

  it('takes a file in place of a committed link for a file, and a link in place of a file for a link', async () => {
    repository.write({ 'a.js': 'a\n', 'b.js': 'b\n' });
    symlinkSync('a.js', join(repository.workTree, 'link.js'));
    repository.commit('base');
    rmSync(join(repository.workTree, 'link.js'));
    rmSync(join(repository.workTree, 'b.js'));
    repository.write({ 'link.js': 'eval(words)\n' });
    symlinkSync('a.js', join(repository.workTree, 'b.js'));
    const settings = { directory: repository.workTree, gitPath: GIT, scratchFolder: join(folder.path, 'scratch') };
    const local = await openLocalRepository(settings, never());
    const { commit } = await local.storeUncommitted('worktree', never());
    const { stdout } = await local.git.run(['ls-tree', '-r', '--format=%(objectmode) %(path)', commit], {}, never());
    await local.close();
    expect(stdout.toString()).toBe('100644 a.js\n120000 b.js\n100644 link.js\n');
  });

  it('stores only the beginning of an untracked file that is too large to review', async () => {
    repository.write({ a: '1\n', '.gitignore': 'ignored.bin\n' });
    repository.commit('base');
    const names = ['big.js', 'small.js', 'ignored.bin', 'b\u00f6se "x"\n.bin'];
    for (const name of names) writeFileSync(join(repository.workTree, name), 'x'.repeat(1000));
    for (const name of names) if (name !== 'small.js') truncateSync(join(repository.workTree, name), 40 * 1024 * 1024);
    const before = snapshot();
    const local = await open();
    const { commit, changedFiles: changed } = await local.storeUncommitted('worktree', never());
    const { stdout } = await local.git.run(
      ['ls-tree', '-r', '-z', '--format=%(path) %(objectsize)', commit],
      {},
      never(),
    );
    await local.close();
    expect(changed).toBe(3);
    expect(stdout.toString().split('\0').toSorted()).toEqual(
      [
        '',
        '.gitignore 12',
        'a 2',
        `big.js ${2 ** 21}`,
        'small.js 1000',
        String.raw`"b\303\266se \"x\"\n.bin" ${2 ** 21}`,
      ].toSorted(),
    );
    expect(snapshot()).toEqual(before);
  });

  describe('with line ends of the user', () => {
    const homeWith = (files: Readonly<Record<string, string>>): string => {
      const home = join(folder.path, 'home');
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        writeFileSync(join(home, name), text);
      }
      return home;
    };

    it.each([
      ['core.autocrlf in ~/.gitconfig', { '.gitconfig': '[core]\n\tautocrlf = input\n' }],
      ['core.autocrlf in ~/.config/git/config', { '.config/git/config': '[core]\n\tautocrlf = true\n' }],
      ['~/.config/git/attributes', { '.config/git/attributes': '* text=auto\n' }],
      ['core.attributesFile', { '.gitconfig': '[core]\n\tattributesFile = ~/own\n', own: '* text=auto\n' }],
    ])('compares as %s says', async (_where, files) => {
      repository.write({ 'a.txt': 'one\ntwo\n', 'b.txt': 'one\n' });
      repository.commit('base');
      repository.write({ 'a.txt': 'one\r\ntwo\r\n', 'b.txt': 'other\r\n' });
      expect(await changedFiles()).toBe(2);
      expect(await changedFiles({ HOME: homeWith(files) })).toBe(1);
    });

    it('reads the files that variables name in place of the usual ones', async () => {
      repository.write({ 'a.txt': 'one\n' });
      repository.commit('base');
      repository.write({ 'a.txt': 'one\r\n' });
      const input = '[core]\n\tautocrlf = input\n';
      const home = homeWith({ named: input, '.gitconfig': input });
      const named = join(home, 'named');
      expect(await changedFiles({ GIT_CONFIG_GLOBAL: named })).toBe(0);
      expect(await changedFiles({ GIT_CONFIG_GLOBAL: '', HOME: home })).toBe(1);
      expect(await changedFiles({ GIT_CONFIG_SYSTEM: named })).toBe(0);
      expect(await changedFiles({ GIT_CONFIG_SYSTEM: named, GIT_CONFIG_NOSYSTEM: 'yes' })).toBe(1);
    });

    it('reads the settings of the worktree first', async () => {
      repository.write({ 'a.txt': 'one\n' });
      repository.commit('base');
      repository.git('config', 'extensions.worktreeConfig', 'true');
      repository.git('config', 'core.autocrlf', 'false');
      repository.git('config', '--worktree', 'core.autocrlf', 'input');
      repository.write({ 'a.txt': 'one\r\n' });
      expect(await changedFiles()).toBe(0);
    });

    it('prefers the settings of the repository', async () => {
      repository.write({ 'a.txt': 'one\n' });
      repository.commit('base');
      repository.git('config', 'core.autocrlf', 'false');
      repository.write({ 'a.txt': 'one\r\n' });
      expect(await changedFiles({ HOME: homeWith({ '.gitconfig': '[core]\n\tautocrlf = input\n' }) })).toBe(1);
    });
  });
});
