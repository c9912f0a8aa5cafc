import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type PendingReview, judgeAnswer, type PendingAnswerText } from '../../../shared/protocol/pending-review.ts';
import { finding } from '../../support/outside.ts';
import { propertyRuns } from '../../support/deep.ts';
import { asked, ASKED_MS, EXPIRES_MS, feedback, HEAD, lgtm } from './asked-stage.ts';
import { example } from './examples.ts';

const NOW = ASKED_MS + 1;

const judge = (of: PendingReview | null, said: PendingAnswerText, nowMs = NOW): string => {
  const judged = judgeAnswer(of, said, nowMs);
  return judged.kind === 'refused' ? judged.reason : judged.kind;
};

const nit = (source?: string) => ({
  nit_id: 'NIT-1',
  tier: 'P3',
  summary: 'A typo',
  owner: 'ann',
  next_action: 'mend it',
  ...(source === undefined ? {} : { source }),
});

describe('an answer to the request is', () => {
  it.each<[string, PendingReview | null, PendingAnswerText, string]>([
    ['accepted as feedback with its packet', asked(), feedback(), 'accepted'],
    ['accepted as a pass', asked(), lgtm(), 'accepted'],
    ['accepted as a pass that defers what does not block', asked(), lgtm({ nits: [nit('F-002'), nit()] }), 'accepted'],
    ['accepted without a name while there is no other request', asked(), feedback({ parent: null }), 'accepted'],
    [
      'accepted when its packet names the request',
      asked({ mustName: true }),
      feedback({ parent: null, source: 'msg-asked' }),
      'accepted',
    ],
    ['accepted when its packet names the head', asked(), feedback({ source: HEAD.slice(0, 9) }), 'accepted'],
    [
      'accepted with less when the budget ran out',
      asked(),
      feedback({ findings: [], escalation: 'reviewer_budget_exceeded' }),
      'accepted',
    ],
    ['refused when nothing was asked', null, feedback(), 'no review was requested'],
    ['refused from somebody else', asked({ reviewer: 'max' }), feedback(), 'the message does not come from max'],
    ['refused for another request', asked(), feedback({ parent: 'msg-other' }), 'the message answers another request'],
    [
      'refused for another packet',
      asked(),
      feedback({ source: 'packets/reviews/x.yaml' }),
      'the packet is about another request',
    ],
    ['refused for another head', asked(), feedback({ source: 'abcdef0' }), 'the packet is about another head'],
    [
      'refused without a name after a silent request',
      asked({ mustName: true }),
      lgtm({}, null),
      'the message does not say which request it answers',
    ],
    ['refused for another round', asked(), feedback({ round: 1 }), 'body.round is 1'],
    [
      'refused without its packet',
      asked(),
      { ...feedback(), packet: null },
      'the message comes without its findings packet',
    ],
    [
      'refused without a word about an open finding',
      asked(),
      feedback({ findings: [finding({ id: 'F-001' })] }),
      'the packet says nothing about F-002',
    ],
    [
      'refused as a pass that did not pass',
      asked(),
      lgtm({ quality_gate_result: 'fail', merge_ready: false }),
      'this is not a pass; send review_feedback instead',
    ],
    [
      'refused as a pass that is not to be merged',
      asked(),
      lgtm({ merge_ready: false }),
      'this is not a pass; send review_feedback instead',
    ],
    [
      'refused as a pass that defers what blocks',
      asked(),
      lgtm({ nits: [nit('F-001')] }),
      'F-001 blocks, so it cannot be a nit',
    ],
    [
      'refused as a pass with blocking findings',
      asked(),
      { ...lgtm(), packet: feedback().packet },
      'the packet has findings that block',
    ],
    ['refused when the run has ended', asked({ ended: true }), lgtm(), 'the review that the message answers has ended'],
    [
      'refused when it is no answer',
      asked(),
      { message: example('review_addressed'), packet: null },
      'review_addressed is not an answer',
    ],
  ])('%s', (_what, of, said, expected) => {
    expect(judge(of, said)).toBe(expected);
  });

  it('refused from the very moment in which its time is over', () => {
    expect([judge(asked(), lgtm(), EXPIRES_MS - 1), judge(asked(), lgtm(), EXPIRES_MS)]).toEqual([
      'accepted',
      'the message comes too late',
    ]);
  });
});

test('a refused answer is told what was expected', () => {
  expect(judgeAnswer(asked(), feedback({ round: 1 }), NOW)).toEqual({
    kind: 'refused',
    reason: 'body.round is 1',
    expected: `review_feedback of round 2 or review_lgtm from rex with parent_message_id msg-asked, about head ${HEAD}`,
  });
});

const answered = (said: PendingAnswerText): PendingReview => {
  const judged = judgeAnswer(asked(), said, NOW);
  if (judged.kind !== 'accepted') throw new Error('it must fit');
  return asked({ answer: judged.answer });
};

test('the first answer is the only one, and sent again it is known, also after its run has ended', () => {
  const first = feedback();
  expect(judge(answered(first), first)).toBe('repeated');
  expect(judge({ ...answered(first), ended: true }, first, EXPIRES_MS)).toBe('repeated');
  expect(judge(answered(first), lgtm())).toBe('the request already has an answer');
  expect(judge(answered(lgtm()), first)).toBe('the request already has an answer');
});

const sayings = fc.constantFrom(
  feedback(),
  feedback({ round: 1 }),
  feedback({ parent: 'msg-other' }),
  lgtm(),
  lgtm({}, null),
);

test('whatever is said, one answer at most is taken, and never a pass for something else', () => {
  fc.assert(
    fc.property(fc.array(sayings, { maxLength: 12 }), fc.boolean(), (said, mustName) => {
      let now = asked({ mustName });
      const taken: PendingAnswerText[] = [];
      for (const each of said) {
        const judged = judgeAnswer(now, each, NOW);
        if (judged.kind !== 'accepted') continue;
        taken.push(each);
        now = { ...now, answer: judged.answer };
      }
      expect(taken.length).toBeLessThanOrEqual(1);
      for (const { message } of taken) {
        expect(message.parent_message_id ?? (mustName ? 'nothing' : 'msg-asked')).toBe('msg-asked');
      }
    }),
    propertyRuns(200, 20_000),
  );
});
