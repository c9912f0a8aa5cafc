import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PostableBody } from '../../../shared/text/postable-body.ts';
import { composeBody } from '../../../services/poster/compose-body.ts';
import { readMarkers, signMarker } from '../../../shared/rounds/memory/marker.ts';
import { sanitize, sanitizeSuggestion } from '../../../shared/text/sanitize.ts';
import { splitBody } from '../../../shared/text/split-body.ts';
import { propertyRuns } from '../../support/deep.ts';
import { liveMarkupIn } from '../../support/live-markup.ts';
import { quickActionsIn } from '../../support/quick-actions.ts';
import { finding } from './marker-fixture.ts';
import { FORGE, hostileText, OPTIONS } from './sanitize-fixture.ts';

const bodyOf = (text: string): PostableBody => sanitize(text, OPTIONS).body;

describe('splitBody', () => {
  it('leaves a body alone that fits', () => {
    expect(splitBody(bodyOf('one\n\ntwo'), 200)).toEqual(['one\n\ntwo']);
  });

  it('cuts at line ends and keeps every line', () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
    const pieces = splitBody(bodyOf(lines.join('\n')), 200);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('\n').split('\n')).toEqual(lines);
  });

  it('keeps a fence whole while it fits, else closes it and opens it again with its language', () => {
    const prose = 'x'.repeat(170);
    const small = '```js\nsmall()\nblock()\nof_four()\nlines_in_js()\n```';
    expect(splitBody(bodyOf(`${prose}\n${small}`), 200)).toEqual([prose, small]);
    const code = Array.from({ length: 40 }, (_, index) => `call(${index});`);
    const pieces = splitBody(bodyOf(`\`\`\`js\n${code.join('\n')}\n\`\`\``), 200);
    for (const piece of pieces) expect(piece).toMatch(/^```js\n[^`]*\n```$/);
    expect(pieces.flatMap((piece) => piece.split('\n').slice(1, -1))).toEqual(code);
  });

  it('does not offer half of a suggestion', () => {
    const suggestion = sanitizeSuggestion(`\`\`\`suggestion:-0+9\n${'line\n'.repeat(100)}\`\`\``, OPTIONS).body;
    expect(suggestion).toContain('suggestion');
    for (const piece of splitBody(suggestion, 200)) expect(piece).not.toContain('suggestion');
  });

  it('keeps the marker whole and in the last piece', () => {
    const marker = signMarker(finding, 'secret');
    const pieces = splitBody(composeBody({ sections: [bodyOf('word\n'.repeat(300))], marker }), 200);
    expect(readMarkers(pieces.at(-1) ?? '', ['secret'])).toEqual([{ kind: 'valid', payload: finding }]);
    expect(pieces.slice(0, -1).flatMap((piece) => readMarkers(piece, ['secret']))).toEqual([]);
  });

  it('breaks what looks like code in a part of a table row', () => {
    const row = `| ${'x'.repeat(180)} \`a\\|${'y'.repeat(180)} #1\` | \`${'z'.repeat(150)} #1\` |`;
    const pieces = splitBody(bodyOf(`| a | b |\n| - | - |\n${row}`), 200);
    expect(pieces.length).toBeGreaterThanOrEqual(3);
    for (const piece of pieces) expect(liveMarkupIn(piece, FORGE, true)).toEqual([]);
  });

  it('keeps within the limit and the laws of sanitize, whatever the body', () => {
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: 3, maxLength: 8 }), (texts) => {
        for (const piece of splitBody(bodyOf(texts.join('')), 200)) {
          expect(piece.length).toBeLessThanOrEqual(200);
          expect(liveMarkupIn(piece, FORGE)).toEqual([]);
          expect(quickActionsIn(piece)).toEqual([]);
        }
      }),
      propertyRuns(150, 20_000),
    );
  });
});
