/** `fixpoint eval load` as a process. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseCases } from '../../../../shared/eval/parse-cases.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { runCli } from '../run-cli.ts';

const RUN_MS = 60_000;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => folder.dispose());

const change = (url: string) =>
  `change: { kind: commits, repository: { kind: fetch, url: "${url}" }, base: a, head: b }`;
const entry = (id: string, url: string): string =>
  `- id: ${id}\n  kind: clean\n  language: Go\n  golden: []\n  ${change(url)}\n`;

test(
  'writes the cases, and says what cannot be built and what must be fetched',
  async () => {
    const out = join(folder.path, 'cases.jsonl');
    mkdirSync(join(folder.path, 'set'));
    mkdirSync(join(folder.path, 'clones/shop+here.git'), { recursive: true });
    const [here, away] = ['https://forge.example/shop/here', 'https://forge.example/shop/away'];
    writeFileSync(join(folder.path, 'set/a.yaml'), entry('a', here) + entry('b', away) + entry('a', away));
    const args = ['eval', 'load', 'folder', join(folder.path, 'set'), '--out', out];
    const run = await runCli([...args, '--repositories', join(folder.path, 'clones')]);
    expect(run).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        '2 cases with 0 labels',
        '1 entry cannot be built:',
        '  another case has the same id: a',
        `needs a fetch of ${away} for 1 case`,
        '',
      ].join('\n'),
    });
    expect(parseCases(readFileSync(out, 'utf8')).cases.map(({ id }) => id)).toEqual(['a', 'b']);
  },
  RUN_MS,
);
