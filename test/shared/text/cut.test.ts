import { describe, expect, it } from 'vitest';
import { cutPoint, cutWithNotice } from '../../../shared/text/cut.ts';

describe('cutPoint', () => {
  it.each([
    ['takes the whole of a text that fits', 'ab\n', 3, 3],
    ['cuts in a line', 'abcdef', 3, 3],
    ['cuts at the end of a line in the second half', 'abc\ndef', 5, 3],
    ['cuts at a line end right behind the room', 'abc\ndef', 3, 3],
    ['cuts in a line whose start is in the middle', 'ab\ncdef', 4, 4],
    ['cuts in a long line', 'a\nbcdefgh', 6, 6],
    ['keeps a pair of surrogates whole, the first', 'a\u{10000}b', 2, 1],
    ['keeps a pair of surrogates whole, the last', 'a\u{10ffff}b', 2, 1],
    ['cuts behind a pair of surrogates', 'a\u{10ffff}b', 3, 3],
    ['cuts behind a character above the surrogates', 'a\ufffdb', 2, 2],
  ])('%s', (_name, text, length, point) => {
    expect(cutPoint(text, length)).toBe(point);
  });
});

describe('cutWithNotice', () => {
  const same = (piece: string): string => piece;
  const notice = (length: number): string => `\n\n_(Cut here: the text was longer than ${length} characters.)_`;

  it('leaves a text that fits as it is', () => {
    expect(cutWithNotice('a'.repeat(70), 70, same)).toBe('a'.repeat(70));
  });

  it('fills the room and says that it has cut', () => {
    const cut = cutWithNotice('a'.repeat(101), 100, same);
    expect(cut).toBe('a'.repeat(100 - notice(100).length) + notice(100));
  });

  it('cuts more when the repair lengthens the text', () => {
    const cut = cutWithNotice('a'.repeat(200), 100, (piece) => `${piece}\n\`\`\``);
    expect(cut).toMatch(/^a{20,}\n```\n\n_\(Cut here/);
    expect(cut.length).toBeLessThanOrEqual(100);
  });

  it.each([
    [20, '_(Cut here: the text'],
    [1, '_'],
    [0, ''],
    [-1, ''],
  ])('keeps to %i characters when not even the notice fits', (length, cut) => {
    expect(cutWithNotice('a'.repeat(200), length, same)).toBe(cut);
  });
});
