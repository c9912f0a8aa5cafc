/** A finding that several tools report: its thread names them all, and the bot's comments remember them. */
import { expect, it } from 'vitest';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { ledgerOf } from '../../../shared/rounds/memory/ledger.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import type { History, Thread } from '../../../shared/rounds/model/history.ts';
import type { MarkerPayload } from '../../../shared/rounds/model/marker-payload.ts';
import { IGNORED } from '../../../shared/rounds/model/repository-rules.ts';
import { buildReviewPlan } from '../../../shared/rounds/plan/review-plan.ts';
import { ignoreBlock } from '../../../shared/rounds/plan/answers/ignore-proposal.ts';
import * as make from './builders.ts';

const ALSO = ['eslint/no-eval', 'scan/eval'];
const RULES = { rule: 'js-eval', alsoRules: ALSO, path: 'src/a.js' } as const;

const planned = () => {
  const draft = make.draft({ findings: [make.finding({}, RULES)] });
  const history = make.history({});
  const context = { facts: make.changeRequest(), history, policy: make.policy() };
  const gated = gate(draft, history, context.policy);
  return buildReviewPlan({ ...context, run: make.run({ phase: 'posting' }), draft, gated });
};

const readBack = (...markers: readonly MarkerPayload[]): History =>
  rebuildHistory({
    comments: markers.map((marker) => make.comment(signMarker(marker, make.SECRET))),
    key: make.KEY,
    botIds: new Set([make.BOT_ID]),
    secrets: [make.SECRET],
  });

const rulesIn = ({ threads }: History) => threads.map(({ rule, alsoRules }) => ({ rule, alsoRules }));

it('is one thread that names all rules', () => {
  const { inline } = planned();
  expect(inline).toHaveLength(1);
  expect(inline[0]?.foot).toContain('found by the rules `js-eval`, `eslint/no-eval` and `scan/eval`');
});

it('is remembered by its own comment, and by the summary alone', () => {
  const { inline, summary } = planned();
  const rules = [{ rule: 'js-eval', alsoRules: ALSO }];
  const [marker] = inline.map((each) => each.marker);
  if (marker === undefined) throw new Error('no thread');
  expect(rulesIn(readBack(marker))).toEqual(rules);
  expect(rulesIn(readBack(summary.marker))).toEqual(rules);
  expect(rulesIn(readBack(summary.marker, marker))).toEqual(rules);
  expect(ledgerOf(readBack(marker))).toMatchObject([{ alsoRules: ALSO }]);
});

const threadOf = (patch: Partial<Thread> = {}): Thread =>
  make.thread({ ...RULES, fingerprint: make.print('thread'), place: PLACE, ...patch });
const PLACE = { path: 'src/a.js', side: 'new', startLine: 4, line: 4 } as const;

it('is not raised in a second thread by a rule that its thread names', () => {
  const raisedBy = (rule: string, line = 4) => {
    const finding = make.finding({ fingerprint: make.print(rule) }, { ...PLACE, startLine: line, line, rule });
    const history = make.history({ threads: [threadOf({ state: 'escalated' })], nextNumber: 2 });
    return gate(make.draft({ review: 2, findings: [finding] }), history, make.policy()).accepted.length;
  };
  expect([raisedBy('js-eval'), raisedBy('scan/eval'), raisedBy('scan/other'), raisedBy('scan/eval', 5)]).toEqual([
    0, 0, 1, 1,
  ]);
});

it('is ignored only if the project ignores each of its rules, or the finding itself', () => {
  const isIgnored = (...entries: readonly { readonly rule: string | null; readonly path?: string }[]): boolean => {
    const named = entries.map((entry, at) => ({
      id: `${at}`.repeat(16),
      fingerprint: entry.rule === null ? finding.fingerprint : null,
      path: 'src/**',
      ...entry,
    }));
    const repository = {
      maxRounds: null,
      minSeverity: 'P3' as const,
      notes: [],
      ignores: { which: 'all' as const, entries: named },
    };
    const draft = make.draft({ findings: [finding], repository });
    return gate(draft, make.history({}), make.policy()).dropped.some(({ reason }) => reason === IGNORED);
  };
  const finding = make.finding({}, { ...RULES, severity: 'P2' });
  const [own, eslint, scan] = [{ rule: 'js-eval' }, { rule: 'eslint/no-eval' }, { rule: 'scan/eval' }];
  expect(isIgnored(own)).toBe(false);
  expect(isIgnored(own, eslint)).toBe(false);
  expect(isIgnored(own, eslint, { ...scan, path: 'other/**' })).toBe(false);
  expect(isIgnored(eslint, scan)).toBe(false);
  expect(isIgnored(eslint, scan, own)).toBe(true);
  expect(isIgnored({ rule: null })).toBe(true);
});

it('is proposed to be ignored by its fingerprint, because an entry for one rule would not silence it', () => {
  expect(ignoreBlock(threadOf(), 'why')).toContain(`fingerprint = "${make.print('thread')}"`);
  expect(ignoreBlock(threadOf({ alsoRules: undefined }), 'why')).toContain('rule = "js-eval"');
});
