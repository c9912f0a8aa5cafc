import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createProtect } from '../../../shared/agent/present-result.ts';
import { cleanTree } from '../../../shared/claude-code/clean-tree.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { never, temporaryFolder } from '../workspace/repository.ts';

const SECRET = ['a', 'loaded', 'secret', '0123456789'].join('-');

let folder = temporaryFolder();
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, 'src'));
});
afterEach(() => folder.dispose());

const clean = async () => cleanTree(folder.path, createProtect(createRedactor([SECRET])), never());

type Case = {
  readonly before: string | Buffer;
  readonly after: string | Buffer;
  readonly altered: boolean;
  readonly marked?: boolean;
};

it.each<[what: string, file: Case]>([
  ['plain text', { before: 'a();\n', after: 'a();\n', altered: false }],
  ['a secret', { before: `key('${SECRET}');\n`, after: "key('[redacted]');\n", altered: true, marked: true }],
  ['a hidden character', { before: 'a(); //\u202e b\n', after: 'a(); //[U+202E] b\n', altered: true }],
  ['line ends of Windows', { before: 'a();\r\nb();\r\n', after: 'a();\r\nb();\r\n', altered: false }],
  ['a byte order mark', { before: '\ufeffa();\n', after: '\ufeffa();\n', altered: false }],
  ['a byte order mark further on', { before: 'a\ufeff();\n', after: 'a[U+FEFF]();\n', altered: true }],
  [
    'a secret between line ends of Windows',
    { before: `\ufeffa\r\n${SECRET}\r\n`, after: 'a\n[redacted]\n', altered: true, marked: true },
  ],
  ['a lone carriage return', { before: 'a();\rb();\n', after: 'a();[U+000D]b();\n', altered: true }],
  [
    'the mark itself',
    { before: "show('[redacted]');\n", after: "show('[redacted]');\n", altered: false, marked: true },
  ],
  ['Latin-1', { before: Buffer.from([0x61, 0xe9, 0x0a]), after: Buffer.from([0x61, 0xe9, 0x0a]), altered: true }],
  ['binary', { before: Buffer.from([0x61, 0, 0x62]), after: Buffer.from([0x61, 0, 0x62]), altered: true }],
])('shows a file with %s, and tells whether an edit of it would be one of the real file', async (_, file) => {
  const path = join(folder.path, 'src/file');
  writeFileSync(path, file.before);
  chmodSync(path, 0o444);
  const names = (is: boolean) => new Set(is ? ['src/file'] : []);
  expect(await clean()).toEqual({ altered: names(file.altered), marked: names(file.marked === true) });
  expect(readFileSync(path)).toEqual(Buffer.from(file.after));
  expect(statSync(path).mode & 0o777).toBe(0o444);
});
