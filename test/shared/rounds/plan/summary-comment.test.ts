import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createComposer } from '../../../../services/poster/compose.ts';
import { readSummaryBody } from '../../../../shared/rounds/memory/read-summary-body.ts';
import type { Thread } from '../../../../shared/rounds/model/history.ts';
import type { Fold } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { ABOUT, keptRest, renderSummary } from '../../../../shared/rounds/plan/wording/summary-comment.ts';
import { buildAnnouncePlan } from '../../../../shared/rounds/plan/announce-plan.ts';
import { itemsOf } from '../../../../shared/rounds/plan/wording/item.ts';
import { sanitize } from '../../../../shared/text/sanitize.ts';
import { createFakeForge } from '../../../services/poster/fake-forge.ts';
import { summary as marker } from '../../text/marker-fixture.ts';
import * as make from '../builders.ts';

const { forge } = createFakeForge();
const roomy = { ...forge, sanitizing: { ...forge.sanitizing, maxLength: 200_000 } };
const OPTIONS = { ...roomy.sanitizing, mayMention: [] };
const composer = createComposer(roomy, { markerSecrets: [make.SECRET] });
const clean = (text: string): string => sanitize(text, OPTIONS).body;

/** A change request with this summary and these threads, after a review. */
const shown = (body: string, known: readonly Thread[] = []) =>
  make.history({
    threads: known,
    verdict: 'feedback',
    summary: { marker, comment: { ...make.comment('x'), body } },
  });

const paragraph = fc.constantFrom(
  'Looked at everything.',
  '#### Not reviewed\n\n- `big.bin`: too large',
  '| a | b |\n| --- | --- |\n| 1 | 2 |',
  'Owner: somebody. *Next* @all #1',
  '```js\nsave();\n```',
  '</details>\n\nText after the end of a fold',
  '<details>\n<summary>Not ours</summary>\n\nA fold\n\n</details>',
  '```\n</details>\n<details>\n<summary>Code</summary>\n```',
);
const threads = fc.constantFrom(
  [],
  [make.thread()],
  [
    make.thread(),
    make.thread({ id: 'F-002', state: 'resolved' }),
    make.thread({ id: 'F-003', severity: 'P3', blocking: false }),
  ],
);
const folds = fc.array(
  fc.record({
    title: fc.constantFrom('Who reviewed what', 'Not reviewed (2)', 'Walkthrough (1 file)'),
    text: paragraph,
  }),
  { maxLength: 3 },
);

test('what is neither headline, table nor about what is open is read back after the sanitizer, in its order', () => {
  fc.assert(
    fc.property(fc.array(paragraph, { maxLength: 4 }), threads, folds, (notes, known, kept) => {
      const body = renderSummary({
        headline: '**2 problems to fix before merging**',
        about: `${ABOUT}\`abc\`.`,
        items: itemsOf(known),
        notes,
        folds: kept,
        foot: '_Review 1 of 12_',
        author: 'author',
        mention: 'fixpoint',
      });
      const posted = composer.summary(body, marker);
      const history = shown(posted, known);
      const plan = buildAnnouncePlan(
        { facts: make.changeRequest(), history, policy: make.policy() },
        { run: make.run({ review: 2 }), runsUsed: 2, supersededInRow: 0 },
      );
      for (const body of [posted, composer.summary(plan.summary, marker)]) {
        const rest = keptRest(shown(body, known));
        expect(rest.notes.join('\n\n')).toBe(notes.map(clean).join('\n\n'));
        expect(rest.folds).toEqual(kept.map(({ title, text }): Fold => ({ title, text: clean(text) })));
      }
      expect(readSummaryBody(posted).foot).toBe('_Review 1 of 12_');
    }),
    { numRuns: 500 },
  );
});

test('no text brings a fold of its own', () => {
  const evil = '<details>\n<summary>Ours?</summary>\n\nHidden\n\n</details>';
  const posted = composer.summary({ text: evil, folds: [{ title: 'Commands', text: evil }], foot: evil }, marker);
  expect(posted.match(/<details>/g)).toHaveLength(1);
  expect(posted.match(/<\/details>/g)).toHaveLength(1);
  expect(composer.plain(evil, marker)).not.toContain('<details>');
});

test('a long summary keeps its text and its last line, and leaves out folds that do not fit', () => {
  const long = 'word '.repeat(30_000);
  const fold = { title: 'Commands', text: long };
  const posted = composer.summary({ text: 'Short.', folds: [fold, fold, fold], foot: '_The end_' }, marker);
  expect(posted.length).toBeLessThanOrEqual(200_000);
  expect(readSummaryBody(posted)).toMatchObject({ text: 'Short.', foot: '_The end_' });
  expect(readSummaryBody(posted).folds).toHaveLength(1);
});

test('a text of another form is not read as a summary, and says where to look for the last one', () => {
  for (const text of [
    'Somebody wrote here.',
    '**Not reviewed**: 2 of 2 attempts failed\n\n`abc` could not be reviewed.',
  ]) {
    const { notes, folds: kept } = keptRest(shown(text));
    expect([notes, kept]).toEqual([[expect.stringContaining('edit history of this comment')], []]);
  }
});

test('nothing is kept, and nothing is missed, before the first verdict', () => {
  expect(keptRest(make.history())).toEqual({ notes: [], folds: [] });
  expect(keptRest({ ...shown('Somebody wrote here.'), verdict: null })).toEqual({ notes: [], folds: [] });
});
