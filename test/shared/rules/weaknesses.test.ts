/** The weaknesses of the built-in rules. */
import { expect, test } from 'vitest';
import { SECRET_RULES } from '../../../shared/rules/secrets/secret-patterns.ts';
import { STRUCTURAL_RULES } from '../../../shared/rules/structural/catalogue.ts';
import { TEXT_RULES } from '../../../shared/rules/text-rules.ts';
import { OF_RULE, weaknessesOf } from '../../../shared/rules/weaknesses.ts';

test('only rules that exist have weaknesses', () => {
  const ids = new Set<string>([...STRUCTURAL_RULES, ...TEXT_RULES].map(({ id }) => id));
  expect([...OF_RULE.keys()].filter((id) => !ids.has(id))).toEqual([]);
});

test('the weaknesses that an analyzer names count, otherwise those of the built-in rule', () => {
  const rule = { severity: 'P1', blocking: false, title: '', explanation: '' } as const;
  expect(weaknessesOf({ rule: { ...rule, id: 'js-eval' } })).toEqual([94, 95]);
  expect(weaknessesOf({ rule: { ...rule, id: 'eslint/x' }, cwes: [79] })).toEqual([79]);
  expect(weaknessesOf({ rule: { ...rule, id: 'eslint/x' } })).toEqual([]);
  for (const { id } of SECRET_RULES) expect(weaknessesOf({ rule: { ...rule, id } })).toContain(798);
});
