import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Tool } from '../../../shared/agent/tool.ts';
import { createDeclineTool } from '../../../shared/agent/tools/decline.ts';
import { createEditTool } from '../../../shared/agent/tools/edit.ts';
import { asSeen, withEndsOf } from '../../../shared/agent/tools/line-ends.ts';
import { createOverlayFiles, type OverlayFiles } from '../../../shared/agent/tools/overlay-files.ts';
import { createReadTool } from '../../../shared/agent/tools/read.ts';
import { createWorkspaceFiles } from '../../../shared/agent/tools/workspace-files.ts';
import { openTree } from '../../../shared/workspace/tree/tree.ts';
import { createWriteTool } from '../../../shared/agent/tools/write.ts';
import { never } from '../workspace/repository.ts';
import { newWorkspace, protect } from './agent-run.ts';

const RUN = 'export const run = (text) => eval(text);\n';
/** Looks like a token of a forge; made here, so that no scanner finds it in this file. */
const TOKEN = ['glpat', 'a1B2c3D4e5F6g7H8i9J0'].join('-');

let root: string;
let overlay: OverlayFiles;
let edit: Tool;
let write: Tool;
let read: Tool;

beforeEach(() => {
  root = newWorkspace();
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/run.js'), RUN);
  writeFileSync(join(root, 'src/twice.js'), 'a();\na();\n');
  writeFileSync(join(root, 'src/secret.js'), `const token = '${TOKEN}';\ncall(token);\n`);
  writeFileSync(join(root, 'src/latin.js'), Buffer.from([0x61, 0xe9, 0x0a]));
  writeFileSync(join(root, 'kept.js'), 'kept();\n');
  symlinkSync('/etc/passwd', join(root, 'src/link.js'));
  const paths = ['run', 'twice', 'secret', 'latin', 'link', 'gone'].map((name) => `src/${name}.js`);
  const rules = { paths: new Set(paths), maxCharacters: 200 };
  overlay = createOverlayFiles(createWorkspaceFiles(openTree(root), protect), { protect, rules });
  [edit, write, read] = [createEditTool(overlay), createWriteTool(overlay, { mayAdd: false }), createReadTool(overlay)];
});

const edited = async (path: string, oldText: string, newText: string) =>
  edit.execute({ path, old_text: oldText, new_text: newText }, never());

const changes = () => Object.fromEntries(overlay.changes());

describe('an edit', () => {
  it('shows in what is read next, and never on the disk', async () => {
    expect(await edited('./src/run.js', 'eval(text)', 'JSON.parse(text)')).toEqual({ kind: 'text', text: 'Changed.' });
    const shown = await read.execute({ path: 'src/run.js' }, never());
    expect(shown).toMatchObject({
      kind: 'text',
      text: '1\texport const run = (text) => JSON.parse(text);\n[end of file, 1 line]',
    });
    expect(changes()).toEqual({ 'src/run.js': RUN.replace('eval', 'JSON.parse') });
    expect(readFileSync(join(root, 'src/run.js'), 'utf8')).toBe(RUN);
  });

  it('takes its text as it is, whatever stands in it', async () => {
    await edited('src/run.js', 'eval(text)', "'$&$1$`'");
    expect(changes()).toEqual({ 'src/run.js': RUN.replace('eval(text)', () => "'$&$1$`'") });
  });

  it('beside others of the same turn loses none of them, and they happen in their order', async () => {
    const results = await Promise.all([
      edited('src/twice.js', 'a();\na();', 'a();\nb();'),
      edited('src/twice.js', 'a();', 'c();'),
      edited('src/twice.js', 'nowhere', 'x'),
      write.execute({ path: 'src/run.js', content: 'x();\n' }, never()),
      edited('src/run.js', 'x();', 'y();'),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['text', 'text', 'failed', 'text', 'text']);
    expect(changes()).toEqual({ 'src/twice.js': 'c();\nb();\n', 'src/run.js': 'y();\n' });
  });

  it('that is taken back is no change', async () => {
    await edited('src/run.js', 'eval', 'evil');
    await edited('src/run.js', 'evil', 'eval');
    expect(changes()).toEqual({});
  });

  it.each<[string, string, string, string, string]>([
    ['a text that is not there', 'src/run.js', 'nowhere', 'x', 'occurs 0 times in the file'],
    ['a text that is there twice', 'src/twice.js', 'a();', 'b();', 'occurs 2 times in the file'],
    ['a file outside of the change', 'kept.js', 'kept', 'x', 'this is not a file of the change request'],
    ['a new file', 'src/new.js', 'x', 'y', 'this is not a file of the change request'],
    ['a way out', 'src/../kept.js', 'kept', 'x', 'this is not a file of the change request'],
    ['a file that is gone', 'src/gone.js', 'x', 'y', 'not found'],
    ['a link', 'src/link.js', 'root', 'x', 'outside the workspace'],
    ['another encoding', 'src/latin.js', 'a', 'b', 'the file is not UTF-8 text'],
    ['what stands for a secret', 'src/secret.js', 'call(token);', "call('[redacted]');", 'it cannot be written'],
    ['more than a file may hold', 'src/run.js', 'eval', 'e'.repeat(200), 'exceeds 200 characters'],
  ])('of %s is refused', async (_what, path, oldText, newText, reason) => {
    expect(await edited(path, oldText, newText)).toEqual({ kind: 'failed', text: expect.stringContaining(reason) });
    expect(changes()).toEqual({});
  });

  it('beside a secret keeps the secret, which the model never sees', async () => {
    await edited('src/secret.js', 'call(token);', 'callSafely(token);');
    const shown = await read.execute({ path: 'src/secret.js' }, never());
    expect(JSON.stringify(shown)).not.toContain(TOKEN);
    expect(changes()['src/secret.js']).toContain(TOKEN);
  });
});

describe('a whole new content', () => {
  it('replaces the file', async () => {
    expect(await write.execute({ path: 'src/run.js', content: 'x();\n' }, never())).toMatchObject({ kind: 'text' });
    expect(changes()).toEqual({ 'src/run.js': 'x();\n' });
  });

  it('is refused for a file with a secret, which it would lose', async () => {
    const result = await write.execute({ path: 'src/secret.js', content: 'x();\n' }, never());
    expect(result).toEqual({ kind: 'failed', text: 'the file contains a secret; use Edit' });
  });
});

describe('a file whose lines end in CRLF', () => {
  const MARK = '\ufeff';
  const CRLF = `${MARK}class A\r\n{\r\n  int x = 1;\r\n  int y = 2;\r\n}\r\n`;
  const MIXED = 'one\r\ntwo\nthree\r\nfour\n';
  beforeEach(() => {
    writeFileSync(join(root, 'src/run.js'), CRLF);
    writeFileSync(join(root, 'src/twice.js'), MIXED);
  });

  it('takes an edit of several lines as Read shows them', async () => {
    const shown = await read.execute({ path: 'src/run.js', offset: 3, limit: 2 }, never());
    expect(shown).toMatchObject({ text: expect.stringContaining('3\t  int x = 1;\n4\t  int y = 2;\n') });
    await edited('src/run.js', '  int x = 1;\n  int y = 2;', '  int x = 3;\n  int z = 4;\n  int y = 2;');
    expect(changes()).toEqual({
      'src/run.js': `${MARK}class A\r\n{\r\n  int x = 3;\r\n  int z = 4;\r\n  int y = 2;\r\n}\r\n`,
    });
  });

  it('takes an edit with CRLF, and one of the first line keeps the byte order mark', async () => {
    await edited('src/run.js', `${MARK}class A\r\n{`, 'class B\n{');
    expect(changes()).toEqual({ 'src/run.js': CRLF.replace('class A', 'class B') });
  });

  it('keeps its line ends and its byte order mark when its whole content is replaced', async () => {
    await write.execute({ path: 'src/run.js', content: 'class A\n{\n  int x = 3;\n}\n' }, never());
    expect(changes()).toEqual({ 'src/run.js': `${MARK}class A\r\n{\r\n  int x = 3;\r\n}\r\n` });
  });

  it('is not changed by its own content', async () => {
    await write.execute({ path: 'src/run.js', content: CRLF.slice(1).replaceAll('\r', '') }, never());
    await write.execute({ path: 'src/twice.js', content: MIXED.replaceAll('\r', '') }, never());
    expect(changes()).toEqual({});
  });

  it.each<[what: string, old: string, by: string, after: string]>([
    ['its own line', 'three', '3', 'one\r\ntwo\n3\r\nfour\n'],
    ['as many lines', 'one\ntwo', '1\n2', '1\r\n2\nthree\r\nfour\n'],
    ['more lines', 'two', '2\n2b', 'one\r\n2\n2b\nthree\r\nfour\n'],
    ['a moved line', 'one\ntwo\n', 'two\nnew\none\nlast\n', 'two\nnew\none\r\nlast\r\nthree\r\nfour\n'],
    ['fewer lines', 'two\nthree', '2', 'one\r\n2\nfour\n'],
  ])('with mixed ends keeps the ends of the other lines: %s', async (_, old, by, after) => {
    await edited('src/twice.js', old, by);
    expect(changes()).toEqual({ 'src/twice.js': after });
  });

  it.each(['', MARK])('is not edited at the text %j, which is nowhere', async (old) => {
    writeFileSync(join(root, 'src/gone.js'), 'ab');
    expect(await overlay.edit('src/gone.js', { oldText: old, newText: 'x' }, never())).toMatchObject({
      kind: 'refused',
    });
  });
});

describe('what Read does not show as it is', () => {
  const at = (text: string): void => writeFileSync(join(root, 'src/run.js'), text);

  it.each<[string, string]>([
    ['an invisible character', 'a\u200cb();\nrun();\n'],
    ['a form feed', 'a();\n\f\nrun();\n'],
    ['a carriage return inside of a line', 'a\rb\nrun();\n'],
    ['a long line', `${'x'.repeat(2_001)}\nrun();\n`],
  ])('is not lost: a file with %s is not replaced, but edited beside it', async (_what, text) => {
    at(text);
    const wide = createOverlayFiles(createWorkspaceFiles(openTree(root), protect), {
      protect,
      rules: { paths: new Set(['src/run.js']), maxCharacters: 10_000 },
    });
    expect(await wide.replace('src/run.js', 'run();\n', never())).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/; use Edit$/),
    });
    const texts = { oldText: '\nrun();\n', newText: '\nwalk();\n' };
    expect(await wide.edit('src/run.js', texts, never())).toEqual({ kind: 'changed' });
    expect(wide.changes().get('src/run.js')).toBe(text.replace(/run\(\);\n$/, 'walk();\n'));
  });

  it('is not written as its mark, which other files may contain', async () => {
    at('a\u200cb();\nrun();\n');
    expect(await edited('src/run.js', 'run();', "run('[U+200C]');")).toMatchObject({ kind: 'failed' });
    expect(changes()).toEqual({});
    await edited('src/twice.js', 'a();\na();', "a('[U+200C]');");
    expect(changes()).toEqual({ 'src/twice.js': "a('[U+200C]');\n" });
  });

  it('is no line end, no byte order mark and no emoji: these files are replaced', async () => {
    at('\ufeffa();\r\nb("❤️");\r\n');
    expect(await write.execute({ path: 'src/run.js', content: 'c();\n' }, never())).toMatchObject({ kind: 'text' });
    expect(changes()).toEqual({ 'src/run.js': '\ufeffc();\r\n' });
  });
});

it('a text that is written back is what the model wrote, and an unchanged one keeps every byte', () => {
  const pieces = fc.array(fc.constantFrom('a', 'b', '', '\r', '\n', '\r\n', '\ufeff'), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, pieces, (one, other) => {
      const before = one.join('');
      const after = asSeen(other.join(''));
      expect(withEndsOf(before, asSeen(before))).toBe(before);
      fc.pre(!/\r\n|^\ufeff|\r$/.test(after));
      expect(asSeen(withEndsOf(before, after))).toBe(after);
    }),
  );
});

it('a finding is declined by its id, and the last reason counts', async () => {
  const declined: string[] = [];
  const tool = createDeclineTool(['F-001'], (id, reason) => void declined.push(`${id} ${reason}`));
  expect(await tool.execute({ finding_id: 'F-009', reason: 'by design, it is' }, never())).toMatchObject({
    kind: 'failed',
  });
  expect(await tool.execute({ finding_id: 'F-001', reason: 'by design, it is' }, never())).toMatchObject({
    kind: 'text',
  });
  expect(declined).toEqual(['F-001 by design, it is']);
});

describe('F-F20: a new file', () => {
  const asked: unknown[] = [];
  beforeEach(() => {
    asked.length = 0;
    const whyNotNew = async (path: string, others: readonly string[]) => {
      asked.push([path, others]);
      return path.startsWith('test/') ? null : 'not there';
    };
    const rules = { paths: new Set(['src/run.js']), maxCharacters: 200, whyNotNew };
    overlay = createOverlayFiles(createWorkspaceFiles(openTree(root), protect), { protect, rules });
    [edit, write, read] = [
      createEditTool(overlay),
      createWriteTool(overlay, { mayAdd: true }),
      createReadTool(overlay),
    ];
  });

  it('is written, read and edited like any other, and never on the disk', async () => {
    await edited('src/run.js', 'eval(text)', 'JSON.parse(text)');
    await write.execute({ path: './test/run.js', content: 'a();\n' }, never());
    expect(await edited('test/run.js', 'a()', 'b()')).toEqual({ kind: 'text', text: 'Changed.' });
    expect(await read.execute({ path: 'test/run.js' }, never())).toMatchObject({
      kind: 'text',
      text: '1\tb();\n[end of file, 1 line]',
    });
    expect(changes()).toMatchObject({ 'test/run.js': 'b();\n' });
    expect(asked).toEqual([['test/run.js', ['src/run.js']]]);
    expect(() => readFileSync(join(root, 'test/run.js'))).toThrow('ENOENT');
  });

  it('may be empty', async () => {
    await write.execute({ path: 'test/__init__.py', content: '' }, never());
    expect(changes()).toEqual({ 'test/__init__.py': '' });
  });

  it('is refused where it may not be, where it is edited first, and with a mark for what was taken out', async () => {
    const results = [
      await write.execute({ path: 'kept.js', content: 'x' }, never()),
      await edited('test/run.js', 'a', 'b'),
      await write.execute({ path: 'test/run.js', content: '[redacted]' }, never()),
    ];
    expect(results).toEqual([
      expect.objectContaining({ kind: 'failed', text: expect.stringContaining('not there') }),
      expect.objectContaining({ kind: 'failed', text: expect.stringContaining('use Write to add it') }),
      expect.objectContaining({ kind: 'failed', text: expect.stringContaining('removed text') }),
    ]);
    expect(changes()).toEqual({});
  });
});
