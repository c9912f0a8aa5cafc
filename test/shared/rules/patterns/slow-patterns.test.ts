import { expect, test } from 'vitest';
import { RulesEngineFailedError } from '../../../../shared/rules/model/errors.ts';
import { createSlowPatterns } from '../../../../shared/rules/patterns/slow-patterns.ts';

const LINES = ['const a = /^b$/, c = /\\s+$/;', 'use(text);'];
const USE = { lines: LINES, line: 2, language: 'JavaScript' } as const;

test('looks up a name, and asks where the text comes from', () => {
  const isSlow = createSlowPatterns(LINES.join('\n'), new Map());
  const answers = ['/\\s+$/', '/^b$/', 'a', 'c', 'x ? a : c', 'd'].map((pattern) =>
    isSlow({ pattern, text: 't' }, USE),
  );
  expect(answers).toEqual([true, false, false, true, true, false]);
  expect(isSlow({ pattern: 'c', text: "'a'" }, USE)).toBe(false);
});

test('a name that stands for another one, or for a choice, is followed once', () => {
  const lines = [...LINES.slice(0, 1), 'const d = loose ? c : a;', 'const e = d;', 'const f = a;', 'use(text);'];
  const isSlow = createSlowPatterns(lines.join('\n'), new Map());
  const use = { ...USE, lines, line: 5 };
  expect(['d', 'e', 'f'].map((pattern) => isSlow({ pattern, text: 't' }, use))).toEqual([true, false, false]);
});

test('follows a pattern into a function, out of a table and through a list', () => {
  const lines = [
    'const make = (pattern) => (text) =>',
    '  pattern.exec(text);',
    'make(c); make(/^d$/);',
    'const keep = (other) => other.exec(text);',
    'keep(/^d$/);',
    'const forms = { e: /^e$/, f: /\\s+$/ };',
    'const few = [/^g$/];',
    'for (const form of forms)',
    '  form.test(text);',
    LINES[0] ?? '',
    'function findIn(rules, name) {',
    '  return rules[name].test(text);',
    '}',
    'findIn(lib.forms, given);',
  ];
  const isSlow = createSlowPatterns(lines.join('\n'), new Map());
  const ask = (pattern: string, line: number): boolean => isSlow({ pattern, text: 't' }, { ...USE, lines, line });
  expect([ask('pattern', 2), ask('other', 4)]).toEqual([true, false]);
  expect([ask('forms[name]', 9), ask('few[0]', 9), ask('form', 9)]).toEqual([true, false, true]);
  expect([ask('rules[name]', 12), ask('rules[name]', 9)]).toEqual([true, false]);
});

test('analyses a pattern once', () => {
  const known = new Map<string, boolean>();
  createSlowPatterns('', known)({ pattern: '/\\s+$/', text: 't' }, USE);
  expect([...known]).toEqual([['/\\s+$/', true]]);
  known.set('/\\s+$/', false);
  expect(createSlowPatterns('', known)({ pattern: '/\\s+$/', text: 't' }, USE)).toBe(false);
});

test('gives a file up if its patterns would take too long', () => {
  const isSlow = createSlowPatterns('', new Map());
  const askAll = (count: number): void => {
    for (let index = 0; index < count; index += 1) isSlow({ pattern: `/a${index}/`, text: 't' }, USE);
  };
  askAll(400);
  askAll(400);
  expect(() => askAll(401)).toThrow(RulesEngineFailedError);
});
