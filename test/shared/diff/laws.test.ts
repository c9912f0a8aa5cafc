import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anchor } from '../../../shared/diff/position/anchor.ts';
import { compareDiffs } from '../../../shared/diff/delta.ts';
import { fingerprint } from '../../../shared/diff/fingerprint.ts';
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { Diff } from '../../../shared/diff/model.ts';
import { moveAnchor } from '../../../shared/diff/position/move-anchor.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import type { Place } from '../../../shared/vocabulary/finding.ts';
import { createTempRepository, diffTexts } from './temp-repository.ts';

/**
 * The laws of a clean rebase, on real commits. The author edits lines; the target branch edits other lines at least
 * `APART` away, never the heading of a function; a rebase is both at once.
 */
const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const SAMPLES = DEEP ? 300 : 10;
const TIMEOUT_MS = DEEP ? 600_000 : 60_000;
const LINES = 120;
const FUNCTION_LINES = 12;
const APART = 8;

type Edit = { readonly at: number; readonly drop: boolean; readonly add: readonly string[] };
type Sample = {
  readonly author: readonly Edit[];
  readonly target: readonly Edit[];
};

const isHeading = (at: number): boolean => at % FUNCTION_LINES === 0;

const original = (at: number): string =>
  isHeading(at) ? `function number${at / FUNCTION_LINES}() {` : `  statement(${at % 5 === 0 ? 0 : at});`;

/** Body lines only: a heading that changes is part of the surroundings. */
const edit = fc.record({
  at: fc.integer({ min: 1, max: LINES - 2 }).filter((at) => !isHeading(at)),
  drop: fc.boolean(),
  add: fc.array(fc.constantFrom('  added();', '    return 1;', '', '  }', '\tx'), { minLength: 1, maxLength: 3 }),
});

const sample: fc.Arbitrary<Sample> = fc
  .record({
    author: fc.uniqueArray(edit, { minLength: 1, maxLength: 4, selector: (one) => one.at }),
    target: fc.uniqueArray(edit, { minLength: 1, maxLength: 6, selector: (one) => one.at }),
  })
  .map(({ author, target }) => ({
    author: author.map((one, index) => ({ ...one, add: [`  author(${index});`, ...one.add] })),
    target: target.filter((one) => author.every((other) => Math.abs(other.at - one.at) > APART)),
  }));

const textWith = (...edits: readonly Edit[]): string => {
  const byLine = new Map(edits.map((one) => [one.at, one]));
  const rows: string[] = [];
  for (let at = 0; at < LINES; at++) {
    const here = byLine.get(at);
    if (here !== undefined) rows.push(...here.add);
    if (here?.drop !== true) rows.push(original(at));
  }
  return `${rows.join('\n')}\n`;
};

type Made = {
  readonly sample: Sample;
  readonly before: Diff;
  readonly rebased: Diff;
  readonly renamedToo: Diff;
  readonly edited: Diff;
  readonly headToRebased: Diff;
  readonly headToRenamed: Diff;
  readonly rebasedText: string;
};

const repository = createTempRepository();
let made: readonly Made[] = [];

const commitText = (text: string, name = 'code.js'): string => {
  writeFileSync(join(repository.folder, 'code.js'), text);
  if (name !== 'code.js') renameSync(join(repository.folder, 'code.js'), join(repository.folder, name));
  const commit = repository.commit('state');
  if (name !== 'code.js') renameSync(join(repository.folder, name), join(repository.folder, 'code.js'));
  return commit;
};

const between = (from: string, to: string): Diff => parseDiff(diffTexts(repository, from, to));

const make = (one: Sample): Made => {
  const rebasedText = textWith(...one.author, ...one.target);
  const base = commitText(textWith());
  const head = commitText(textWith(...one.author));
  const newBase = commitText(textWith(...one.target));
  const newHead = commitText(rebasedText);
  const renamedHead = commitText(rebasedText, 'moved.js');
  const editedHead = commitText(rebasedText.replace('  author(0);', '   author(0);'));
  return {
    sample: one,
    before: between(base, head),
    rebased: between(newBase, newHead),
    renamedToo: between(newBase, renamedHead),
    edited: between(newBase, editedHead),
    headToRebased: between(head, newHead),
    headToRenamed: between(head, renamedHead),
    rebasedText,
  };
};

beforeAll(() => {
  made = fc.sample(sample, { seed: 3, numRuns: SAMPLES }).map(make);
}, TIMEOUT_MS);

afterAll(() => repository.dispose());

/** Every line that the author added, as a place and its text. */
const addedPlaces = (diff: Diff): readonly { place: Place; text: string }[] =>
  diff.files.flatMap((file) =>
    file.hunks.flatMap(hunkLines).flatMap((line) =>
      line.newLine === null || line.oldLine !== null
        ? []
        : [
            {
              place: { path: file.newPath, side: 'new' as const, startLine: line.newLine, line: line.newLine },
              text: line.text,
            },
          ],
    ),
  );

describe('a clean rebase', () => {
  test('keeps the fingerprint and gives an empty delta', () => {
    for (const one of made) {
      expect(fingerprint(one.rebased)).toBe(fingerprint(one.before));
      expect(compareDiffs(one.before, one.rebased, one.headToRebased).empty).toBe(true);
      expect(compareDiffs(one.before, one.rebased).empty).toBe(true);
    }
  });

  test('with one more blank in one line has another fingerprint and a delta that holds that hunk', () => {
    for (const one of made) {
      expect(fingerprint(one.edited)).not.toBe(fingerprint(one.before));
      const delta = compareDiffs(one.before, one.edited);
      expect(delta.empty).toBe(false);
      const touched = delta.files.flatMap((file) => file.hunks).filter((hunk) => hunk.state !== 'unchanged');
      expect(touched.length).toBe(1);
    }
  });

  test('moves every anchor to the same text, where the change of today has it', () => {
    for (const one of made) {
      const rows = one.rebasedText.split('\n');
      for (const { place, text } of addedPlaces(one.before)) {
        const now = moveAnchor({ place, text, between: one.headToRebased, current: one.rebased });
        if (now.kind !== 'at') throw new Error(`lost ${place.line}: ${text}`);
        expect(rows[now.place.line - 1]).toBe(text);
        expect(anchor(one.rebased, now.place)).toMatchObject({
          kind: 'anchored',
          position: { end: { kind: 'added' } },
        });
      }
    }
  });

  test('commutes with a rename', () => {
    for (const one of made) {
      const delta = compareDiffs(one.before, one.renamedToo, one.headToRenamed);
      expect(delta.files.map((file) => [file.file.newPath, file.metadataChanged])).toEqual([['moved.js', true]]);
      expect(delta.files.flatMap((file) => file.hunks.map((hunk) => hunk.state))).not.toContain('new');
      expect(delta.gone).toEqual([]);
      for (const { place, text } of addedPlaces(one.before)) {
        const straight = moveAnchor({ place, text, between: one.headToRebased, current: one.rebased });
        const renamed = moveAnchor({ place, text, between: one.headToRenamed, current: one.renamedToo });
        expect(renamed).toEqual(
          straight.kind === 'gone' ? straight : { ...straight, place: { ...straight.place, path: 'moved.js' } },
        );
      }
    }
  });

  test('is a law about something: the samples have edits on both sides', () => {
    expect(made.filter((one) => one.sample.target.length > 0).length).toBeGreaterThan(SAMPLES / 3);
    for (const one of made) expect(addedPlaces(one.before).length).toBeGreaterThan(0);
  });
});
