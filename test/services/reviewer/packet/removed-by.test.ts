import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import { createReadBase } from '../../../../services/reviewer/packet/read-base.ts';
import { removedBy } from '../../../../services/reviewer/packet/removed-by.ts';
import { gitError } from '../../../../shared/workspace/git/git.ts';
import { parseBlame } from '../../../../shared/workspace/git/blame.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { never } from '../../../shared/workspace/repository.ts';
import { createReviewWorld, type Files, request, type ReviewWorld, textOf } from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

const commit = (message: string, files: Files): CommitSha => world.commit(files, message);

const short = (sha: string): string => sha.slice(0, 10);

const lookUp = async (base: CommitSha, head: CommitSha, more = {}) => {
  const source = world.source();
  const packet = await buildPacket(request(base, head, more), source);
  return { packet, revisions: source.revisions, found: await removedBy(packet, source.revisions, never()) };
};

const LINES = ['export const a = 1;', 'export const b = 2;', 'export const c = 3;'];

describe('F-W6: the commits that last touched removed lines', () => {
  test('are named with the lines at the base', async () => {
    commit('Begin', { 'a.js': textOf(...LINES) });
    const guard = commit('Guard against null, fixes #42', { 'a.js': textOf(...LINES, 'if (a === null) throw a;') });
    const base = commit('Rename a value', {
      'a.js': textOf('export const a = 7;', ...LINES.slice(1), 'if (a === null) throw a;'),
    });
    const head = commit('Rework', { 'a.js': textOf('export const a = 7;', ...LINES.slice(1)), 'new.js': 'n();\n' });
    const { found } = await lookUp(base, head);
    expect(found).toEqual([`a.js:4 ${short(guard)} Guard against null, fixes #42`]);
  });

  test('are at most two for each hunk, those of most lines first', async () => {
    commit('Begin', { 'a.js': 'start();\n' });
    const messages = ['One', 'Two', 'Three'];
    const shas: CommitSha[] = [];
    let text = 'start();\n';
    for (const [index, message] of messages.entries()) {
      text += `call(${index});\n`.repeat(index + 1);
      shas.push(commit(message, { 'a.js': text }));
    }
    const base = shas.at(-1) ?? ('' as CommitSha);
    const { found } = await lookUp(base, commit('Rework', { 'a.js': 'start();\n' }));
    expect(found).toEqual([`a.js:2-7 ${short(shas[2] ?? '')} Three`, `a.js:2-7 ${short(shas[1] ?? '')} Two`]);
  });

  test.each<[string, Files, Files]>([
    ['only adds', { 'a.js': 'a();\n' }, { 'a.js': 'a();\nb();\n' }],
    ['removes only comments and blank lines', { 'a.js': '// why\n\na();\n' }, { 'a.js': 'a();\n' }],
    ['adds a file', {}, { 'b.js': 'b();\n' }],
  ])('are not looked for in a change that %s', async (_name, before, after) => {
    commit('Begin', { 'kept.txt': 'kept\n' });
    const base = commit('Before', before);
    expect((await lookUp(base, commit('After', after))).found).toEqual([]);
  });

  test('are not named where the history ends', async () => {
    const base = commit('Begin', { 'a.js': 'a();\nb();\n' });
    expect((await lookUp(base, commit('Rework', { 'a.js': 'a();\n' }))).found).toEqual([]);
  });

  test('are looked for in a later review only where a hunk changed', async () => {
    commit('Begin', { 'kept.txt': 'kept\n' });
    const base = commit('Add both', { 'a.js': 'a();\nb();\n', 'c.js': 'c();\nd();\n' });
    const first = commit('Remove one', { 'a.js': 'a();\n' });
    const head = commit('Remove another', { 'c.js': 'c();\n' });
    const previous = { head: first, base, fingerprint: 'f'.repeat(64), verdict: 'feedback' as const };
    expect((await lookUp(base, head, { previous })).found).toEqual([`c.js:2 ${short(base)} Add both`]);
  });

  test('are limited in number, and left out when git does not answer', async () => {
    commit('Begin', { 'kept.txt': 'kept\n' });
    const many: Record<string, string> = {};
    for (let at = 0; at < 9; at += 1) many[`f${at}.js`] = 'a();\nb();\n';
    const base = commit('Add many', many);
    const head = commit('Remove', Object.fromEntries(Object.keys(many).map((name) => [name, 'a();\n'])));
    const { packet, found } = await lookUp(base, head);
    expect(found).toHaveLength(6);
    const blame = async () => {
      throw gitError('GIT_TIMEOUT', 'too slow', 'retry');
    };
    expect(await removedBy(packet, { blame }, never())).toEqual([]);
    const broken = async () => {
      throw new TypeError('a mistake of ours');
    };
    await expect(removedBy(packet, { blame: broken }, never())).rejects.toThrow('a mistake of ours');
  });
});

test('parseBlame knows each commit by its first record', () => {
  const [one, two] = ['a'.repeat(40), 'b'.repeat(40)];
  const output = [
    `${one} 1 3 2\nauthor A\nsummary First\nboundary\nfilename a.js\n\tx`,
    `${one} 2 4\n\tsummary not this`,
    `${two} 9 5 1\nsummary Second\nfilename a.js\n\ty\n`,
  ].join('\n');
  expect(parseBlame(output)).toEqual([
    { sha: one, line: 3, subject: 'First', boundary: true },
    { sha: one, line: 4, subject: 'First', boundary: true },
    { sha: two, line: 5, subject: 'Second', boundary: false },
  ]);
});

test('F-W6: Read of the base finds a renamed file under both names, without its secrets', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line(${index});`);
  const base = commit('Begin', { 'old.js': textOf(...lines) });
  world.repository.write({ 'old.js': null });
  const head = commit('Rename', { 'new.js': textOf(...lines, 'more();') });
  const packet = await buildPacket(request(base, head), world.source());
  const read = createReadBase(packet, async (text) => text.replace('line(3);', '[redacted]'));
  for (const path of ['old.js', 'new.js']) {
    const file = await read(path, never());
    expect(file).toMatchObject({ kind: 'lines', lines: { length: 20, 3: '[redacted]' } });
  }
  expect(await read('none.js', never())).toEqual({ kind: 'refused', reason: 'not found' });
});
