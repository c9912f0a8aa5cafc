import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidenceHolds, prepareEvidence } from '../../../shared/text/normalise-evidence.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { propertyRuns } from '../../support/deep.ts';
import { CANARY } from './sanitize-fixture.ts';

const redact = createRedactor([CANARY]);
const FILE = `export function pay(amount) {\n\tif (amount > 0) {\r\n\t\treturn send(amount, '${CANARY}');\n\t}\n}\nconst x\u202e = 1;\n`;

describe('evidenceHolds', () => {
  it.each([
    ['exactly', '\tif (amount > 0) {', true],
    ['with other white space', 'if (amount > 0)   {\n  return send(amount,', true],
    ['with the secret redacted, as the reviewer saw it', "return send(amount, '[redacted]');", true],
    ['with the secret itself', `send(amount, '${CANARY}')`, true],
    ['with hidden characters as they were shown', 'const x[U+202E] = 1;', true],
    ['with hidden characters as they are', 'const x\u202e = 1;', true],
    ['not with another word', 'if (amount >= 0) {', false],
    ['not in another case', 'IF (AMOUNT > 0) {', false],
    ['not with blanks taken out of a word', 'exportfunction pay', false],
    ['not when empty', ' \n', false],
    ['not when it proves nothing', '}\n}', false],
    ['not when it is two letters', 'if', false],
    ['not when it is two letters with a blank between them', 't x', false],
  ])('judges a quotation %s', (_name, quotation, holds) => {
    expect(evidenceHolds(quotation, FILE, redact)).toBe(holds);
  });

  it('holds for every run of whole lines with a word in them', () => {
    const line = fc.stringMatching(/^[ \t]{0,3}[a-z(){};=]{0,12}$/);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat(), (lines, from, count) => {
        const start = from % lines.length;
        const quotation = lines.slice(start, start + 1 + (count % lines.length)).join('\n');
        fc.pre(/[a-z]/.test(quotation) && quotation.replace(/\s/g, '').length >= 3);
        expect(prepareEvidence(lines.join('\r\n'), redact)(quotation)).toBe(true);
      }),
      propertyRuns(200, 20_000),
    );
  });
});
