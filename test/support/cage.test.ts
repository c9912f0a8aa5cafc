import { expect, test } from 'vitest';
import { findTestCage } from './cage.ts';

const NOTHING_INSTALLED = { PATH: '/nowhere' };

test('a missing cage skips what needs one, and says why', async () => {
  const { cage, why, dispose } = await findTestCage(NOTHING_INSTALLED);
  dispose();
  expect({ cage, why }).toEqual({ cage: null, why: expect.stringMatching(/^ \(skipped: .+\)$/) });
});

test('a missing cage fails where there must be one, with the reason', async () => {
  const found = findTestCage({ ...NOTHING_INSTALLED, FIXPOINT_TESTS_NEED_CAGE: '1' });
  await expect(found).rejects.toThrow(/FIXPOINT_TESTS_NEED_CAGE=1 asks for one: .+/);
});

test('F-T22: a broken cage fails where bubblewrap works, without any variable', async () => {
  const broken = async () => ({ kind: 'none' as const, reasons: ['a program has variables of the service'] });
  await expect(findTestCage({ PATH: process.env['PATH'] }, broken, () => true)).rejects.toThrow(
    'there is no cage, and bubblewrap works on this machine: a program has variables of the service',
  );
});
