import { describe, expect, it, test } from 'vitest';
import { judgeAnswer, type PendingAnswerText } from '../../../shared/protocol/pending-review.ts';
import { draftOfPacket, type OutsideDraft } from '../../../shared/protocol/draft-of-packet.ts';
import type { PacketFinding } from '../../../shared/protocol/findings-packet.ts';
import { DraftFinding, ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import { type Finding, finding } from '../../support/outside.ts';
import { asked, ASKED_MS, feedback, lgtm } from './asked-stage.ts';

/** Only of what is accepted a draft is made. */
const draftOf = (said: PendingAnswerText): OutsideDraft => {
  const judged = judgeAnswer(asked(), said, ASKED_MS + 1);
  if (judged.kind !== 'accepted') throw new Error(JSON.stringify(judged));
  const draft = draftOfPacket(judged.answer, { ...asked().packet, maxTurns: 8 });
  expect(DraftFinding.array().parse(draft.findings)).toEqual(draft.findings);
  expect(ThreadAnswer.array().parse(draft.answers)).toEqual(draft.answers);
  return draft;
};

const SECOND = finding({ id: 'F-002', severity: 'P3', blocking: false, status: 'fixed' });

const answerTo = (entry: Partial<PacketFinding>) =>
  draftOf(feedback({ findings: [finding({ id: 'F-001', ...entry }), SECOND] })).answers[0];

describe('an open finding that is', () => {
  it.each<[Partial<PacketFinding>, string, string, string | null]>([
    [{ status: 'fixed' }, 'accepts', 'resolve', null],
    [{ status: 'wont_fix' }, 'accepts', 'resolve', null],
    [{ status: 'not_fixed' }, 'seeks_change', 'reply', null],
    [{ status: 'open' }, 'seeks_change', 'reply', null],
    [{ status: 'needs_clarification' }, 'seeks_change', 'veto', null],
    [{ status: 'not_fixed', severity: 'P0' }, 'seeks_change', 'escalate', 'P0'],
    [{ status: 'not_fixed', severity: 'P2' }, 'seeks_change', 'reply', null],
  ])('%j makes one legal action', (entry, stance, action, severity) => {
    expect(answerTo(entry)).toMatchObject({ findingId: 'F-001', stance, action, severity });
  });

  it('not fixed where no reply is legal goes to a human', () => {
    const second = { ...SECOND, status: 'not_fixed' as const };
    const { answers } = draftOf(feedback({ findings: [finding({ id: 'F-001' }), second] }));
    expect(answers[1]).toMatchObject({ findingId: 'F-002', action: 'veto' });
  });

  it('spoken about is answered with the reviewer’s words, else with those of its status', () => {
    expect(answerTo({ recommendation: 'Close it.', repro: 'It leaks.' })?.body).toBe('Close it.');
    expect(answerTo({ status: 'fixed' })?.body).toBe('This finding is fixed.');
  });
});

const freshOf = (wish: Partial<Finding>): DraftFinding | undefined =>
  draftOf(feedback({ findings: [finding({ id: 'F-001' }), SECOND, finding({ id: 'R-1', ...wish })] })).findings[0];

describe('a new finding', () => {
  it('keeps its place, its quotation and its words', () => {
    const fresh = freshOf({
      file: 'a.js',
      line: 4,
      repro: 'It leaks\nagain',
      evidence: 'open()',
      recommendation: 'Close it',
    });
    expect(fresh).toEqual({
      path: 'a.js',
      side: 'new',
      startLine: 4,
      line: 4,
      severity: 'P1',
      relation: 'current_diff',
      title: 'It leaks',
      body: 'It leaks\nagain\n\nRecommended: Close it',
      evidence: 'open()',
      suggestion: null,
      blocking: true,
      rule: null,
    });
  });

  it.each([
    [{ file: 'z.js', blocking: true }, 'required_by_current_diff'],
    [{ file: 'z.js', blocking: false, severity: 'P2' }, 'outside_diff'],
    [{ file: '' }, 'current_diff'],
  ] as const)('%j stands to the change as %s', (wish, relation) => {
    expect(freshOf(wish)?.relation).toBe(relation);
  });

  it('without a word is named by its id', () => {
    expect(freshOf({})).toMatchObject({ title: 'R-1', body: 'R-1', path: '(no file)', line: 1 });
  });

  it.each([{ status: 'fixed' }, { status: 'wont_fix' }, { id: 'F-003' }] as const)('%j is none', (wish) => {
    expect(freshOf(wish)).toBeUndefined();
  });
});

test('a pass resolves what stands, says of a nit who owns it, and lists the nits of no finding', () => {
  const nit = { nit_id: 'N-1', tier: 'P3', owner: 'ann', next_action: 'mend it', summary: 'A typo' };
  const draft = draftOf(
    lgtm({
      nits: [
        { ...nit, source: 'F-002' },
        { ...nit, nit_id: 'N-2', summary: 'Slow' },
      ],
    }),
  );
  expect(draft.answers).toMatchObject([
    { findingId: 'F-001', action: 'resolve', body: 'Accepted with the pass.' },
    { findingId: 'F-002', action: 'resolve', body: 'Deferred: ann owns it. Next: mend it.' },
  ]);
  expect(draft.summary.split('\n').slice(1)).toEqual(['- P3: Slow. Owner: ann. Next: mend it.']);
  expect([draft.findings, draft.omitted, draft.exceeded]).toEqual([[], [], null]);
});

const unfinished = (escalation: string) => {
  const { omitted, exceeded, answers } = draftOf(
    feedback({
      escalation,
      findings: [finding({ id: 'F-001' }), ...(escalation === 'reviewer_budget_exceeded' ? [] : [SECOND])],
    }),
  );
  return { omitted: omitted.map(({ reason }) => reason), exceeded, answers: answers.length };
};

type Result = 'pass' | 'fail' | 'warn';

const ranBy = (result: Result, command = 'npm test') => {
  const { message, packet } = feedback({ findings: [finding({ id: 'F-001' }), SECOND] });
  if (packet === null) throw new Error('no packet');
  return draftOf({ message, packet: { ...packet, qa_validation: { commands_run: [{ command, result }] } } });
};

test.each<[Result, readonly string[]]>([
  ['pass', []],
  ['warn', []],
  ['fail', ['the reviewer says that `npm test` failed']],
])(
  'F-F18: a command of the reviewer with the result %s is told as its own, and a failed one forbids a pass',
  (result, reasons) => {
    const { omitted, summary } = ranBy(result);
    expect(omitted.map(({ reason }) => reason)).toEqual(reasons);
    expect(summary.split('\n')[1]).toBe(`- \`rex\` says that it ran \`npm test\`: ${result}.`);
  },
);

test('F-F18: a command of the reviewer stays one line of code, whatever it holds', () => {
  expect(ranBy('pass', 'a` \n# b').summary.split('\n').slice(1)).toEqual(['- `rex` says that it ran `a # b`: pass.']);
});

test('feedback that was not finished never counts as a whole review', () => {
  expect(unfinished('reviewer_budget_exceeded')).toEqual({
    omitted: [],
    exceeded: { budget: 'turns', scope: 'run', limit: 8 },
    answers: 1,
  });
  expect(unfinished('review_incomplete')).toEqual({
    omitted: ['the reviewer says: review_incomplete'],
    exceeded: null,
    answers: 2,
  });
  expect(unfinished('max_rounds_exceeded')).toEqual({ omitted: [], exceeded: null, answers: 2 });
});

test('a finding with a human that the packet calls fixed is reported with its quotation, and nothing else about it', () => {
  const closed = (['F-007', 'F-008'] as const).map((id) => ({
    id,
    severity: 'P1' as const,
    title: 'Old',
    file: 'a.js',
  }));
  const findings = [
    finding({ id: 'F-007', status: 'fixed', evidence: 'await save();' }),
    finding({ id: 'F-008', status: 'not_fixed', evidence: 'save();' }),
  ];
  const said = feedback({ findings });
  const { message, packet } = { ...said, message: said.message };
  if (message.type !== 'review_feedback') throw new Error('no feedback');
  const request = { ...asked().packet, open_findings: [], closed_findings: closed, maxTurns: 8 };
  const draft = draftOfPacket({ message, packet }, request);
  expect(draft.fixed).toEqual([{ findingId: 'F-007', evidence: 'await save();', rule: null }]);
  expect(draft.findings).toEqual([]);
});
