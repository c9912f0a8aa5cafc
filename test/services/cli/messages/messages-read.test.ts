import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDocumentTexts } from '../../../../services/cli/messages/messages-read.ts';
import { readDocument } from '../../../../shared/protocol/read-document.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-documents-'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

test.each([
  ['two documents', 'a: 1\n---\nb: 2\n', ['a: 1\n', '\nb: 2\n']],
  ['a divider at the begin', '---\na: 1\n--- \nb: 2', ['\na: 1\n', ' \nb: 2']],
  ['a line that ends with CR LF', 'a: 1\r\n---\r\nb: 2', ['a: 1\r\n', '\r\nb: 2']],
  ['a line separator in a line', 'a: "x\u2028---\n  y"\n', ['a: "x\u2028---\n  y"\n']],
  ['a paragraph separator after three dashes', 'a: |\n  x\n---\u2029y\n', ['a: |\n  x\n---\u2029y\n']],
])('a stream with %s is split where YAML ends a document', async (_name, text, documents) => {
  const file = path.join(folder, 'stream.yaml');
  await writeFile(file, text);
  expect(await readDocumentTexts(file)).toEqual(documents);
});

test('the kind of a document is told by its fields, not by what a text contains after a line separator', () => {
  const reading = readDocument('subject: "x\u2028packet_id: 7"\n');
  expect(reading.kind === 'refused' && reading.problems.map(({ field }) => field)).toContain('id');
});
