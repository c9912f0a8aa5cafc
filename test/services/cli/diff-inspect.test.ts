import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../shared/workspace/repository.ts';
import { runCli } from './run-cli.ts';

const RUN_MS = 60_000;

const DIFF = [
  'diff --git a/one.txt b/two.txt',
  'similarity index 60%',
  'rename from one.txt',
  'rename to two.txt',
  'index 1111111..2222222 100644',
  '--- a/one.txt',
  '+++ b/two.txt',
  '@@ -1,2 +1,3 @@',
  ' same',
  '-old',
  '+new',
  '+more',
  '',
].join('\n');

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => folder?.dispose());

test(
  'prints what the engine sees, from a file and from standard input alike',
  async () => {
    const file = join(folder.path, 'one.diff');
    writeFileSync(file, DIFF);
    const fromFile = await runCli(['diff-inspect', file]);
    const fromInput = await runCli(['diff-inspect', '-'], { input: DIFF });
    expect(fromInput).toEqual(fromFile);
    expect({ code: fromFile.code, stderr: fromFile.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(fromFile.stdout)).toMatchObject({
      files: [{ oldPath: 'one.txt', newPath: 'two.txt', status: 'renamed', added: 2, removed: 1, binary: false }],
    });
  },
  RUN_MS,
);

test(
  'names file and line of what is damaged and prints no shorter diff',
  async () => {
    const { code, stdout, stderr } = await runCli(['diff-inspect', '-'], { input: DIFF.replace('-old\n', '') });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/two\.txt|line \d+/);
  },
  RUN_MS,
);

test(
  'ends with 2 when there is no such file',
  async () => {
    const { code, stdout } = await runCli(['diff-inspect', join(folder.path, 'absent.diff')]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  },
  RUN_MS,
);
