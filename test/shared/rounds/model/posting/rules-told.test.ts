import { describe, expect, it } from 'vitest';
import { inOneComment } from '../../../../../shared/rounds/plan/in-one-comment.ts';
import { buildGiveUpPlan } from '../../../../../shared/rounds/plan/give-up-plan.ts';
import { buildParkedPlan } from '../../../../../shared/rounds/plan/outage-plan.ts';
import { rulesFoundIn, rulesFoundText } from '../../../../../shared/rounds/model/posting/rules-told.ts';
import * as make from '../../builders.ts';

const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
const run = make.run({ attempt: 2 });

const found = (rule: string | null, severity: 'P0' | 'P1' | 'P2', line = 1) => ({
  rule,
  severity,
  path: 'src/a.js',
  line,
  title: `Found by ${rule}`,
});

describe('what the rules found where the model gave no review', () => {
  it('F-C11: names secrets first, then by severity, and nothing of a model', () => {
    const all = [found('js-eval', 'P0'), found(null, 'P0'), found('text-b', 'P2'), found('secret-key', 'P1')];
    expect(rulesFoundIn(all).map(({ rule }) => rule)).toEqual(['secret-key', 'js-eval', 'text-b']);
  });

  it('counts what is not shown, and lets nothing end a row', () => {
    const many = Array.from({ length: 53 }, (_, index) => ({ ...found('x', 'P1', index + 1), rule: 'x' }));
    expect(rulesFoundText(many)).toContain('and 3 more.');
    expect(rulesFoundText([{ rule: 'x', severity: 'P1', path: 'a|`b', line: 1, title: 'one\n| two' }])).toContain(
      "| High | one \\| two | `a\\|'b:1` |",
    );
    expect(rulesFoundText([])).toBe('');
  });

  const byRules = rulesFoundIn([found('secret-key', 'P0', 7)]);

  it('F-C11: is told with the last failed attempt, with the reason, and no verdict', () => {
    const plan = buildGiveUpPlan(context, run, { code: 'MODEL_REFUSED', lastWords: null, byRules });
    expect(plan.summary.text).toMatch(/`MODEL_REFUSED`[^]*\| Critical \| Found by secret-key \| `src\/a\.js:7` \|/);
    // The hand-off repeats nothing: it names the summary, or is one comment with it.
    expect(plan.notices[0]?.text).not.toContain('secret-key');
    const [only] = inOneComment(plan, { summary: null }).notices;
    expect(only?.text.split('Found by secret-key')).toHaveLength(2);
    expect([plan.summary.marker.verdict, plan.status.state]).toEqual(['inconclusive', 'error']);
  });

  it('F-C11: is told while the configuration does not work, or the model is away', () => {
    for (const untilMs of [null, 1_000]) {
      const outage = { what: 'model', retry: 1, untilMs } as const;
      const plan = buildParkedPlan(context, { run, code: 'MODEL_UNAUTHORISED', outage, byRules });
      expect(plan.summary.text).toContain('Found by secret-key');
      expect([plan.summary.marker.verdict, plan.status.state]).toEqual(['inconclusive', 'error']);
    }
  });
});
