import { describe, expect, it, test } from 'vitest';
import { analysisCost, takesQuadraticTime } from '../../../../shared/rules/patterns/takes-quadratic-time.ts';

const slow: readonly RegExp[] = [
  /\s+$/,
  /^\s+|\s+$/g,
  / *, */,
  /^\S+@\S+$/,
  /^.+@.+\..+$/,
  /\d*\d*x/,
  /&([^;]+);/g,
  /^data:(?<type>.*?),(?<data>.*?)(?:#(?<hash>.*))?$/,
  /[\p{L}\d]+!/u,
];
const fast: readonly RegExp[] = [
  /\s+/g,
  /^\s+/,
  /^[a-z]+-\d+$/,
  /\s{0,20}$/,
  /\d+$/y,
  /^(?:[a-z]+-)*[a-z]+$/,
  /[A-Z]{2}/,
  /<[^<>]{1,200}>/g,
];

test.each(slow)('%s can take quadratic time', ({ source, flags }) => {
  expect(takesQuadraticTime(source, flags)).toBe(true);
});

test.each(fast)('%s takes linear time', ({ source, flags }) => {
  expect(takesQuadraticTime(source, flags)).toBe(false);
});

test('a text that is no pattern takes no time', () => {
  expect(['(', '[b-a]', 'a{2,1}'].map((source) => takesQuadraticTime(source, ''))).toEqual([false, false, false]);
  expect(takesQuadraticTime('a+$', 'zz')).toBe(false);
});

describe('a pattern made to keep the analysis busy', () => {
  it.each([
    ['many repetitions', '[\\w\\s]*'.repeat(60)],
    ['many bounded repetitions', '(?:a?b{1,9})'.repeat(100)],
    ['a long pattern', 'a'.repeat(501)],
    ['many classes of Unicode', '[\\p{L}\\p{N}]*'.repeat(4)],
    ['nested repetitions', `${'(?:'.repeat(60)}a+${'+)+'.repeat(60)}`],
  ])('is not analysed: %s', (_, source) => {
    expect(analysisCost(source, '')).toBeNull();
    expect(takesQuadraticTime(source, '')).toBe(false);
  });

  it('costs more with more repetitions', () => {
    const costs = ['a+', 'a*b*c*d*', 'a*b*c*d*e*f*g*', '\\p{L}+'].map((source) => analysisCost(source, ''));
    expect(costs).toEqual([10, 16, 49, 49]);
    expect(analysisCost('\\p{L}+', 'iu')).toBe(169);
    expect(analysisCost('[+*?]a\\+\\*\\{2,}', '')).toBe(10);
  });
});
