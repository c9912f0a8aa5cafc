import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dropHidden,
  escapeForTerminal,
  escapeForTerminalLine,
  hasHidden,
  showHidden,
} from '../../../shared/text/visible.ts';
import { propertyRuns } from '../../support/deep.ts';

describe('T3: hidden text is made visible', () => {
  it.each([
    ['a zero-width blank', 'a\u200bb', 'a[U+200B]b'],
    ['a zero-width joiner', 'a\u200db', 'a[U+200D]b'],
    ['a bidirectional override', 'if (x\u202e) {', 'if (x[U+202E]) {'],
    ['an isolate', '\u2066x\u2069', '[U+2066]x[U+2069]'],
    ['tag characters', 'x\u{e0061}\u{e0062}', 'x[U+E0061][U+E0062]'],
    ['variation selectors that carry data', 'x\u{e0101}\ufe01', 'x[U+E0101][U+FE01]'],
    ['an escape sequence', '\u001b[31mred', '[U+001B][31mred'],
    ['a hyperlink for terminals', '\u001b]8;;https://x\u0007t', '[U+001B]]8;;https://x[U+0007]t'],
    ['an eight-bit control', '\u009b2J', '[U+009B]2J'],
    ['a lone carriage return', 'safe\rrm', 'safe[U+000D]rm'],
    ['line separators', 'a\u2028b\u2029c\u0085d', 'a[U+2028]b[U+2029]c[U+0085]d'],
    ['a byte order mark', '\ufeffx', '[U+FEFF]x'],
    ['a soft hyphen and fillers', 'a\u00adb\u3164\u115f', 'a[U+00AD]b[U+3164][U+115F]'],
    ['a lone surrogate', 'a\ud800b', 'a[U+D800]b'],
    ['DEL alone', 'a\u007fb', 'a[U+007F]b'],
    ['NUL and DEL', '\u0000\u007f', '[U+0000][U+007F]'],
  ])('%s', (_name, text, shown) => {
    expect(showHidden(text)).toBe(shown);
    expect(escapeForTerminal(text)).toBe(shown);
    expect(hasHidden(text)).toBe(true);
  });

  it('and ordinary text stays, also tabs, line ends, accents and pictures', () => {
    const text = 'Ünïcode\n\tтекст 漢字 ⚠️ ❤️ 😀 e\u0301 a\u00a0b';
    expect(showHidden(text)).toBe(text);
    expect(hasHidden(text)).toBe(false);
    expect(showHidden('a\r\nb')).toBe('a\nb');
    expect(hasHidden('a\r\nb')).toBe(false);
  });

  it('and a line end parts a picture from the selector behind it', () => {
    expect(hasHidden('❤\r\n\ufe0f')).toBe(true);
    expect(showHidden('❤\r\n\ufe0f')).toBe('❤\n[U+FE0F]');
  });

  it('and nothing hidden remains of any text, nor changes when shown twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = showHidden(text);
        expect(hasHidden(shown)).toBe(false);
        expect(showHidden(shown)).toBe(shown);
        expect(hasHidden(dropHidden(text))).toBe(false);
      }),
      propertyRuns(400, 50_000),
    );
  });
});

describe('escapeForTerminalLine', () => {
  it('keeps a text from forging another row', () => {
    expect(escapeForTerminalLine('a\n\n\tb\rc\u001b[1A')).toBe('a b[U+000D]c[U+001B][1A');
  });
});
