import { expect, it } from 'vitest';
import { type When, whenItRuns } from './when-it-runs.ts';

const DEEP_GROUP = ["describe.runIf(DEEP)('a group', () => {", "  it('named', () => {});", '});'];
const AFTER_IT = [...DEEP_GROUP, '', "describe('another', () => {", "  it('sought', () => {});", '});'];
const SPLIT = ['test.runIf(DEEP)(', "  'sought',", '  () => {},', ');'];
const HEADS = ['test.runIf(DEEP).each([', '  1,', '  2,', "])('sought', () => {});"];
const HEADED_GROUP = ['describe.runIf(DEEP).each([', '  1,', "])('a group', () => {", "  it('sought', f);", '});'];
const TABLE = ['const CASES = [', "  ['sought', 1],", '];', ''];
const CIRCLE = ['const ONE = [', "  ['sought', TWO],", '];', 'const TWO = [', '  ONE,', '];'];
const OF_TABLE = ['const MORE = CASES.map(([name]) => name);', ''];

it.each<[name: string, lines: readonly string[], when: When]>([
  ['without a condition', ["it('sought', () => {});"], 'always'],
  ['with a condition of its own', ["it.runIf(process.env['FIXPOINT_DEEP'] === '1')('sought', () => {});"], 'deep'],
  ['whose name stands below its condition', SPLIT, 'deep'],
  ['whose condition stands before its cases', HEADS, 'deep'],
  ['behind a deep group', AFTER_IT, 'always'],
  ['in a deep group', DEEP_GROUP.map((line) => line.replace('named', 'sought')), 'deep'],
  ['in a deep group whose cases stand before', HEADED_GROUP, 'deep'],
  ['that wants a cage', ["it.skipIf(cage === null)('sought', () => {});"], 'always'],
  ['that wants to be root', ["it.skipIf(process.getuid?.() !== 0)('sought', () => {});"], 'always'],
  ['that wants data', ["it.skipIf(folder === null).each(CASES)('sought', () => {});"], 'sometimes'],
  ['that wants a file', ["it.skipIf(!existsSync('/usr/bin/x'))('sought', () => {});"], 'sometimes'],
  ['in a table for a deep test', [...TABLE, "test.runIf(DEEP).each(CASES)('%s', () => {});"], 'deep'],
  ['in a table for both', [...TABLE, "test.runIf(DEEP).each(CASES)('a', f);", "test.each(CASES)('b', f);"], 'always'],
  ['in a table of a table', [...TABLE, ...OF_TABLE, "test.runIf(DEEP).each(MORE)('%s', () => {});"], 'deep'],
  ['in a table that others import', TABLE, 'always'],
  ['in tables that use each other', CIRCLE, 'always'],
])('a test %s is found to run so', (_name, lines, when) => {
  const at = lines.findIndex((line) => line.includes('sought'));
  expect(whenItRuns(lines, at)).toBe(when);
});
