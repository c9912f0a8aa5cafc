import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeFence, inlineCode, languageTag } from '../../../shared/text/code-fence.ts';
import { propertyRuns } from '../../support/deep.ts';

describe('codeFence', () => {
  it('is longer than every run of backticks inside', () => {
    expect(codeFence('a', 'ts')).toBe('```ts\na\n```');
    expect(codeFence('```\n`````\n', 'x')).toBe('``````\n```\n`````\n\n``````');
  });

  it('cannot be closed by what it holds', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '```', '~~~', '\n', 'a')), (pieces) => {
        const [open = '', ...rest] = codeFence(pieces.join('')).split('\n');
        expect(rest.findIndex((line) => line.trimStart().startsWith(open))).toBe(rest.length - 1);
      }),
      propertyRuns(500, 20_000),
    );
  });
});

describe('languageTag', () => {
  it.each([
    ['ts', 'ts'],
    [' Python title="x" ', 'python'],
    ['mermaid', ''],
    ['suggestion:-0+1', ''],
    ['json:table', ''],
    ['js{x}', ''],
    ['constructor', ''],
    ['', ''],
  ])('makes of %j the tag %j', (info, tag) => {
    expect(languageTag(info)).toBe(tag);
  });
});

describe('inlineCode', () => {
  it.each([
    ['a', '`a`'],
    ['a`b``c', '```a`b``c```'],
    ['`', '`` ` ``'],
    ['`a', '`` `a ``'],
    ['a`', '`` a` ``'],
    ['a\n  b', '`a b`'],
    ['', '` `'],
  ])('writes %j as %j', (text, code) => {
    expect(inlineCode(text)).toBe(code);
  });
});
