import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLooseJson, repairJson } from '../../../../shared/agent/submission/loose-json.ts';
import { propertyRuns } from '../../../support/deep.ts';

const review = { summary: 'S', findings: [] };
const json = JSON.stringify(review);

describe('loose JSON', () => {
  it.each([
    ['plain', json, true, review],
    ['in blanks', `\n  ${json}\n`, true, review],
    ['in a fence', `\`\`\`json\n${json}\n\`\`\``, true, review],
    ['in a fence without a language', `\`\`\`\n${json}\n\`\`\``, true, review],
    ['with trailing commas', '{"a": [1, 2,], "b": {"c": 1,},}', true, { a: [1, 2], b: { c: 1 } }],
    ['with a raw line break in a string', '{"a": "one\ntwo\tthree"}', true, { a: 'one\ntwo\tthree' }],
    ['with quotation marks in a string', '{"a": "use "b" here", "c": 1}', true, { a: 'use "b" here', c: 1 }],
    ['with braces in a string', '{"a": "if (x) { y }", "b": "}"}', true, { a: 'if (x) { y }', b: '}' }],
    ['with prose before it', `Here it is: ${json}`, false, review],
    ['with prose around it', `Sure!\n\`\`\`json\n${json}\n\`\`\`\nHope that helps {really}.`, false, review],
    ['the last of several', `{"a": 1} or rather {"a": 2}`, false, { a: 2 }],
    ['behind an open brace in prose', `Think { about it. ${json}`, false, review],
    ['a comma in a string before a bracket', '{"a": "x,]", "b": ["y,",]}', true, { a: 'x,]', b: ['y,'] }],
  ])('is read %s', (_name, text, whole, value) => {
    expect(parseLooseJson(text)).toEqual({ kind: 'parsed', whole, value });
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n'],
    ['prose', 'LGTM'],
    ['an object that is cut', '{"summary": "S", "findings": ['],
    ['too much', `{"a": "${'x'.repeat(400_001)}"}`],
  ])('is not made out of %s', (_name, text) => {
    expect(parseLooseJson(text)).toEqual({ kind: 'unreadable' });
  });

  it('reads every JSON value as itself, and repairing changes no meaning', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseLooseJson(text)).toEqual({ kind: 'parsed', whole: true, value: JSON.parse(text) });
      }),
      propertyRuns(200, 10_000),
    );
  });

  it('finds an object in any prose without braces', () => {
    const prose = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '.', '`') });
    fc.assert(
      fc.property(prose, fc.dictionary(fc.string(), fc.string()), prose, (before, value, after) => {
        const parsed = parseLooseJson(`x${before}${JSON.stringify(value)}${after}`);
        expect(parsed).toMatchObject({ kind: 'parsed', whole: false });
        expect(JSON.stringify(parsed.kind === 'parsed' ? parsed.value : null)).toBe(JSON.stringify(value));
      }),
      propertyRuns(200, 10_000),
    );
  });

  it('ends on the worst texts', () => {
    for (const text of [
      '{'.repeat(400_000),
      '"'.repeat(400_000),
      '{"'.repeat(200_000),
      `{${','.repeat(300_000)}}`,
      '\\'.repeat(400_000),
    ]) {
      parseLooseJson(text);
    }
    expect(repairJson('\\')).toBe('\\');
  });
});
