import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SECRET_RULES } from '../../../shared/rules/secrets/secret-patterns.ts';
import { STRUCTURAL_RULES } from '../../../shared/rules/structural/catalogue.ts';
import { TEXT_RULES } from '../../../shared/rules/text-rules.ts';
import { ruleTable } from './rule-table.ts';

it('lists every rule in the README as it is', () => {
  const readme = readFileSync(new URL('../../../shared/rules/README.md', import.meta.url), 'utf8');
  const table = readme.slice(readme.indexOf('| rule |')).trimEnd();
  expect(table).toBe(ruleTable([...STRUCTURAL_RULES, ...TEXT_RULES, ...SECRET_RULES]));
});

it('calls only leaked secrets and merge conflicts P0', () => {
  const rules = [...STRUCTURAL_RULES, ...TEXT_RULES, ...SECRET_RULES];
  const worst = rules.filter(({ severity }) => severity === 'P0').map(({ id }) => id);
  expect(worst.filter((id) => !id.startsWith('secret-'))).toEqual(['text-merge-conflict']);
});
