import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createRevisions, type Revisions } from '../../../../shared/workspace/git/revisions.ts';
import { bombTree, createRepository, gitOf, never, type Repository, temporaryFolder } from '../repository.ts';

let folder = temporaryFolder();
let repository: Repository;
let revisions: Revisions;
beforeEach(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'work'));
  revisions = createRevisions(gitOf(repository));
});
afterEach(() => {
  revisions.close();
  folder.dispose();
});

const patchOf = async (target: CommitSha, head: CommitSha): Promise<string> => {
  const result = await revisions.diff({ target, head }, never());
  return result.kind === 'diff' ? result.patch.toString('latin1') : result.reason;
};

const read = (commit: CommitSha, path: string, maxBytes = 1000) =>
  revisions.readFile({ commit, path, maxBytes }, never());

describe('histories', () => {
  it('finds the merge base, ancestors and trees', async () => {
    repository.write({ a: '1' });
    const base = repository.commit('base');
    repository.git('checkout', '--quiet', '-b', 'feature');
    repository.write({ b: '2' });
    const head = repository.commit('feature');
    repository.git('checkout', '--quiet', 'main');
    repository.write({ c: '3' });
    const target = repository.commit('target');
    expect(await revisions.mergeBase(target, head, never())).toBe(base);
    expect(await revisions.isAncestor(base, head, never())).toBe(true);
    expect(await revisions.isAncestor(target, head, never())).toBe(false);
    expect(await revisions.treeOf(head, never())).toBe(repository.git('rev-parse', `${head}^{tree}`));
    expect(await revisions.exists(head, never())).toBe(true);
    expect(await revisions.exists('0'.repeat(40) as CommitSha, never())).toBe(false);
  });

  it('lists the commits that the base lacks, newest first', async () => {
    const base = repository.commit('base');
    repository.commit('one\n\nbody of one');
    const head = repository.commit('two');
    const commits = await revisions.commits({ base, head, maxCommits: 10 }, never());
    expect(commits.map(({ subject, body, author, parents }) => [subject, body, author, parents])).toEqual([
      ['two', '', 'Tester', 1],
      ['one', 'body of one', 'Tester', 1],
    ]);
    expect(commits[0]).toMatchObject({ sha: head, authoredAtMs: 1_700_000_000_000 });
    expect(await revisions.commits({ base, head, maxCommits: 1 }, never())).toHaveLength(1);
  });

  it('throws for a commit that is not here', async () => {
    repository.commit('base');
    const missing = 'f'.repeat(40) as CommitSha;
    await expect(revisions.treeOf(missing, never())).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });
});

describe('diff', () => {
  it('goes from the merge base and leaves out what the target did since', async () => {
    repository.write({ a: 'one\n' });
    const base = repository.commit('base');
    repository.git('checkout', '--quiet', '-b', 'feature');
    repository.write({ a: 'two\n' });
    const head = repository.commit('feature');
    repository.git('checkout', '--quiet', 'main');
    repository.write({ other: 'x\n' });
    const target = repository.commit('target');
    const result = await revisions.diff({ target, head }, never());
    expect(result).toMatchObject({ kind: 'diff', mergeBase: base, large: [] });
    const patch = await patchOf(target, head);
    expect(patch).toMatch(/^diff --git a\/a b\/a\nindex [0-9a-f]{40}\.\.[0-9a-f]{40} 100644\n/);
    expect(patch).not.toContain('other');
  });

  it('G11 says so when histories are unrelated, and then shows the whole tree as new', async () => {
    repository.write({ a: 'one\n' });
    const target = repository.commit('base');
    repository.git('checkout', '--quiet', '--orphan', 'alone');
    repository.write({ b: 'two\n' });
    const head = repository.commit('alone');
    const result = await revisions.diff({ target, head }, never());
    expect(result).toMatchObject({ kind: 'diff', mergeBase: null });
    expect(await patchOf(target, head)).toMatch(/new file mode 100644[^]*\+one\n[^]*new file mode 100644[^]*\+two\n/);
  });

  it('G11 keeps renames, modes, line ends and odd names as git writes them', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    repository.write({ 'old.txt': lines, 'crlf.txt': 'a\r\nb\r\n', 'tool.sh': 'x\n', 'end.txt': 'a\nb' });
    const target = repository.commit('base');
    repository.git('mv', 'old.txt', 'new.txt');
    repository.write({ 'new.txt': lines.replace('line 3', 'line three'), 'crlf.txt': 'a\r\nB\r\n', 'end.txt': 'a\nc' });
    repository.executable('tool.sh', 'x\n');
    repository.write({ 'grün\n.txt': 'x\n' });
    const patch = await patchOf(target, repository.commit('change'));
    expect(patch).toContain('rename from old.txt\nrename to new.txt\n');
    expect(patch).toContain('-b\r\n+B\r\n');
    expect(patch).toContain('old mode 100644\nnew mode 100755\n');
    expect(patch).toContain('-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n');
    expect(patch).toContain('+++ "b/gr\\303\\274n\\n.txt"\n');
  });

  it('shows a binary as a marker with both ids', async () => {
    repository.write({ 'a.bin': Buffer.from([0, 1]) });
    const target = repository.commit('base');
    repository.write({ 'a.bin': Buffer.from([0, 2]) });
    expect(await patchOf(target, repository.commit('change'))).toMatch(
      /index [0-9a-f]{40}\.\.[0-9a-f]{40} 100644\nBinary files a\/a.bin and b\/a.bin differ\n$/,
    );
  });

  it('is the same whatever the repository configures', async () => {
    repository.write({ a: 'one\ntwo\n', '.gitattributes': '* diff=evil text eol=crlf\n' });
    const target = repository.commit('base');
    repository.write({ a: 'one\nTWO\n' });
    const head = repository.commit('change');
    const before = await patchOf(target, head);
    const settings = ['diff.noprefix', 'diff.mnemonicPrefix', 'color.diff', 'diff.colorMoved'];
    for (const key of settings) repository.git('config', key, key === 'color.diff' ? 'always' : 'true');
    repository.git('config', 'diff.context', '0');
    repository.git('config', 'diff.algorithm', 'patience');
    expect(await patchOf(target, head)).toBe(before);
  });

  it('G4 shows a submodule as its commit and fetches nothing', async () => {
    const target = repository.commit('base');
    const gitlink = { mode: '160000', name: 'sub', objectId: 'a'.repeat(40) };
    const modules = repository.blob('[submodule "x"]\n\tpath = sub\n\turl = ext::sh -c "touch canary"\n');
    const tree = repository.rawTree([{ mode: '100644', name: '.gitmodules', objectId: modules }, gitlink]);
    const head = repository.commitTree(tree, target);
    expect(await patchOf(target, head)).toContain(`+Subproject commit ${'a'.repeat(40)}\n`);
    expect(await read(head, 'sub')).toEqual({ kind: 'submodule', commit: 'a'.repeat(40) });
  });

  it('G9 names a file that is too large to compare, and shows the rest', async () => {
    const target = repository.commit('base');
    repository.write({ 'big.txt': 'x'.repeat(2_000_000), 'small.txt': 'small\n' });
    const head = repository.commit('change');
    const result = await revisions.diff({ target, head }, never());
    expect(result).toMatchObject({ large: [{ path: 'big.txt', bytes: 2_000_000 }] });
    expect(await patchOf(target, head)).toContain('+small\n');
    expect((await patchOf(target, head)).length).toBeLessThan(1000);
  });

  it('G9 does not name a large file that only moved', async () => {
    repository.write({ 'big.txt': 'x'.repeat(2_000_000) });
    const target = repository.commit('base');
    repository.git('mv', 'big.txt', 'moved.txt');
    expect(await revisions.diff({ target, head: repository.commit('move') }, never())).toMatchObject({ large: [] });
  });

  it('G9 says that a patch is too large instead of giving a part of it', async () => {
    const target = repository.commit('base');
    repository.write({ a: 'a long line\n'.repeat(1000) });
    const head = repository.commit('change');
    expect(await revisions.diff({ target, head, maxBytes: 1000 }, never())).toMatchObject({ kind: 'too_large' });
  });

  it('G9 counts changed files only, however many stand beside them', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`dir/deep/f${index}`, 'x']));
    repository.write({ ...many, 'dir/changed': 'a', 'dir/deep/changed': 'a' });
    const target = repository.commit('base');
    repository.write({ 'dir/changed': 'b', 'dir/deep/changed': 'b' });
    const head = repository.commit('change');
    expect(await revisions.diff({ target, head, maxFiles: 2 }, never())).toMatchObject({ kind: 'diff' });
    expect(await revisions.diff({ target, head, maxFiles: 1 }, never())).toMatchObject({ kind: 'too_large' });
    expect(await revisions.diff({ target, head: target, maxFiles: 1 }, never())).toMatchObject({ kind: 'diff' });
  });

  it('G9 counts changed files, also against a folder that became a file', async () => {
    repository.write({ 'dir/a': '1', 'dir/b': '2', same: 's' });
    const target = repository.commit('base');
    repository.write({ dir: null });
    repository.write({ dir: '3' });
    const head = repository.commit('change');
    expect(await revisions.diff({ target, head, maxFiles: 3 }, never())).toMatchObject({ kind: 'diff' });
    expect(await revisions.diff({ target, head, maxFiles: 2 }, never())).toMatchObject({
      kind: 'too_large',
      reason: 'more than 2 changed files',
    });
  });
});

const residentBytes = (): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

describe('bombs', () => {
  it('G8 a tree of ten billion paths is too large within seconds and little memory', { timeout: 20_000 }, async () => {
    const target = repository.commit('base');
    const head = repository.commitTree(bombTree(repository, 10), target);
    const before = residentBytes();
    expect(await revisions.diff({ target, head }, never())).toMatchObject({ kind: 'too_large' });
    const listing = await revisions.listFiles(head, { maxFiles: 50_000 }, never());
    expect([listing.complete, listing.files.length]).toEqual([false, 50_000]);
    expect(residentBytes() - before).toBeLessThan(300 * 1024 * 1024);
  });

  it('G8 a tree of ten billion paths is not hidden by a small folder of the same name', {
    timeout: 20_000,
  }, async () => {
    const target = repository.commit('base');
    const small = repository.rawTree([{ mode: '100644', name: 'f', objectId: repository.blob('x\n') }]);
    const folders = [bombTree(repository, 10), small].map((objectId) => ({ mode: '40000', name: 'd', objectId }));
    const head = repository.commitTree(repository.rawTree(folders), target);
    expect(await revisions.diff({ target, head }, never())).toMatchObject({ kind: 'too_large' });
  });

  it('G8 a chain of folders without end is cut', async () => {
    const target = repository.commit('base');
    let tree = repository.rawTree([{ mode: '100644', name: 'f', objectId: repository.blob('x') }]);
    for (let depth = 0; depth < 100; depth += 1) {
      tree = repository.rawTree([{ mode: '40000', name: 'd'.repeat(250), objectId: tree }]);
    }
    const head = repository.commitTree(tree, target);
    expect(await revisions.diff({ target, head }, never())).toMatchObject({ kind: 'too_large' });
  });
});

describe('readFile', () => {
  it('tells text, binary, too large, link and missing apart', async () => {
    repository.write({ 'dir/text': 'grün\n', binary: Buffer.from([1, 0]), large: 'x'.repeat(1001), empty: '' });
    repository.link('link', '/etc/passwd');
    const head = repository.commit('all');
    expect(await read(head, 'dir/text')).toEqual({ kind: 'text', text: 'grün\n', bytes: 6 });
    expect(await read(head, 'empty')).toEqual({ kind: 'text', text: '', bytes: 0 });
    expect(await read(head, 'binary')).toEqual({ kind: 'binary', bytes: 2 });
    expect(await read(head, 'large')).toEqual({ kind: 'too_large', bytes: 1001 });
    expect(await read(head, 'link')).toEqual({ kind: 'symlink', target: '/etc/passwd' });
    const absent = [
      'none',
      'dir',
      'dir/none',
      'link/x',
      'dir/text/x',
      '',
      '/',
      '../dir/text',
      './dir/text',
      'dir//text',
    ];
    const answers = await Promise.all(absent.map((path) => read(head, path)));
    expect(answers).toEqual(absent.map(() => ({ kind: 'missing' })));
  });

  it('takes a path as a name only, whatever it looks like', async () => {
    const names = ['a\nb', '-x', ':(glob)*', '*', 'HEAD', 'x y', '"q"', 'a\\b'];
    repository.write(Object.fromEntries(names.map((name) => [name, `content of ${name}`])));
    const head = repository.commit('odd');
    const answers = await Promise.all(names.map((name) => read(head, name)));
    expect(answers.map((answer) => answer.kind === 'text' && answer.text)).toEqual(
      names.map((name) => `content of ${name}`),
    );
    expect(await read(head, `a\ninfo ${head}\nb`)).toEqual({ kind: 'missing' });
  });

  it('answers many questions at once in order', async () => {
    repository.write(
      Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, `${index}`.repeat(index)])),
    );
    const head = repository.commit('many');
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => read(head, `f${index}`)));
    expect(answers.map((answer) => answer.kind === 'text' && answer.text)).toEqual(
      Array.from({ length: 50 }, (_, index) => `${index}`.repeat(index)),
    );
  });

  it('goes on after an abort', async () => {
    repository.write({ a: 'x'.repeat(900) });
    const head = repository.commit('a');
    const controller = new AbortController();
    const aborted = revisions.readFile({ commit: head, path: 'a', maxBytes: 1000 }, controller.signal);
    controller.abort(new Error('superseded'));
    await expect(aborted).rejects.toThrow('superseded');
    expect(await read(head, 'a')).toMatchObject({ kind: 'text', bytes: 900 });
  });

  it('refuses anything but a full object id', async () => {
    repository.commit('a');
    await expect(revisions.objects.info('HEAD', never())).rejects.toMatchObject({ code: 'GIT_REFUSED' });
    await expect(revisions.objects.info(`${'a'.repeat(40)}\n`, never())).rejects.toMatchObject({ code: 'GIT_REFUSED' });
  });
});

describe('listFiles', () => {
  it('gives kinds and sizes, and marks a name that is no UTF-8', async () => {
    const objectId = repository.blob('content');
    const tree = repository.rawTree([
      { mode: '100644', name: 'a', objectId },
      { mode: '120000', name: 'b', objectId },
      { mode: '160000', name: 'c', objectId: 'a'.repeat(40) },
      { mode: '100755', name: Buffer.from([0xff, 0x41]), objectId },
    ]);
    const { files, complete } = await revisions.listFiles(repository.commitTree(tree), { maxFiles: 4 }, never());
    expect(files.map(({ path, kind, bytes }) => [path, kind, bytes])).toEqual([
      ['a', 'file', 7],
      ['b', 'symlink', 7],
      ['c', 'submodule', 0],
      [null, 'file', 7],
    ]);
    expect(complete).toBe(true);
  });

  it('says in words that a damaged repository lacks files', async () => {
    repository.write({ a: '1', b: '2' });
    const head = repository.commit('both');
    const id = repository.git('rev-parse', `${head}:b`).trim();
    rmSync(join(folder.path, 'work', '.git', 'objects', id.slice(0, 2), id.slice(2)), { force: true });
    await expect(revisions.listFiles(head, { maxFiles: 10 }, never())).rejects.toThrow('the repository lacks files');
  });

  it('says when there are more files than asked for', async () => {
    repository.write({ a: '1', b: '2' });
    const head = repository.commit('two');
    const { files, complete } = await revisions.listFiles(head, { maxFiles: 1 }, never());
    expect([files.length, complete]).toEqual([1, false]);
  });
});
