import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFinding, renderFinding, smallPrint } from '../../../../shared/rounds/memory/finding-comment.ts';
import { createComposer } from '../../../../services/poster/compose.ts';
import { createFakeForge } from '../../../services/poster/fake-forge.ts';
import { finding as findingMarker, PAYLOADS } from '../../text/marker-fixture.ts';
import { removeBreaks } from '../../../../shared/text/break-points.ts';
import { sanitize } from '../../../../shared/text/sanitize.ts';
import { comment, finding } from '../builders.ts';

const SECRET = ['marker', 'secret', 'of', 'these', 'tests', '-'.repeat(8)].join('-');
const { position } = finding();
const reply = PAYLOADS.find((payload) => payload.kind === 'reply');
const FOOT = smallPrint({
  id: 'F-001',
  blocking: true,
  by: 'the rule `js-eval`',
  dismiss: '`dismiss F-001 because …`',
});
const CODE = 'await save(order);\n@Later';
const TEXT = '**High: It is lost**\n\nThe promise is dropped.\n\n```js\nsave(order);\n```\n\nSo await it.';

describe.each([true, false])(
  'F-B8: reads body and suggestion back (blocks that can be applied: %s)',
  (rangedSuggestions) => {
    const composer = createComposer({ ...createFakeForge().forge, rangedSuggestions }, { markerSecrets: [SECRET] });

    test('from an open finding, and from one that was closed since', () => {
      if (position === null || reply === undefined) throw new Error('the fixtures have them');
      const posted = composer.inline({ marker: findingMarker, text: TEXT, suggestion: CODE, foot: FOOT, position });
      expect(posted).toContain(FOOT);
      const open = comment(posted);
      expect(readFinding(open).suggestion).toBe(CODE);
      expect(readFinding(open).body).toBe('The promise is dropped.\n\n```js\nsave(order);\n```\n\nSo await it.');
      const closing = {
        closure: { marker: reply, text: '**Resolved** at `abc`.' },
        comment: open,
        marker: findingMarker,
      };
      const closed = composer.closed(closing);
      expect(readFinding(comment(closed)).suggestion).toBe(CODE);
      expect(closed).not.toContain('reply to discuss');
    });

    test('and finds none where there is none', () => {
      expect(readFinding(comment('**High**\n\nWords.')).suggestion).toBeUndefined();
      expect(readFinding(null).suggestion).toBeUndefined();
      expect(readFinding(null).body).toBe('');
    });
  },
);

describe('what is written is read back', () => {
  const prose = fc
    .array(fc.constantFrom('The promise is dropped.', '_`F-001`_', 'High: no', 'a_b *c* @d #1', '- one\n- two'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((paragraphs) => paragraphs.join('\n\n'));
  const code = fc.constantFrom('save();', 'a\n\nb', '```js\nx\n```', '');
  const block = fc.constantFrom('', '```js\nsave();\n```', '~~~\nInstead of line 3:\n~~~');
  const found = fc.record({
    title: fc.constantFrom('It is lost', 'A | `b` _c_'),
    regressionOf: fc.constantFrom(null, 'F-003'),
    severity: fc.constantFrom('P0' as const, 'P1' as const, 'P2' as const, 'P3' as const),
    foot: fc.constantFrom(undefined, FOOT),
    prose,
    block,
    suggestion: fc.oneof(fc.constant(null), code),
    closed: fc.boolean(),
    ranged: fc.boolean(),
  });

  test('prose, body and suggestion, open and closed, after the sanitizer', () => {
    fc.assert(
      fc.property(found, ({ prose: said, block: quoted, suggestion, closed, ranged, foot = '', ...rest }) => {
        if (position === null || reply === undefined) throw new Error('the fixtures have them');
        const forge = { ...createFakeForge().forge, rangedSuggestions: ranged };
        const composer = createComposer(forge, { markerSecrets: [SECRET] });
        const body = [said, quoted].filter((part) => part !== '').join('\n\n');
        const text = renderFinding({ ...rest, body });
        const open = comment(composer.inline({ marker: findingMarker, text, suggestion, foot, position }));
        const closure = { marker: reply, text: '**Resolved** at `abc`. Fixed.' };
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
