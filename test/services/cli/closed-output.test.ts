/** A reader who closes the output or the progress, as `head` does: the command goes on and keeps its exit code. */
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtScript } from '../../support/built.ts';
import { EXAMPLES } from '../../shared/protocol/examples.ts';
import { createRepository, temporaryFolder } from '../../shared/workspace/repository.ts';

const RUN_MS = 60_000;

let folder: ReturnType<typeof temporaryFolder>;
let script = '';

beforeAll(async () => {
  script = await builtScript('services/cli/main.js');
  folder = temporaryFolder();
  const repo = createRepository(join(folder.path, 'shop'));
  repo.write({ 'a.js': 'export const a = 1;\n' });
  repo.commit('one');
  repo.write({ 'a.js': 'export const run = (text) => eval(text);\n' });
}, 240_000);

afterAll(() => folder?.dispose());

/** The command line in `sh`, with `fixpoint` as a program and `code` for its exit code, which goes to the file `code`. */
const codeOf = (commandLine: string): { readonly code: string; readonly rest: string } => {
  const fixpoint = `"${process.execPath}" "${script}"`;
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', commandLine.replaceAll('fixpoint', fixpoint)], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '' },
  });
  return { code: stdout.trim(), rest: stderr };
};

const REVIEW = 'fixpoint review --repo shop --worktree --runner rules';

test.each([
  ['nobody closes anything', `${REVIEW} >out 2>err; echo $?`],
  ['the output is closed', `{ { ${REVIEW} 2>err; echo $? >&3; } | true; } 3>&1`],
  ['the progress is closed', `{ { ${REVIEW} 2>&1 >out; echo $? >&3; } | true; } 3>&1`],
])(
  'a review that blocks says so when %s',
  (_what, commandLine) => {
    expect(codeOf(commandLine)).toEqual({ code: '1', rest: '' });
  },
  RUN_MS,
);

test(
  'a command that acts ends its work although nobody reads what it says',
  () => {
    const names = Object.entries(EXAMPLES).map(([type, text]) => {
      writeFileSync(join(folder.path, `${type}.yaml`), text);
      return `${type}.yaml`;
    });
    const put = `fixpoint messages outbox box ${names.join(' ')}`;
    expect(codeOf(`{ { ${put} 2>err; echo $? >&3; } | true; } 3>&1`)).toEqual({ code: '0', rest: '' });
    expect(readdirSync(join(folder.path, 'box'))).toHaveLength(names.length);
  },
  RUN_MS,
);

test(
  'an output that cannot be written is no verdict',
  () => {
    expect(codeOf(`${REVIEW} >/dev/full 2>err; echo $?; grep -c "cannot be written (ENOSPC)" err`).code).toBe('2\n1');
  },
  RUN_MS,
);
