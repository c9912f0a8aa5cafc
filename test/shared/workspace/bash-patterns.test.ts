/** F-W1: patterns of paths, in the words of the Bash tool and against real git. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseBashCommand } from '../../../shared/workspace/bash/bash-command.ts';
import { createBashRunner } from '../../../shared/workspace/bash/bash-runner.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from './repository.ts';

const folder = temporaryFolder();
let repository: Repository;
beforeAll(() => {
  repository = createRepository(join(folder.path, 'work'));
  repository.write({ 'README.md': 'x\n' });
  repository.commit('begin');
  repository.git('branch', 'base');
  repository.write({
    'a.py': 'x = 1\n',
    'src/b.py': 'x = 2\n',
    'src/deep/c.py': 'x = 3\n',
    'src/d.ts': 'x = 4\n',
    'app/[id]/page.ts': 'x = 5\n',
    'tests1/e.ts': 'x = 6\n',
  });
  repository.commit('more');
});
afterAll(() => folder.dispose());

/** The words and the environment of production, without the cage around them. */
const uncaged: Cage['run'] = async ([file, ...args], { env }) => {
  const real = args.map((word) => word.replace('/git', repository.gitDir));
  const stdout = execFileSync(file, real, { env: { ...env, GIT_DIR: repository.gitDir }, cwd: repository.gitDir });
  return { code: 0, stdout, stderr: '', truncated: false, timedOut: false, signal: null };
};

const names = async (text: string): Promise<readonly string[]> => {
  const command = parseBashCommand(text);
  if (command.kind === 'refused') throw new Error(`${command.word}: ${command.reason}`);
  const place = { cage: { run: uncaged } as Cage, gitPath: GIT, workspace: folder.path };
  const run = createBashRunner({ ...place, history: async () => ({ path: folder.path, dispose: async () => {} }) });
  const { stdout } = await run(command, never());
  const lines = stdout.toString('utf8').split(/[\n\0]/);
  return lines
    .map((line) => line.replace(/^HEAD:/, '').trim())
    .filter((line) => /\.(?:py|ts|md)$/.test(line))
    .toSorted();
};

const PY = ['a.py', 'src/b.py', 'src/deep/c.py'];

describe.each([
  ['git grep -l x', ' --'],
  ['git ls-files', ''],
  ['git log --name-only', ' --'],
  ['git show --name-only HEAD', ' --'],
  ['git diff --name-only base HEAD', ' --'],
])('F-W1: a pattern behind %s', (command, dashes) => {
  it.each([
    ["'*.py'", PY],
    ["'**/*.py'", PY],
    ["'src/*.py'", ['src/b.py', 'src/deep/c.py']],
    ["'src/**/*.py'", ['src/b.py', 'src/deep/c.py']],
    ["'./src/*.ts'", ['src/d.ts']],
    ["'tests?'", ['tests1/e.ts']],
    ["'test*/'", ['tests1/e.ts']],
    ["'**/deep'", ['src/deep/c.py']],
    ["'app/[id]/page.ts'", ['app/[id]/page.ts']],
    ["'[as]*.py' src/d.ts", ['a.py', 'src/b.py', 'src/d.ts', 'src/deep/c.py']],
    ['src/deep', ['src/deep/c.py']],
    ["'*.none'", []],
  ])('%s gives what it matches', async (pattern, expected) => {
    const given =
      command.startsWith('git grep') && pattern.includes('none') ? [] : await names(`${command}${dashes} ${pattern}`);
    expect(given).toEqual(expected);
  });

  it.each([
    ["'*.{py,ts}'", /each pattern as a separate word/],
    ["':(glob)*.py'", /write patterns plainly/],
    ["':!src'", /write patterns plainly/],
    ["'../*.py'", /out of the repository/],
    ["'/src/*.py'", /relative to the root/],
  ])('%s is refused with the word to use', (pattern, reason) => {
    expect(parseBashCommand(`${command}${dashes} ${pattern}`)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(reason),
    });
  });
});

it('F-W1: git ls-tree, which knows no pattern, names the command that does', () => {
  expect(parseBashCommand("git ls-tree -r HEAD '*.py'")).toMatchObject({
    kind: 'refused',
    word: '*.py',
    reason: expect.stringContaining('git ls-files'),
  });
});
