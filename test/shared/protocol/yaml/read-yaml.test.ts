import { expect, test } from 'vitest';
import { readYaml } from '../../../../shared/protocol/yaml/read-yaml.ts';

const read = (text: string) => readYaml({ text, textKeys: new Set(['sha']) });

const messageOf = (text: string): string => {
  const reading = read(text);
  return reading.kind === 'refused' ? (reading.problems[0]?.message ?? '') : 'read';
};

test.each([
  ['an alias', 'a: &x 1\nb: *x', 'is an alias; aliases are not allowed'],
  ['a key that stands there twice', 'a: 1\na: 2', 'duplicate key'],
  ['a repeated key further in', 'a:\n  b: 1\n  b: 2', 'duplicate key'],
  ['a tag', 'a: !!js/function "x"', 'is not plain YAML (tag resolve failed)'],
  ['a known tag', 'a: !!str 1', 'has a tag; expected a plain value'],
  ['a directive', '%YAML 1.1\n---\na: yes', 'has directives; expected YAML without directives'],
  ['a second document', 'a: 1\n---\nb: 1', 'is not plain YAML (multiple docs)'],
  ['a key that is no text', '1: a', 'has a key that is not a string'],
  ['a key that is a list', '? [a]\n: 1', 'has a key that is not a string'],
  ['an unfinished list', 'a: [1', 'is not plain YAML (bad indent)'],
])('refuses %s', (_what, text, message) => {
  expect(messageOf(text)).toBe(message);
});

test.each([
  ['brackets', '['.repeat(100_000)],
  ['closed brackets', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['braces', '{a: '.repeat(100_000)],
  ['dashes', '- '.repeat(100_000)],
  ['question marks', '? '.repeat(100_000)],
  ['indented keys', Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ['commas', `[${','.repeat(400_000)}`],
  ['keys', Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join('\n')],
  ['items', '- a\n'.repeat(200_000)],
  ['anchors', '- &a x\n'.repeat(100_000)],
  ['comments', '#\n'.repeat(400_000)],
  ['bytes', `a: "${'b'.repeat(1_048_576)}"`],
])('refuses too many %s without reading on', (_what, text) => {
  expect(messageOf(text)).toMatch(/nested too deeply|too many parts|larger than 1 MiB/);
});

test('reads a packet of 500 findings', () => {
  const finding =
    '- id: F-001\n  severity: P1\n  blocking: true\n  status: open\n  area: code\n  file: a.ts\n  line: 3\n';
  const rest = '  repro: |\n    a\n    b\n  expected: ""\n  evidence: "x"\n  recommendation: y\n';
  expect(messageOf((finding + rest).repeat(500))).toBe('read');
});

test('a number is a text only under the keys that say so, and only when it is plain', () => {
  const reading = read('sha: 007\nother: 007\nlist: [7]\ninner: {sha: 1e3}');
  expect(reading).toMatchObject({ value: { sha: '007', other: 7, list: [7], inner: { sha: '1e3' } } });
});

test('a key named __proto__ is a key like any other', () => {
  const reading = read('__proto__: {polluted: true}');
  const value = reading.kind === 'read' ? reading.value : null;
  expect(Object.keys(value ?? {})).toEqual(['__proto__']);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});
