import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answersWithoutModel,
  mergeAnswers,
  mergeFindings,
  mergeFixes,
} from '../../../../services/reviewer/rules/merge-rules.ts';
import { isBlocking } from '../../../../shared/rounds/model/blocking.ts';
import { similarity } from '../../../../shared/rounds/duplicates/duplicates.ts';
import {
  type Action,
  DraftFinding,
  Relation,
  Severity,
  type ThreadAnswer,
} from '../../../../shared/vocabulary/finding.ts';
import { claim } from '../../../shared/rounds/builders.ts';
import { propertyRuns } from '../../../support/deep.ts';
import { thread } from '../review-world.ts';

const RULE = claim({
  rule: 'js-eval',
  severity: 'P1',
  title: 'eval runs a computed string as code',
  body: 'Whoever controls the string runs code.',
  evidence: 'eval(input);',
});

const model = (patch: Partial<DraftFinding> = {}): DraftFinding =>
  claim({ title: 'Input of the user is run', body: 'A link can carry it.', evidence: '  eval(input);', ...patch });

const merge = (finding: DraftFinding, rule: DraftFinding = RULE): readonly DraftFinding[] =>
  mergeFindings([rule], [finding], 0.6);

const WITH_WORDS = { ...RULE, body: `${RULE.body}\n\nInput of the user is run: A link can carry it.` };
const SAME_WORDS = { title: RULE.title, body: RULE.body };

describe('what a model and a rule say about the same line', () => {
  it.each<[string, DraftFinding, readonly DraftFinding[]]>([
    ['is said once, in the words of both', model(), [WITH_WORDS]],
    ['is not said twice in similar words', model(SAME_WORDS), [RULE]],
    ['is said once when the words are similar two lines off', model({ ...SAME_WORDS, startLine: 5, line: 5 }), [RULE]],
    ['takes over the graver severity', model({ severity: 'P0' }), [{ ...WITH_WORDS, severity: 'P0' }]],
    ["keeps the rule's graver severity", model({ severity: 'P3' }), [WITH_WORDS]],
    [
      'keeps blocking when the model calls it old',
      model({ severity: 'P0', relation: 'outside_diff' }),
      [{ ...WITH_WORDS, severity: 'P0' }],
    ],
  ])('%s', (_name, finding, merged) => {
    expect(merge(finding)).toEqual(merged);
  });

  it('takes over that it blocks', () => {
    const rule = { ...RULE, severity: 'P2' as const };
    expect(merge(model({ severity: 'P2', blocking: true }), rule)).toMatchObject([{ blocking: true, rule: 'js-eval' }]);
  });

  it('stays a finding within its limits, however much is said', () => {
    const long = model({ title: 't'.repeat(200), body: 'b'.repeat(7_990) });
    const merged = mergeFindings([{ ...RULE, body: 'r'.repeat(7_000) }], [long, long], 0.6);
    expect(merged.map((each) => DraftFinding.parse(each).body)).toEqual([expect.stringMatching(/_\(Cut here: .*\)_$/)]);
  });
});

describe('two findings', () => {
  it.each([
    ['on lines that lie apart', model({ ...SAME_WORDS, startLine: 9, line: 9 })],
    ['in other files', model({ path: 'b.ts' })],
    ['on the two sides', model({ side: 'old' })],
    ['with other words about the line below', model({ startLine: 4, line: 4 })],
    ['of which one quotes only a bracket', model({ evidence: '(' })],
    ['of which one quotes nothing', model({ evidence: '' })],
    [
      'in similar words, of which the graver one proves nothing',
      model({ ...SAME_WORDS, severity: 'P0', evidence: 'x' }),
    ],
  ])('%s stay two', (_name, finding) => {
    expect(merge(finding)).toEqual([RULE, finding]);
  });
});

const anyFinding = fc.record({
  severity: fc.constantFrom(...Severity.options),
  relation: fc.constantFrom(...Relation.options),
  line: fc.integer({ min: 1, max: 6 }),
  title: fc.constantFrom(RULE.title, 'Input of the user is run', 'The name is wrong'),
  evidence: fc.constantFrom('eval(input);', 'eval', 'x', ''),
  blocking: fc.boolean(),
});

const asClaim = ({ line, ...rest }: Partial<DraftFinding> & { line: number }): DraftFinding =>
  claim({ ...rest, line, startLine: line, body: 'Because.' });

const wordsOf = (finding: DraftFinding) => ({
  place: finding,
  title: finding.title,
  body: finding.body,
  citedCode: finding.evidence,
});

describe('whatever a model says', () => {
  const rules = fc
    .array(anyFinding, { maxLength: 4 })
    .map((all) => all.map((each, at) => ({ ...asClaim(each), rule: `rule-${at}` })));
  const models = fc.array(anyFinding, { maxLength: 6 }).map((all) => all.map(asClaim));

  it('every rule keeps its finding, no less grave and no less blocking, and no other claim is lost', () => {
    fc.assert(
      fc.property(rules, models, (byRules, byModel) => {
        const merged = mergeFindings(byRules, byModel, 0.6);
        byRules.forEach((rule, at) => {
          const kept = merged[at];
          expect(kept).toMatchObject({
            rule: rule.rule,
            line: rule.line,
            evidence: rule.evidence,
            relation: rule.relation,
          });
          expect((kept?.severity ?? 'P9') <= rule.severity).toBe(true);
          if (isBlocking(rule)) expect(kept === undefined || isBlocking(kept)).toBe(true);
        });
        for (const finding of byModel) {
          const said = merged.includes(finding) || merged.some(({ body }) => body.includes(finding.title));
          const repeated = byRules.some((rule) => similarity(wordsOf(rule), wordsOf(finding)) >= 0.6);
          expect(said || repeated).toBe(true);
        }
        expect(merged.length).toBeLessThanOrEqual(byRules.length + byModel.length);
      }),
      propertyRuns(300, 10_000),
    );
  });
});

const answer = (action: Action): ThreadAnswer => ({
  findingId: 'F-001',
  stance: action === 'resolve' ? 'accepts' : 'seeks_change',
  action,
  severity: null,
  body: action,
});

const hung = (rule: string | null, severity: Severity) => ({
  ...thread('a.ts', 3, null),
  rule,
  severity,
  citedText: '',
  now: null,
});

describe('the answer to a thread', () => {
  const table: readonly [string | null, Severity, Action, Action, 'model' | 'rule'][] = [
    ['js-eval', 'P0', 'resolve', 'reply', 'rule'],
    ['js-eval', 'P1', 'resolve', 'veto', 'rule'],
    ['js-eval', 'P1', 'resolve', 'resolve', 'model'],
    ['js-eval', 'P1', 'reply', 'resolve', 'model'],
    ['js-eval', 'P1', 'veto', 'reply', 'model'],
    ['js-eval', 'P2', 'resolve', 'reply', 'model'],
    ['js-eval', 'P3', 'resolve', 'reply', 'model'],
    [null, 'P0', 'resolve', 'reply', 'model'],
  ];
  it.each(table)(
    'of %s, %s: the model says %s, the rule %s, and the %5$s is heard',
    (rule, severity, says, own, heard) => {
      const model_ = { ...answer(says), body: 'model' };
      const byRule = { ...answer(own), body: 'rule' };
      expect(mergeAnswers([model_], { answers: [byRule] }, [hung(rule, severity)])).toEqual([
        heard === 'model' ? model_ : byRule,
      ]);
    },
  );

  it('that nobody asked for passes as it is: the gate will refuse it', () => {
    expect(mergeAnswers([answer('resolve')], { answers: [] }, [])).toEqual([answer('resolve')]);
  });

  it("without a model is the rule's where a rule made the claim, and none elsewhere", () => {
    const answers = [answer('resolve'), { ...answer('reply'), findingId: 'F-002' }];
    const threads = [hung('js-eval', 'P1'), { ...hung(null, 'P1'), id: 'F-002' }];
    expect(answersWithoutModel({ answers }, threads)).toEqual([answer('resolve')]);
  });
});

describe('what a model calls fixed', () => {
  const fix = (findingId: 'F-001' | 'F-002' | 'F-003', rule: string | null = null) => ({
    findingId,
    evidence: 'x();',
    rule,
  });

  it('counts beside the rules, but not against what they find still or themselves call fixed', () => {
    const rules = { fixed: [fix('F-001', 'js-eval')], standing: ['F-002' as const] };
    expect(mergeFixes([fix('F-001'), fix('F-002'), fix('F-003')], rules)).toEqual([
      fix('F-001', 'js-eval'),
      fix('F-003'),
    ]);
  });
});
