/** Who reviewed which lines, in totals and in words. */
import { expect, test } from 'vitest';
import { type FileReceipt, receiptLines, type SeenBy, totalsOf } from '../../../shared/vocabulary/receipts.ts';

const receipt = (path: string, language: string, seenBy: SeenBy, analyzers?: readonly string[]): FileReceipt => ({
  path,
  language,
  header: null,
  lines: [{ side: 'new', startLine: 1, line: 3, seenBy }],
  ...(analyzers === undefined ? {} : { analyzers: [...analyzers] }),
});

const RECEIPTS = [
  receipt('a.json', 'JSON', 'scan'),
  receipt('a.pl', 'Perl', 'scan', ['perlcritic']),
  receipt('b.pl', 'Perl', 'scan', ['perlcritic', 'spelling']),
  receipt('c.pl', 'Perl', 'scan'),
  receipt('d.pl', 'Perl', 'nobody', ['perlcritic']),
  receipt('a.fs', 'F#', 'scan', ['perlcritic']),
  receipt('a.js', 'JavaScript', 'rules', ['eslint']),
];

test('lines that only analyzers know are counted by analyzer, after those of the rules and before those of no reader', () => {
  expect(totalsOf(RECEIPTS)).toEqual([
    { seenBy: 'rules', language: 'JavaScript', files: 1, lines: 3 },
    { seenBy: 'scan', language: 'F#', files: 1, lines: 3, analyzers: ['perlcritic'] },
    { seenBy: 'scan', language: 'Perl', files: 1, lines: 3, analyzers: ['perlcritic'] },
    { seenBy: 'scan', language: 'Perl', files: 1, lines: 3, analyzers: ['perlcritic', 'spelling'] },
    { seenBy: 'scan', language: 'JSON', files: 1, lines: 3 },
    { seenBy: 'scan', language: 'Perl', files: 1, lines: 3 },
    { seenBy: 'nobody', language: 'Perl', files: 1, lines: 3 },
  ]);
});

test('the analyzers are named', () => {
  expect(receiptLines(totalsOf(RECEIPTS))).toEqual([
    'by the built-in rules: 3 lines of JavaScript in 1 file',
    'by the analyzer perlcritic: 3 lines of F# in 1 file, 3 lines of Perl in 1 file',
    'by the analyzers perlcritic and spelling: 3 lines of Perl in 1 file',
    'only searched for secrets: 3 lines of JSON in 1 file, 3 lines of Perl in 1 file',
    'not looked at: 3 lines of Perl in 1 file',
  ]);
});
