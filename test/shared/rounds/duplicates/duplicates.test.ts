import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROUNDS } from '../../../../services/cli/review/review-result.ts';
import { type Claim, isSameClaim, placesOverlap, similarity } from '../../../../shared/rounds/duplicates/duplicates.ts';
import { compareCode } from '../../../../shared/rounds/duplicates/duplicates-code.ts';
import { termsOf } from '../../../../shared/rounds/duplicates/duplicates-words.ts';
import type { Place } from '../../../../shared/vocabulary/finding.ts';
import { DEFAULT_THRESHOLD, scoresOf } from '../duplicate-scores.ts';
import { DIFFERENT, loadPairs, remembered, SAME } from '../labelled-pairs.ts';

const place = (patch: Partial<Place> = {}): Place => ({ path: 'a.ts', side: 'new', startLine: 10, line: 12, ...patch });
const claim = (title: string, body = '', at: Partial<Place> = {}): Claim => ({
  place: place(at),
  title,
  body,
  citedCode: 'save(order);',
});

describe('places', () => {
  it.each([
    [{}, true],
    [{ startLine: 15, line: 16 }, true],
    [{ startLine: 16, line: 16 }, false],
    [{ startLine: 2, line: 7 }, true],
    [{ startLine: 2, line: 6 }, false],
    [{ path: 'b.ts' }, false],
    [{ side: 'old' as const }, false],
  ])('overlap with %j: %s', (other, expected) => {
    expect(placesOverlap(place(), place(other))).toBe(expected);
    expect(placesOverlap(place(other), place())).toBe(expected);
  });
});

describe('quotations', () => {
  it.each([
    ['save(order);', 'await  save( order )', 'same'],
    ['const rows = db.query(text, values)', 'db.query(text', 'same'],
    ['{', '{', 'same'],
    ['{', 'save(order)', 'unknown'],
    ['', 'save(order)', 'unknown'],
    ['', '', 'unknown'],
    ['check(form.email, "email")', 'check(form.phone, "phone")', 'akin'],
    ['save(order);', 'load(cart);', 'other'],
  ] as const)('%j and %j are %s', (one, other, expected) => {
    expect(compareCode(one, other)).toBe(expected);
    expect(compareCode(other, one)).toBe(expected);
  });
});

describe('words', () => {
  it.each([
    ['null', 'NPE', 'None', 'nil', 'undefined', 'NullPointerException', 'Nullzeiger'],
    ['awaited', 'awaiting', 'await', 'promise', 'asynchronous'],
    ['leak', 'leaks', 'fuite', 'fuga', 'unclosed'],
    ['password', 'Passwort', 'mot de passe', 'contraseña', 'senha'],
    ['N+1', 'n + 1', 'a query for each'],
  ])('%s and its like are one term', (first, ...others) => {
    const [term] = termsOf(first).weights.keys();
    for (const other of others) expect([other, termsOf(other).weights.has(term ?? '')]).toEqual([other, true]);
  });

  it.each([
    ['The result is not checked', 'en'],
    ['Das Ergebnis wird nicht geprüft', 'de'],
    ["Le résultat n'est pas vérifié par la fonction", 'fr'],
    ['El resultado no se comprueba y la función sigue', 'es'],
    ['O resultado não é verificado e a função segue', 'pt'],
    ['Missing await', null],
  ])('of %j betray the language %s', (text, language) => {
    expect(termsOf(text).language).toBe(language);
  });
});

describe('claims', () => {
  it.each([
    ['Missing await on save', 'save is not awaited', true],
    ['The returned promise is ignored', 'The returned promise gets ignored', true],
    ['Missing await on save', 'Password is written to the log', false],
    ['SQL built from user input', 'Unused variable total', false],
    ['Possible NPE', 'Null dereference', true],
  ])('%j and %j are the same: %s', (one, other, expected) => {
    expect(isSameClaim(claim(one), claim(other), DEFAULT_THRESHOLD)).toBe(expected);
  });

  it('are never the same in different places', () => {
    const far = claim('Missing await', '', { startLine: 90, line: 90 });
    expect(isSameClaim(claim('Missing await'), far, DEFAULT_THRESHOLD)).toBe(false);
  });

  it('may lie five lines apart about the same code, three about code that nobody quoted', () => {
    const apart = (lines: number, citedCode: string): boolean =>
      isSameClaim(
        { ...claim('Missing await on save'), citedCode },
        { ...claim('Missing await on save', '', { startLine: 12 + lines, line: 12 + lines }), citedCode },
        DEFAULT_THRESHOLD,
      );
    expect([3, 5, 6].map((lines) => [apart(lines, 'save(order);'), apart(lines, '')])).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
  });

  it('are two where the same is said of the next line', () => {
    const next = {
      ...claim('Email is only checked for presence', '', { startLine: 13, line: 13 }),
      citedCode: 'need(b)',
    };
    const first = { ...claim('Email is only checked for presence'), citedCode: 'need(a)' };
    expect(isSameClaim(first, next, DEFAULT_THRESHOLD)).toBe(false);
  });

  it('are compared by their beginnings: what stands far behind changes nothing', () => {
    const long = (end: string): Claim => claim('Missing await', `${'word '.repeat(600)}${end}`);
    expect(similarity(long('password'), claim('Other'))).toBe(similarity(long('overflow'), claim('Other')));
  });
});

const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const anyClaim: fc.Arbitrary<Claim> = fc.record({
  place: fc.constant(place()),
  title: text,
  body: text,
  citedCode: text,
});
const runs = { seed: 7, numRuns: process.env['FIXPOINT_DEEP'] === '1' ? 20_000 : 300 };

describe('likeness, for any two claims', () => {
  it('is the same from both sides, and between 0 and 1', () => {
    fc.assert(
      fc.property(anyClaim, anyClaim, (one, other) => {
        const likeness = similarity(one, other);
        return likeness >= 0 && likeness <= 1 && Math.abs(likeness - similarity(other, one)) < 1e-9;
      }),
      runs,
    );
  });

  it('of a claim with itself is over the threshold', () => {
    fc.assert(
      fc.property(anyClaim, (one) => isSameClaim(one, { ...one }, DEFAULT_THRESHOLD)),
      runs,
    );
  });
});

const pairs = loadPairs();
const ofHalf = (half: 'tune' | 'held out') => pairs.filter((pair) => pair.half === half);

/** A little below what is measured, so that a change for the worse shows. The README of the folder has the numbers. */
const FLOORS = [
  { half: 'tune', precision: 0.945, recall: 0.88, remembered: { precision: 0.91, recall: 0.76 } },
  { half: 'held out', precision: 0.95, recall: 0.9, remembered: { precision: 0.93, recall: 0.77 } },
] as const;

describe('the labelled pairs', () => {
  it('are many, of every kind, and each has an id of its own', () => {
    expect(pairs.length).toBeGreaterThanOrEqual(400);
    expect(new Set(pairs.map(({ id }) => id)).size).toBe(pairs.length);
    expect(new Set(pairs.map(({ known }) => `${known.title} ${known.body}`)).size).toBeGreaterThanOrEqual(150);
    for (const category of [...SAME, ...DIFFERENT]) {
      expect(pairs.filter((pair) => pair.category === category).length).toBeGreaterThanOrEqual(50);
    }
  });

  it.each(FLOORS)('of the $half half are told apart with precision and recall', (floor) => {
    const measured = scoresOf(ofHalf(floor.half), { threshold: DEFAULT_THRESHOLD });
    expect(measured.precision).toBeGreaterThanOrEqual(floor.precision);
    expect(measured.recall).toBeGreaterThanOrEqual(floor.recall);
  });

  it.each(FLOORS)('of the $half half are told apart with less when only the title is remembered', (floor) => {
    const measured = scoresOf(ofHalf(floor.half), { threshold: DEFAULT_THRESHOLD, known: remembered });
    expect(measured.precision).toBeGreaterThanOrEqual(floor.remembered.precision);
    expect(measured.recall).toBeGreaterThanOrEqual(floor.remembered.recall);
  });

  it('are judged on the command line with the threshold of the server', () => {
    expect(ROUNDS.duplicateThreshold).toBe(DEFAULT_THRESHOLD);
  });
});
