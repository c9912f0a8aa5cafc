import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  deferredList,
  readSummaryRest,
  renderSummary,
  threadTable,
} from '../../../../shared/rounds/plan/wording/summary-comment.ts';
import { sanitize } from '../../../../shared/text/sanitize.ts';
import { createFakeForge } from '../../../services/poster/fake-forge.ts';
import * as make from '../builders.ts';

const OPTIONS = { ...createFakeForge().forge.sanitizing, mayMention: [] };
const clean = (text: string): string => sanitize(text, OPTIONS).body;

const paragraph = fc.constantFrom(
  'Looked at everything.',
  '#### Not reviewed\n\n- `big.bin`: too large',
  '| a | b |\n| --- | --- |\n| 1 | 2 |',
  'Owner: somebody. *Next* @all #1',
  '```js\nsave();\n```',
);
const threads = fc.constantFrom([], [make.thread()], [make.thread(), make.thread({ id: 'F-002', state: 'resolved' })]);
const items = fc.constantFrom([], [{ id: 'F-003', severity: 'P3' as const, title: 'A name misleads' }]);

test('what is neither verdict, table nor deferred is read back after the sanitizer, in its order', () => {
  fc.assert(
    fc.property(paragraph, fc.array(paragraph, { maxLength: 4 }), threads, items, (lead, rest, shown, deferred) => {
      const text = renderSummary({
        verdict: 'feedback',
        head: make.sha('head'),
        about: ', round 1 of at most 3: F-001 is new and blocks.',
        lead,
        table: threadTable(shown),
        rest,
        deferred: deferredList(deferred, 'author'),
      });
      expect(readSummaryRest(clean(text))?.join('\n\n')).toBe([lead, ...rest].map(clean).join('\n\n'));
    }),
    { numRuns: 500 },
  );
});

test('a text of another form is not read as a summary', () => {
  expect(readSummaryRest('Somebody wrote here.')).toBeNull();
  expect(readSummaryRest('### Review in progress\n\nIt is being reviewed.')).toBeNull();
});
