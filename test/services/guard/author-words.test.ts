import { describe, expect, it, test } from 'vitest';
import { withAuthorWords, withRequests } from '../../../services/guard/author-words.ts';
import { buildBrief } from '../../../services/guard/build-brief.ts';
import { addressedBy, budgetFor, openRequests } from '../../../services/guard/tell-author.ts';
import type { MailboxMessage } from '../../../shared/mailbox/mailbox-message.ts';
import { HandoffPacket } from '../../../shared/protocol/handoff-packet.ts';
import type { ReviewAddressed, ReviewMessage, ReviewRequest } from '../../../shared/protocol/message.ts';
import type { Thread } from '../../../shared/rounds/model/history.ts';
import { changeRequest, history, policy, run, sha, thread } from '../../shared/rounds/builders.ts';
import { example } from '../../shared/protocol/examples.ts';

const HEADS = [sha('head'), sha('before')];

const account = (body: Partial<ReviewAddressed['body']> = {}): ReviewAddressed => {
  const message = example('review_addressed');
  if (message.type !== 'review_addressed') throw new Error('another type');
  const said = { commit_sha: sha('head').slice(0, 8), changes_summary: 'Closed it.', round: 1 };
  return { ...message, body: { ...said, ...body } };
};

const briefWith = (threads: readonly Thread[], review = 2) =>
  buildBrief({
    run: run({ review }),
    facts: changeRequest(),
    history: history({ threads }),
    policy: policy(),
    git: { url: 'http://forge.example/shop.git', headRef: 'refs/pull/5/head' },
    comments: [],
    botIds: new Set(),
  });

const brief = briefWith([thread({ id: 'F-001' }), thread({ id: 'F-002' })]);

describe('an author’s account', () => {
  it('stands beside the comments, and in the threads that it is about', () => {
    const words = withAuthorWords(
      brief,
      [account({ addressed_finding_ids: ['F-001'], touched_files: ['a.js'] })],
      HEADS,
    );
    const prefix = sha('head').slice(0, 8);
    expect(words.comments).toMatchObject([
      { author: 'ann', text: `Addressed the feedback of round 1 in ${prefix}: Closed it.\n\nTouched: a.js` },
    ]);
    expect(words.openThreads.map(({ replies }) => replies.map(({ text }) => text))).toEqual([
      [`Addressed in ${prefix}.`],
      [`Not addressed in ${prefix}: Closed it.`],
    ]);
  });

  it('that names no finding says nothing in a thread', () => {
    const words = withAuthorWords(brief, [account()], HEADS);
    expect(words.comments).toHaveLength(1);
    expect(words.openThreads).toEqual(brief.openThreads);
  });

  it('F-T23: says nothing about threads of a round that came after the one it answers', () => {
    const threads = [thread({ id: 'F-001', review: 1 }), thread({ id: 'F-002', review: 2 })];
    const later = { ...brief, openThreads: briefWith(threads, 3).openThreads };
    const words = withAuthorWords(later, [account({ addressed_finding_ids: ['F-001'], round: 1 })], HEADS);
    expect(words.openThreads.map(({ id, replies }) => [id, replies.length])).toEqual([
      ['F-001', 1],
      ['F-002', 0],
    ]);
  });

  it('of a commit that is no head of the change request is passed over', () => {
    expect(withAuthorWords(brief, [account({ commit_sha: 'abcdef0' })], HEADS)).toBe(brief);
  });
});

const authors = (...conversations: readonly (readonly ReviewMessage[])[]) => ({
  namesOf: () => conversations.map((_, index) => String(index)),
  messageStore: {
    list: async (_of: unknown, name: string | null) =>
      (conversations[Number(name)] ?? []).map(
        (message): MailboxMessage => ({ message, packet: null, review: null, handoff: null }),
      ),
    send: async () => Promise.reject(new Error('nothing is sent')),
  },
});

const OF = changeRequest().changeRequest;
const PLACED = { of: OF, path: 'shop-team/shop' };
const BRANCH = (() => {
  const message = example('review_request');
  return message.type === 'review_request' ? message.body.branch : '';
})();

test('only the newest account counts, and only when it is about the round that was answered last', async () => {
  const outside = authors([account(), account({ round: 2 })], [account()], []);
  expect((await addressedBy(outside, PLACED, 1)).map(({ body }) => body.round)).toEqual([1]);
  expect(await addressedBy(outside, PLACED, 2)).toHaveLength(1);
  expect(await addressedBy(outside, PLACED, 3)).toEqual([]);
});

test('a request that waits lowers the limits and never raises them; an answered one does nothing', async () => {
  const wish = (turns: number, seconds: number): ReviewMessage => {
    const message = example('review_request');
    if (message.type !== 'review_request') throw new Error('another type');
    return { ...message, body: { ...message.body, max_turns_reviewer: turns, max_runtime_s_reviewer: seconds } };
  };
  const limits = { maxTurns: 8, maxRuntimeS: 600 };
  const answered = [wish(1, 1), example('review_feedback')];
  const budget = async (outside: ReturnType<typeof authors>) =>
    budgetFor(await openRequests(outside, PLACED, BRANCH), limits);
  expect(await budget(authors([wish(4, 900)]))).toEqual({ maxTurns: 4, maxRuntimeS: 600 });
  expect(await budget(authors([wish(4, 900)], [wish(6, 30)]))).toEqual({ maxTurns: 4, maxRuntimeS: 30 });
  expect(await budget(authors(answered, []))).toEqual(limits);
});

const asked = (body: Partial<ReviewRequest['body']> = {}): ReviewRequest => {
  const message = example('review_request');
  if (message.type !== 'review_request') throw new Error('another type');
  const { handoff_ref: _none, ...rest } = message.body;
  return { ...message, body: { ...rest, ...body } };
};

const HANDOFF = HandoffPacket.parse({
  source_agent: 'ann',
  target_agent: 'fixpoint',
  intent: 'Finish the cart.',
  artifacts_to_review: ['src/cart.ts'],
  definition_of_done: ['The cart adds up'],
  context_bundle: {
    files_touched: [{ path: 'src/cart.ts', rationale: 'It holds the sum' }],
    decisions_made: [{ decision: 'Prices are whole cents', alternatives_considered: ['Floats'] }],
    blockers_hit: [{ blocker: 'No test data', workarounds_attempted: ['None'] }],
    suggested_next_steps: ['Look at rounding'],
  },
});

describe('F-F18: a request of an author outside', () => {
  it('tells the reviewer what was changed, and nothing else', () => {
    const request = asked({ diff_summary: 'Adds a cart.' });
    expect(
      withRequests(brief, [{ request, handoff: null }]).comments.map(({ author, text }) => [author, text]),
    ).toEqual([[request.from, 'Summary of the change: Adds a cart.']]);
  });

  it('tells the reviewer of the work that it follows, or that the packet did not come along', () => {
    const request = asked({ handoff_ref: 'packets/handoffs/a.yaml' });
    const wordsWith = (handoff: HandoffPacket | null) => withRequests(brief, [{ request, handoff }]).comments[1]?.text;
    expect(wordsWith(HANDOFF)?.split('\n')).toEqual([
      'This review follows the hand-off packets/handoffs/a.yaml.',
      'From ann: Finish the cart.',
      'Done when: The cart adds up',
      'Decided: Prices are whole cents',
      'Blocked by: No test data',
      'Next: Look at rounding',
      'Touched src/cart.ts: It holds the sum',
    ]);
    expect(wordsWith(null)).toContain('The request came without its packet.');
  });

  it('is as long as a comment may be, however much it says', () => {
    const request = asked({ diff_summary: 'x'.repeat(8000) });
    expect(withRequests(brief, [{ request, handoff: null }]).comments[0]?.text).toHaveLength(4000);
  });

  it.each([
    ['of the source branch', BRANCH, BRANCH, 1],
    ['of another branch', 'other', BRANCH, 0],
    ['where the forge names no branch', 'other', '', 1],
  ])('%s counts or does not', async (_what, branch, sourceBranch, count) => {
    expect(await openRequests(authors([asked({ branch })]), PLACED, sourceBranch)).toHaveLength(count);
  });
});
