import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printJson } from '../../../../services/cli/terminal/print-json.ts';
import { propertyRuns } from '../../../support/deep.ts';

test('reads back as what was printed and holds nothing that drives a terminal', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
      const value: unknown = JSON.parse(json);
      const printed = printJson({ value, odd: '\u009b31m\u202e\u2028\u{e0041}\u007f' });
      expect(JSON.parse(printed).value).toEqual(value);
      expect(printed).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
    propertyRuns(200, 20_000),
  );
});
