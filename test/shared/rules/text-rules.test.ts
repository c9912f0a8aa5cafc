import { describe, expect, it } from 'vitest';
import { scanText, TEXT_RULES } from '../../../shared/rules/text-rules.ts';

describe('text rules on their own examples', () => {
  it.each(TEXT_RULES.map((rule) => [rule.id, rule] as const))('%s fires where its examples say', (_, rule) => {
    const found = rule.examples.map(({ code, path = 'src/code.ts' }) => {
      const hits = scanText([{ path, text: code }], [rule]);
      const mild = hits.filter((hit) => hit.rule.severity !== rule.severity);
      return { lines: hits.map(({ startLine }) => startLine), mild: mild.map(({ startLine }) => startLine) };
    });
    expect(found).toEqual(rule.examples.map(({ lines, mild = [] }) => ({ lines, mild })));
  });

  it.each(TEXT_RULES.map((rule) => [rule.id, rule] as const))(
    '%s explains itself and has examples for both sides',
    (_, rule) => {
      expect(rule.explanation.length).toBeGreaterThan(40);
      expect(rule.examples.some(({ lines }) => lines.length > 0)).toBe(true);
      expect(rule.examples.some(({ lines }) => lines.length === 0)).toBe(true);
    },
  );
});

describe('text-merge-conflict', () => {
  const [rule] = TEXT_RULES;
  const open = `${'<'.repeat(7)} HEAD`;
  const divide = '='.repeat(7);
  const close = `${'>'.repeat(7)} topic`;
  const base = `${'|'.repeat(7)} base`;
  const find = (lines: readonly string[], ending = '\n'): readonly (readonly number[])[] =>
    scanText([{ path: 'a.py', text: lines.join(ending) }], rule === undefined ? [] : [rule]).map(
      ({ startLine, endLine }) => [startLine, endLine],
    );

  it('spans the whole conflict, with CRLF and without a final newline too', () => {
    expect(find([open, 'a', divide, 'b', close], '\r\n')).toEqual([[1, 5]]);
  });

  it('knows the form with a base and finds each of several', () => {
    expect(find([open, 'a', base, 'o', divide, 'b', close, 'x', open, divide, close])).toEqual([
      [1, 7],
      [9, 11],
    ]);
  });

  it('wants all three markers in their order', () => {
    expect(find([open, 'a', 'b'])).toEqual([]);
    expect(find([divide, open, close])).toEqual([]);
    expect(find([close, divide, open])).toEqual([]);
  });
});
