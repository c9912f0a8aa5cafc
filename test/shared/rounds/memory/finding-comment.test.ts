import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFinding, renderFinding } from '../../../../shared/rounds/memory/finding-comment.ts';
import { createComposer } from '../../../../services/poster/compose.ts';
import { createFakeForge } from '../../../services/poster/fake-forge.ts';
import { finding as findingMarker, PAYLOADS } from '../../text/marker-fixture.ts';
import { removeBreaks } from '../../../../shared/text/break-points.ts';
import { sanitize } from '../../../../shared/text/sanitize.ts';
import { comment, finding } from '../builders.ts';

const SECRET = ['marker', 'secret', 'of', 'these', 'tests', '-'.repeat(8)].join('-');
const { position } = finding();
const reply = PAYLOADS.find((payload) => payload.kind === 'reply');
const CODE = 'await save(order);\n@Later';
const TEXT =
  '**F-001 · P1 · blocks: It is lost**\n\nThe promise is dropped.\n\n```js\nsave(order);\n```\n\nSo await it.';

describe.each([true, false])(
  'F-B8: reads body and suggestion back (blocks that can be applied: %s)',
  (rangedSuggestions) => {
    const composer = createComposer({ ...createFakeForge().forge, rangedSuggestions }, { markerSecrets: [SECRET] });

    test('from an open finding, and from one that was closed since', () => {
      if (position === null || reply === undefined) throw new Error('the fixtures have them');
      const posted = composer.inline({ marker: findingMarker, text: TEXT, suggestion: CODE, position });
      const open = comment(posted);
      expect(readFinding(open).suggestion).toBe(CODE);
      expect(readFinding(open).body).toBe('The promise is dropped.\n\n```js\nsave(order);\n```\n\nSo await it.');
      const closing = {
        closure: { marker: reply, text: '**F-001 is resolved.**' },
        comment: open,
        marker: findingMarker,
      };
      expect(readFinding(comment(composer.closed(closing))).suggestion).toBe(CODE);
    });

    test('and finds none where there is none', () => {
      expect(readFinding(comment('**F-001**\n\nWords.')).suggestion).toBeUndefined();
      expect(readFinding(null).suggestion).toBeUndefined();
      expect(readFinding(null).body).toBe('');
    });
  },
);

describe('what is written is read back', () => {
  const prose = fc
    .array(
      fc.constantFrom('The promise is dropped.', 'Rule: `x`', '**F-002 · P1: no**', 'a_b *c* @d #1', '- one\n- two'),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((paragraphs) => paragraphs.join('\n\n'));
  const code = fc.constantFrom('save();', 'a\n\nb', '```js\nx\n```', '');
  const block = fc.constantFrom('', '```js\nsave();\n```', '~~~\nInstead of line 3:\n~~~');
  const found = fc.record({
    title: fc.constantFrom('It is lost', 'A | `b` _c_'),
    rule: fc.constantFrom(null, 'js-eval'),
    regressionOf: fc.constantFrom(null, 'F-003'),
    blocking: fc.boolean(),
    prose,
    block,
    suggestion: fc.oneof(fc.constant(null), code),
    closed: fc.boolean(),
    ranged: fc.boolean(),
  });

  test('prose, body and suggestion, open and closed, after the sanitizer', () => {
    fc.assert(
      fc.property(found, ({ prose: said, block: quoted, suggestion, closed, ranged, ...rest }) => {
        if (position === null || reply === undefined) throw new Error('the fixtures have them');
        const forge = { ...createFakeForge().forge, rangedSuggestions: ranged };
        const composer = createComposer(forge, { markerSecrets: [SECRET] });
        const body = [said, quoted].filter((part) => part !== '').join('\n\n');
        const text = renderFinding({ ...rest, id: 'F-002', severity: 'P1', body });
        const open = comment(composer.inline({ marker: findingMarker, text, suggestion, position }));
        const closure = { marker: reply, text: '**F-002 is resolved at `abc`.** Fixed.' };
        const shown = closed ? comment(composer.closed({ closure, comment: open, marker: findingMarker })) : open;
        const clean = (words: string): string =>
          removeBreaks(sanitize(words, { ...forge.sanitizing, mayMention: [] }).body);
        const read = readFinding(shown);
        expect(read.prose).toBe(clean(said));
        expect(read.suggestion).toBe(suggestion ?? undefined);
        expect(read.body).toBe(clean(body));
      }),
      { numRuns: 500 },
    );
  });
});
