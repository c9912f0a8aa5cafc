import { describe, expect, test } from 'vitest';
import { bodyOf, suggestionOf } from '../../../../shared/rounds/memory/own-suggestion.ts';
import { createComposer } from '../../../../services/poster/compose.ts';
import { createFakeForge } from '../../../services/poster/fake-forge.ts';
import { finding as findingMarker, PAYLOADS } from '../../text/marker-fixture.ts';
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
    const composer = createComposer(
      { ...createFakeForge().forge, rangedSuggestions },
      { markerSecrets: [SECRET], operators: [] },
    );

    test('from an open finding, and from one that was closed since', () => {
      if (position === null || reply === undefined) throw new Error('the fixtures have them');
      const posted = composer.inline({ marker: findingMarker, text: TEXT, suggestion: CODE, position });
      const open = comment(posted);
      expect(suggestionOf({ comment: open })).toBe(CODE);
      expect(bodyOf({ comment: open })).toBe('The promise is dropped.\n\n```js\nsave(order);\n```\n\nSo await it.');
      const closing = {
        closure: { marker: reply, text: '**F-001 is resolved.**' },
        comment: open,
        marker: findingMarker,
      };
      expect(suggestionOf({ comment: comment(composer.closed(closing)) })).toBe(CODE);
    });

    test('and finds none where there is none', () => {
      expect(suggestionOf({ comment: comment('**F-001**\n\nWords.') })).toBeUndefined();
      expect(suggestionOf({ comment: null })).toBeUndefined();
      expect(bodyOf({ comment: null })).toBe('');
    });
  },
);
