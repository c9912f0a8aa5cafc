import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkGitVersion, createGit, findGit, isRecentEnough, scrub } from '../../../../shared/workspace/git/git.ts';
import { createRepository, GIT, gitOf, never, type Repository, temporaryFolder } from '../repository.ts';

let folder = temporaryFolder();
let repository: Repository;
beforeEach(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'work'));
});
afterEach(() => folder.dispose());

describe('createGit', () => {
  it('throws with the code of what went wrong', async () => {
    repository.write({ a: 'x'.repeat(5000) });
    const head = repository.commit('a');
    const git = gitOf(repository);
    await expect(git.run(['cat-file', '-p', 'nothing'], {}, never())).rejects.toMatchObject({ code: 'GIT_FAILED' });
    const large = git.run(['cat-file', '-p', `${head}:a`], { maxBytes: 100 }, never());
    await expect(large).rejects.toMatchObject({ code: 'GIT_TOO_LARGE', disposition: { kind: 'fail' } });
    const slow = git.run(['cat-file', '--batch'], { input: Buffer.alloc(1 << 24, 'HEAD\n'), timeoutMs: 1 }, never());
    await expect(slow).rejects.toMatchObject({ code: 'GIT_TIMEOUT', disposition: { kind: 'retry' } });
  });

  it('takes an exit code for an answer only where it was told to', async () => {
    const args = ['rev-parse', '--verify', '--quiet', 'refs/heads/none'];
    expect((await gitOf(repository).run(args, { answers: [1] }, never())).exitCode).toBe(1);
    await expect(gitOf(repository).run(args, {}, never())).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });

  it('G5 allows no protocol unless it is told to', async () => {
    repository.commit('a');
    const git = gitOf(repository);
    for (const url of [
      `file://${repository.gitDir}`,
      repository.gitDir,
      'ext::sh -c true',
      'https://127.0.0.1:1/x.git',
    ]) {
      await expect(git.run(['ls-remote', '--', url], {}, never())).rejects.toThrow(/not allowed/);
    }
  });

  it('G6 dies on a credential in an address before anything is sent', async () => {
    const git = createGit({ gitPath: GIT, gitDir: repository.gitDir, allowProtocols: ['http'] });
    const url = ['http://user:', 'canary', '@127.0.0.1:1/x.git'].join('');
    const error: unknown = await git.run(['ls-remote', '--', url], {}, never()).catch((caught: unknown) => caught);
    expect(String(error)).toContain('plaintext');
    expect(String(error)).not.toContain('canary');
  });

  it('G1 is not led astray by a repository inside the tree', async () => {
    const canary = join(folder.path, 'canary');
    repository.write({
      'emb/HEAD': 'ref: refs/heads/main\n',
      'emb/config': `[core]\n\tfsmonitor = "touch ${canary}"\n\tbare = false\n\tworktree = ..\n`,
      'emb/objects/x': '',
      'emb/refs/heads/x': '',
    });
    repository.commit('embedded');
    const workTree = join(repository.workTree, 'emb');
    const git = createGit({ gitPath: GIT, gitDir: repository.gitDir, workTree, allowProtocols: [] });
    await git.run(['-C', workTree, 'status', '--porcelain'], {}, never());
    await git.run(['-C', workTree, 'ls-files', '-o'], {}, never());
    expect(existsSync(canary)).toBe(false);
  });

  it('G2 G3 runs nothing that a poisoned configuration names, in any reading command', async () => {
    const canary = join(folder.path, 'canary');
    repository.write({ 'a.txt': 'one\n', '.gitattributes': '* diff=evil filter=evil merge=evil\n' });
    const base = repository.commit('base');
    repository.write({ 'a.txt': 'two\n' });
    const head = repository.commit('change');
    const settings: Readonly<Record<string, string>> = {
      'core.fsmonitor': `touch ${canary}; false`,
      'core.pager': `touch ${canary}`,
      'core.sshCommand': `touch ${canary}`,
      'gpg.program': `touch ${canary}`,
      'log.showSignature': 'true',
      'diff.evil.textconv': `touch ${canary}; cat`,
      'diff.evil.command': `touch ${canary}`,
      'filter.evil.clean': `touch ${canary}; cat`,
      'filter.evil.smudge': `touch ${canary}; cat`,
      'merge.evil.driver': `touch ${canary}`,
      'alias.log': `!touch ${canary}`,
    };
    for (const [key, value] of Object.entries(settings)) repository.git('config', key, value);
    const git = gitOf(repository);
    const commands: readonly (readonly string[])[] = [
      ['diff-tree', '-p', '-r', '--no-ext-diff', '--no-textconv', base, head],
      ['diff', '--no-ext-diff', '--no-textconv', base, head],
      ['log', '-p', '--no-ext-diff', '--no-textconv', head],
      ['show', '--no-ext-diff', '--no-textconv', head],
      ['ls-tree', '-r', head],
      ['cat-file', '-p', `${head}:a.txt`],
      ['rev-parse', 'HEAD'],
      ['grep', '-n', 'two', head],
      ['merge-base', base, head],
      ['merge-tree', '--write-tree', base, head],
    ];
    for (const command of commands) await git.run(command, {}, never());
    expect(existsSync(canary)).toBe(false);
  });

  it('F-T17: reads an object itself, not the one that a planted ref puts in its place', async () => {
    const shown = repository.blob('what was committed\n');
    const planted = repository.blob('what was planted\n');
    repository.git('update-ref', `refs/replace/${shown}`, planted);
    const { stdout } = await gitOf(repository).run(['cat-file', 'blob', shown], {}, never());
    expect(stdout.toString()).toBe('what was committed\n');
  });

  it('T5 does not run a program of the tree that is named like git', async () => {
    const canary = join(folder.path, 'canary');
    for (const name of ['git', 'rg', 'ls', 'sh']) repository.executable(name, `#!/bin/sh\ntouch ${canary}\n`);
    repository.commit('trap');
    const workTree = repository.workTree;
    const git = createGit({ gitPath: GIT, gitDir: repository.gitDir, workTree, allowProtocols: [] });
    await git.run(['-C', workTree, 'status', '--porcelain'], {}, never());
    expect(existsSync(canary)).toBe(false);
    expect(readdirSync(workTree)).toContain('git');
  });
});

describe('findGit', () => {
  it('T5 passes relative entries of PATH over', () => {
    repository.executable('bin/git', '#!/bin/sh\n');
    expect(findGit(`.:bin::${join(repository.workTree, 'bin')}`)).toBe(GIT);
  });
});

describe('checkGitVersion', () => {
  it('gives the version of the git that is installed', async () => {
    expect(await checkGitVersion(GIT, never())).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('refuses one that is too old or that says no version', async () => {
    repository.executable('old', '#!/bin/sh\necho git version 2.39.4\n');
    repository.executable('odd', '#!/bin/sh\necho hello\n');
    const check = (name: string) => checkGitVersion(join(repository.workTree, name), never());
    await expect(check('old')).rejects.toMatchObject({ code: 'GIT_TOO_OLD' });
    await expect(check('odd')).rejects.toMatchObject({ code: 'GIT_BAD_OUTPUT' });
  });

  const versions: readonly (readonly [readonly number[], boolean])[] = [
    [[2, 39, 5], true],
    [[2, 39, 4], false],
    [[2, 38, 9], false],
    [[2, 40, 0], true],
    [[3, 0, 0], true],
    [[1, 99, 99], false],
  ];
  it.each(versions)('compares %j part by part', (version, expected) => {
    expect(isRecentEnough(version)).toBe(expected);
  });
});

describe('scrub', () => {
  it('cuts user information, secrets, control characters and length', () => {
    const text = `fatal: 'https://user:word@host/x' said \u001b[31mcanary\u001b[0m\n${'x'.repeat(1000)}`;
    const clean = scrub(text, ['canary', '']);
    expect(clean.startsWith("fatal: 'https://***@host/x' said  [31m*** [0m xxx")).toBe(true);
    expect(clean).toHaveLength(500);
  });
});
