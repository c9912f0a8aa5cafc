import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { runRules } from '../rules/run-rules.ts';
import type { Runner } from '../run/runner.ts';

export const RULES_RUNNER = 'rules';

export const createRulesRunner = (): Runner => ({
  name: RULES_RUNNER,
  run: async ({ packet }, signal) => {
    const startedAt = performance.now();
    const review = await runRules(packet, signal);
    const spent = { ...NOTHING_SPENT, turns: 1, wallMs: Math.round(performance.now() - startedAt) };
    const { findings, answers, fixed, silent, omitted, summary } = review;
    return {
      kind: 'draft',
      draft: {
        summary,
        findings,
        answers,
        fixed,
        silent,
        omitted,
        looked: { rules: review, model: null },
        spent,
        exceeded: null,
      },
    };
  },
});
