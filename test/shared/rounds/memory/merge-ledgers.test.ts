import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEDGER_MAX_BYTES, ledgerTitle, mergeLedgers } from '../../../../shared/rounds/memory/merge-ledgers.ts';
import { LedgerEntry } from '../../../../shared/rounds/model/marker-payload.ts';
import { propertyRuns } from '../../../support/deep.ts';
import { entry } from '../../text/marker-fixture.ts';

const anyEntry: fc.Arbitrary<LedgerEntry> = fc.record<LedgerEntry>({
  id: fc.constantFrom('F-001', 'F-002', 'F-1000'),
  fp: fc.constantFrom('aa'.repeat(4), 'bb'.repeat(4)),
  severity: fc.constantFrom('P0', 'P1', 'P2', 'P3'),
  blocking: fc.boolean(),
  state: fc.constantFrom('open', 'resolved', 'vetoed', 'escalated'),
  count: fc.nat({ max: 3 }),
  stance: fc.constantFrom('seeks_change', 'accepts'),
  review: fc.nat({ max: 3 }),
  path: fc.constantFrom('a.ts', 'b.ts'),
  side: fc.constantFrom('new', 'old'),
  line: fc.integer({ min: 1, max: 3 }),
  rule: fc.constantFrom(null, 'focused-test', 'conflict-marker'),
  title: fc.constantFrom('one', 'two'),
  alsoRules: fc.constantFrom(undefined, ['scan/x'], ['a/1', 'a/3', 'a/5', 'a/7'], ['a/2', 'a/4', 'a/6']),
});
const anyLedger = fc.array(anyEntry, { maxLength: 6 });
const runs = propertyRuns(200, 20_000);

describe('mergeLedgers', () => {
  it.each([
    ['a settled state over an open one', { state: 'vetoed' }, { state: 'open' }, { state: 'vetoed' }],
    ['a resolved state over a settled one', { state: 'escalated' }, { state: 'resolved' }, { state: 'resolved' }],
    [
      'the larger count with its stance',
      { count: 2, stance: 'accepts' },
      { count: 1 },
      { count: 2, stance: 'accepts' },
    ],
    ['the doubting stance at equal counts', { stance: 'accepts' }, {}, { stance: 'seeks_change' }],
    ['the higher severity', { severity: 'P2' }, { severity: 'P0' }, { severity: 'P0' }],
    ['what blocks', { blocking: true }, { blocking: false }, { blocking: true }],
    [
      'all rules that report the same',
      { alsoRules: ['scan/x'] },
      { alsoRules: ['lint/y', 'scan/x'] },
      { alsoRules: ['lint/y', 'scan/x'] },
    ],
    [
      'the rules that report the same, if only one knows them',
      { alsoRules: ['scan/x'] },
      {},
      { alsoRules: ['scan/x'] },
    ],
    ['what the settings require', { required: true }, {}, { required: true }],
    ['no trace of what neither knows', {}, {}, {}],
    [
      'that it is open again, from the later round',
      { review: 2, again: true },
      { review: 1 },
      { review: 2, again: true },
    ],
    ['the place of the later round', { review: 2, line: 9 }, { review: 1, line: 30 }, { review: 2, line: 9 }],
  ] as const)('keeps %s', (_name, a, b, expected) => {
    expect(mergeLedgers([entry(a)], [entry(b)])).toEqual({ kind: 'merged', entries: [entry(expected)] });
    expect(mergeLedgers([entry(b)], [entry(a)])).toEqual({ kind: 'merged', entries: [entry(expected)] });
  });

  it('never lets a resolved finding close the same claim raised again, nor a number given out twice', () => {
    const resolved = entry({ state: 'resolved' });
    const again = entry({ id: 'F-002', severity: 'P0', blocking: true });
    const sameNumber = entry({ fp: 'ee'.repeat(16) });
    expect(mergeLedgers([resolved], [again, sameNumber]).entries).toEqual([resolved, sameNumber, again]);
  });

  it('gains nothing from an older ledger, and does not care about order or repetition', () => {
    fc.assert(
      fc.property(anyLedger, anyLedger, anyLedger, (a, b, c) => {
        const whole = mergeLedgers(a, b, c);
        expect(mergeLedgers(c, a, b)).toEqual(whole);
        expect(mergeLedgers(mergeLedgers(a, b).entries, c)).toEqual(whole);
        expect(mergeLedgers(whole.entries, a)).toEqual(whole);
      }),
      runs,
    );
  });

  it('says full above 200 findings, and keeps them all', () => {
    const many = (count: number): LedgerEntry[] =>
      Array.from({ length: count }, (_, index) => entry({ id: `F-${String(index + 1).padStart(3, '0')}`, title: 't' }));
    expect(mergeLedgers(many(200)).kind).toBe('merged');
    expect(mergeLedgers(many(201))).toMatchObject({ kind: 'full', findings: 201 });
    expect(mergeLedgers(many(201)).entries).toHaveLength(201);
  });

  it('says full above 48 KiB, counted in bytes', () => {
    const long = (count: number): LedgerEntry[] =>
      Array.from({ length: count }, (_, index) => entry({ id: `F-${100 + index}`, path: 'ü'.repeat(1_000) }));
    expect(mergeLedgers(long(20)).kind).toBe('merged');
    const full = mergeLedgers(long(24));
    expect(full.kind).toBe('full');
    expect(full.kind === 'full' && full.bytes > LEDGER_MAX_BYTES).toBe(true);
  });
});

describe('ledgerTitle', () => {
  it('cuts to what the schema takes, between characters', () => {
    expect(ledgerTitle('short')).toBe('short');
    expect(ledgerTitle(`${'x'.repeat(78)}😀tail`)).toBe(`${'x'.repeat(78)}…`);
    expect(LedgerEntry.safeParse(entry({ title: ledgerTitle('y'.repeat(500)) })).success).toBe(true);
  });
});
