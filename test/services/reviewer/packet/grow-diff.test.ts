import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import type { PacketRequest } from '../../../../services/reviewer/packet/packet.ts';
import { showDiff } from '../../../../services/reviewer/packet/show-diff.ts';
import { createProtect } from '../../../../shared/agent/present-result.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { never } from '../../../shared/workspace/repository.ts';
import { createReviewWorld, request, type ReviewWorld, textOf } from '../review-world.ts';

const SECRET = ['operators', 'own', 'value', '9f3c'].join('-');

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

type Shown = { readonly maxDiffBytes?: number; readonly more?: Partial<PacketRequest> };

const show = async (base: CommitSha, head: CommitSha, { maxDiffBytes = 100_000, more = {} }: Shown = {}) => {
  const packet = await buildPacket(request(base, head, more), world.source());
  const protect = createProtect(createRedactor([SECRET]));
  return { packet, ...(await showDiff({ packet, maxDiffBytes, protect }, never())) };
};

const body = (count: number, name = 'step'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `  ${name}(${index});`);

const FILE = (middle: string, count = 12): string =>
  textOf(
    'import { a } from "./a.js";',
    'import {',
    '  b,',
    '} from "./b.js";',
    '',
    ...Array.from({ length: 30 }, (_, index) => `export const other${index} = ${index};`),
    '',
    'export function work(input) {',
    ...body(count),
    `  ${middle}`,
    ...body(count, 'then'),
    '}',
    '',
    'export const last = 1;',
  );

describe('what the diff shows around a change', () => {
  test('is the function and the imports of the file, with the numbers of both sides', async () => {
    const base = world.commit({ 'a.js': FILE('old();') });
    const head = world.commit({ 'a.js': FILE('now();\n  more();') });
    const { text, size } = await show(base, head);
    const rows = text.split('\n');
    expect(rows.slice(0, 7)).toEqual([
      '=== a.js (modified, +2 -1)',
      '@@ -1,4 +1,4 @@',
      ' 1 1:import { a } from "./a.js";',
      ' 2 2:import {',
      ' 3 3:  b,',
      ' 4 4:} from "./b.js";',
      '@@ -37,27 +37,28 @@',
    ]);
    expect(rows).toContain(' 37 37:export function work(input) {');
    expect(rows).toContain('-50 :  old();');
    expect(rows).toContain('+ 50:  now();');
    expect(rows).toContain('+ 51:  more();');
    expect(rows).toContain(' 63 64:}');
    expect(text).not.toMatch(/other3|last/);
    expect(size).toEqual({ files: 1, changedLines: 3 });
  });

  test('changes neither the diff of the packet nor its fingerprint, from which places and receipts are computed', async () => {
    const base = world.commit({ 'a.js': FILE('old();') });
    const head = world.commit({ 'a.js': FILE('now();') });
    const packet = await buildPacket(request(base, head), world.source());
    const before = JSON.stringify([packet.diff, packet.patchFingerprint, [...packet.changed]]);
    await showDiff({ packet, maxDiffBytes: 100_000, protect: async (text) => text }, never());
    expect(JSON.stringify([packet.diff, packet.patchFingerprint, [...packet.changed]])).toBe(before);
    const [hunk] = packet.diff.files[0]?.hunks ?? [];
    expect(hunk).toMatchObject({ oldLines: 7, newLines: 7 });
  });

  test('has no secret: what is added is redacted as part of the whole file', async () => {
    const secret = (middle: string): string => FILE(middle).replace('step(3)', `key("${SECRET}")`);
    const { text } = await show(world.commit({ 'a.js': secret('a();') }), world.commit({ 'a.js': secret('b();') }));
    expect(text).toContain(' 41 41:  key("[redacted]");');
    expect(text).not.toContain(SECRET);
  });

  test('is only the rows next to the change in a large function', async () => {
    const base = world.commit({ 'a.js': FILE('old();', 60) });
    const { text } = await show(base, world.commit({ 'a.js': FILE('now();', 60) }));
    expect(text).toContain('@@ -86,25 +86,25 @@ export function work(input) {');
  });

  test('is given up before any changed line when not everything fits', async () => {
    const base = world.commit({ 'a.js': FILE('old();'), 'b.js': 'one();\n' });
    const head = world.commit({ 'a.js': FILE('now();'), 'b.js': 'two();\n' });
    const plain = await show(base, head, { maxDiffBytes: 420 });
    expect(plain.text).toContain('now();');
    expect(plain.text).toContain('two();');
    expect(plain.text).not.toContain('import');
    expect(plain.notShown).toEqual([]);
    expect((await show(base, head)).text).toContain('import { a }');
  });

  test.each([
    ['prose', 'a.md'],
    ['data', 'a.json'],
  ])('is nothing in %s', async (_, path) => {
    const base = world.commit({ [path]: FILE('old();') });
    const { text } = await show(base, world.commit({ [path]: FILE('now();') }));
    expect(text).toContain('+ 50:  now();');
    expect(text).not.toMatch(/import|^ 46 /m);
  });

  test('in a later review is the function, without lines of the change that were reviewed before', async () => {
    const base = world.commit({ 'a.js': FILE('old();') });
    const first = world.commit({ 'a.js': FILE('old();').replace('  step(0);', '  seen();') });
    const head = world.commit({ 'a.js': FILE('now();').replace('  step(0);', '  seen();') });
    const previous = { head: first, base, fingerprint: 'f'.repeat(64), verdict: 'feedback' as const };
    const { text } = await show(base, head, { more: { previous } });
    const rows = text.split('\n');
    expect(rows[0]).toBe('=== a.js (modified, +1 -1)');
    expect(rows[1]).toBe('@@ -42,22 +42,22 @@ export function work(input) {');
    expect(text).toContain(' 63 63:}');
    expect(text).not.toMatch(/seen|import/);
  });

  test('needs no text that git did not compare', async () => {
    const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    const base = world.commit({ 'a.js': utf16(FILE('old();')), 'b.js': FILE('old();').replaceAll('\n', '\r\n') });
    const head = world.commit({ 'a.js': utf16(FILE('now();')), 'b.js': FILE('now();').replaceAll('\n', '\r\n') });
    const { text } = await show(base, head);
    expect(text.match(/now\(\);/g)).toHaveLength(2);
    expect(text).toContain(' 37 37:export function work(input) {\r');
  });
});
