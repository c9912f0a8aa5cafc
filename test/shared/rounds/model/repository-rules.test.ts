import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { withGrants } from '../../../../shared/rounds/model/policy.ts';
import type { History } from '../../../../shared/rounds/model/history.ts';
import {
  type RepositoryRules,
  withDraftCap,
  withRepositoryCap,
} from '../../../../shared/rounds/model/repository-rules.ts';
import { propertyRuns } from '../../../support/deep.ts';
import { NO_COUNTS } from '../../../../shared/rounds/model/counts.ts';
import * as make from '../builders.ts';

const rules = (patch: Partial<RepositoryRules> = {}): RepositoryRules => ({
  maxRounds: null,
  minSeverity: 'P3',
  notes: [],
  ...patch,
});

const RUN = make.run({ countsAfter: { ...NO_COUNTS, runsUsed: 1, roundsUsed: 1 } });

const planned = (
  repository: RepositoryRules | undefined,
  history: History = make.history(),
  operator = make.policy(),
) => {
  const policy = withDraftCap(withRepositoryCap(operator, history), repository);
  const findings = [make.finding()];
  const draft = make.draft({ findings, ...(repository === undefined ? {} : { repository }) });
  const gated = gate(draft, history, policy);
  return buildReviewPlan({ facts: make.changeRequest(), history, policy, run: RUN, draft, gated });
};

/** What the forge remembers of such a round. */
const after = (repository: RepositoryRules | undefined): History => {
  const { summary } = planned(repository);
  return make.history({ summary: { comment: make.comment(''), marker: summary.marker } });
};

describe('the rounds that a repository allows', () => {
  test('C6: are never more than the operator allows, grants of commanders on top', () => {
    const count = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(
        count,
        fc.option(count),
        fc.option(count),
        fc.integer({ min: 0, max: 3 }),
        (max, now, before, granted) => {
          const operator = make.policy({}, { max, maxRuns: 50 });
          const kept = withRepositoryCap(operator, after(rules({ maxRounds: before })));
          const { rounds } = withGrants(withDraftCap(kept, rules({ maxRounds: now })), granted);
          expect(rounds).toEqual({
            ...operator.rounds,
            max: Math.min(max, before ?? max, now ?? max) + granted,
            maxRuns: 50 + granted * operator.rounds.attempts,
            maxSilent: 4 + granted,
          });
        },
      ),
      propertyRuns(100, 5_000),
    );
  });

  test('stand in the summary, which remembers them for the next round, and are forgotten when they are not said again', () => {
    const { summary } = planned(rules({ maxRounds: 2 }));
    expect(summary.text).toContain('**1 problem to fix before merging**');
    expect(summary.marker.cap).toBe(2);
    const again = planned(rules({ minSeverity: 'P2' }), after(rules({ maxRounds: 2 })));
    expect(JSON.parse(JSON.stringify(again.summary.marker))).not.toHaveProperty('cap');
    expect(again.summary.text).toContain('**1 problem to fix before merging**');
  });

  test('call a human in their last round', () => {
    expect(planned(rules({ maxRounds: 1 })).notices.map(({ marker }) => marker.kind)).toEqual(['handoff']);
    expect(planned(rules({ maxRounds: 2 })).notices).toEqual([]);
  });

  test('come with what people have to know', () => {
    const { summary } = planned(
      rules({ notes: ['`.fixpoint.toml`: `rounds.max` is ignored', 'The change edits `AGENTS.md`'] }),
    );
    expect(summary.folds).toContainEqual({
      title: 'Settings and instructions',
      text: '- `.fixpoint.toml`: `rounds.max` is ignored\n- The change edits `AGENTS.md`',
    });
    expect(planned(undefined).summary.folds?.map(({ title }) => title)).not.toContain('Settings and instructions');
  });
});
