import { expect, test } from 'vitest';
import { runBudgetMs } from '../../../services/reviewer/run-budget.ts';

const job = { budget: { maxTurns: 1, maxRuntimeS: 600 } };

test('an execution may take the time of its parts: the runner, commands, analyzers, sources and own rules', () => {
  const all = { validationS: 1_000, analyzers: { analysisS: 100 }, ruleSources: { loadS: 60 } };
  expect(runBudgetMs(job, all)).toBe((600 + 1_000 + 100 + 60 + 30 + 30 + 180) * 1000);
  expect(runBudgetMs(job, { validationS: 0 })).toBe((600 + 30 + 30 + 180) * 1000);
});
