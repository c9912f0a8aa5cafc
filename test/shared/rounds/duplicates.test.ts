import { describe, expect, it } from 'vitest';
import { type Claim, isSameClaim, placesOverlap } from '../../../shared/rounds/duplicates.ts';
import type { Place } from '../../../shared/rounds/vocabulary.ts';

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

describe('claims', () => {
  it.each([
    ['Missing await on save', 'save is not awaited', true],
    ['The returned promise is ignored', 'The returned promise gets ignored', true],
    ['Missing await on save', 'Password is written to the log', false],
    ['SQL built from user input', 'Unused variable total', false],
  ])('%j and %j are the same: %s', (one, other, expected) => {
    expect(isSameClaim(claim(one), claim(other), 0.6)).toBe(expected);
  });

  it('are never the same in different places', () => {
    expect(isSameClaim(claim('Missing await'), claim('Missing await', '', { startLine: 90, line: 90 }), 0.6)).toBe(
      false,
    );
  });
});
