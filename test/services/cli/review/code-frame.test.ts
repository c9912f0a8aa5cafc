import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameOf, loadCode } from '../../../../services/cli/review/code-frame.ts';

const SIGNAL = AbortSignal.timeout(60_000);
const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
const shown = (count: number, startLine: number, line: number): readonly [number, number] | null => {
  const frame = frameOf(numbered(count), { startLine, line });
  return frame === null ? null : [frame.startLine, frame.lines.length];
};

test.each([
  [9, 5, 5, [3, 5]],
  [9, 4, 6, [2, 7]],
  [9, 1, 1, [1, 3]],
  [9, 2, 2, [1, 4]],
  [9, 9, 9, [7, 3]],
  [1, 1, 1, [1, 1]],
  [99, 10, 60, [8, 12]],
  [9, 10, 10, null],
])('of %i lines, %i to %i are shown with their neighbours', (count, startLine, line, expected) => {
  expect(shown(count, startLine, line)).toEqual(expected);
});

test('a frame has the lines that it names, whatever ends them', () => {
  expect(frameOf('a\r\nb\r\nc', { startLine: 3, line: 3 })).toEqual({ startLine: 1, lines: ['a', 'b', 'c'] });
  const place = fc.record({ startLine: fc.integer({ min: 1, max: 40 }), length: fc.integer({ min: 0, max: 30 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), place, (count, { startLine, length }) => {
      const frame = frameOf(numbered(count), { startLine, line: startLine + length });
      expect(frame === null).toBe(startLine > count);
      frame?.lines.forEach((text, index) => expect(text).toBe(`line ${frame.startLine + index}`));
      if (frame !== null) expect(frame.lines).toContain(`line ${startLine}`);
    }),
  );
});

test('each file is read once, and each side is a file of its own', async () => {
  const asked: string[] = [];
  const places = (['new', 'old', 'new'] as const).map((side) => ({ path: 'a.js', side, startLine: 1, line: 1 }));
  const readCode = async ({ path, side }: { readonly path: string; readonly side: string }) => {
    asked.push(`${side} ${path}`);
    return side === 'new' ? 'one\n' : null;
  };
  const codeOf = await loadCode(places, readCode, SIGNAL);
  expect(asked).toEqual(['new a.js', 'old a.js']);
  expect(places.map((place) => codeOf(place)?.lines ?? null)).toEqual([['one'], null, ['one']]);
});

test('a secret in the code is not shown', async () => {
  const token = `ghp_${randomBytes(27)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/g, 'x')
    .slice(0, 36)}`;
  const place = { path: 'a.js', side: 'new' as const, startLine: 2, line: 2 };
  const text = `const one = 1;\nconst token = "${token}";\n`;
  const codeOf = await loadCode([place], async () => text, SIGNAL);
  const lines = codeOf(place)?.lines ?? [];
  expect(lines).toHaveLength(2);
  expect(lines[0]).toBe('const one = 1;');
  expect(lines.join('\n')).not.toContain(token);
});
