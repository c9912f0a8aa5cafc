/** Which verdict the poster gives on the forge, with which words, and what it leaves alone. */
import { describe, expect, test } from 'vitest';
import type { PosterDeps } from '../../../services/poster/deps.ts';
import { settleVerdict, verdictWithComments } from '../../../services/poster/settle-verdict.ts';
import type { OutgoingVerdict } from '../../../shared/forge/port.ts';
import type { ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import { readMarkers, stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import { buildCapPlan } from '../../../shared/rounds/plan/cap-plan.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import type { StandingVerdict } from '../../../shared/vocabulary/forge-verdict.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createMemoryForge, postingOn } from './memory-forge.ts';

const FACTS = make.changeRequest();
const CONTEXT = { facts: FACTS, history: make.history(), policy: make.policy() };
const PLAN: PostPlan = buildCapPlan(CONTEXT, { input: inputOf(FACTS), cap: 'runs', noticeId: make.runId('n') });
const BARE: PostPlan = buildAcknowledgePlan(CONTEXT, {
  input: inputOf(FACTS),
  noteId: null,
  noticeId: make.runId('n'),
});
const BY_BOT = make.changeRequest({ author: { id: make.BOT_ID, login: 'fixpoint' } });
const NEXT = make.changeRequest({ targetBranch: 'next' });

test.each<readonly [string, PostPlan['forgeVerdict'], ChangeRequestFacts, string | null]>([
  ['a request for changes', 'request_changes', FACTS, 'changes_requested'],
  ['no approval, which comes after everything else', 'approve', FACTS, null],
  ['nothing where it is withdrawn', 'clear', FACTS, null],
  ['nothing where the operator wants none', null, FACTS, null],
  ['nothing for an input that has changed', 'request_changes', NEXT, null],
  ["nothing on the bot's own change request", 'request_changes', BY_BOT, null],
])('with the comments goes %s', (_what, forgeVerdict, facts, expected) => {
  const posting = postingOn(createMemoryForge(), { ...PLAN, forgeVerdict });
  expect(verdictWithComments(posting, facts)).toBe(expected);
});

type Wish = {
  readonly plan?: PostPlan;
  readonly planned: PostPlan['forgeVerdict'];
  readonly facts?: ChangeRequestFacts;
  readonly standing?: StandingVerdict | null;
  readonly seen?: PosterDeps['seen'];
  /** The forge goes on showing what stood before. */
  readonly isLate?: boolean;
};

const settle = async ({ plan = PLAN, planned, facts = FACTS, standing = null, seen, isLate = false }: Wish) => {
  const memory = createMemoryForge();
  const given: OutgoingVerdict[] = [];
  const done: string[] = [];
  const steps: string[] = [];
  const leftovers: string[] = [];
  let stands = standing;
  const write = {
    ...memory.forge.write,
    fetchOwnVerdict: async () => (isLate ? standing : stands),
    clearLeftovers: async (_of: unknown, isOurs: (body: string) => boolean) => {
      leftovers.push(`deletes the words of people: ${isOurs('Words of a person.')}`);
      return 0;
    },
    giveVerdict: async (_of: unknown, verdict: OutgoingVerdict) => {
      given.push(verdict);
      done.push(verdict.verdict);
      stands = { verdict: verdict.verdict, head: verdict.head, dismissed: false, askedAgain: false };
      return null;
    },
    withdrawVerdicts: async (_of: unknown, which: readonly string[]) => {
      done.push(`withdraw ${which.join(' ')}`);
      stands = null;
      return null;
    },
  };
  const posting = postingOn(
    { forge: { ...memory.forge, write } },
    { ...plan, forgeVerdict: planned },
    { checkpoint: (step) => void steps.push(step), ...(seen === undefined ? {} : { seen }) },
  );
  await settleVerdict(posting, facts);
  return { done, given, steps, leftovers, written: memory.done };
};

const APPROVED: StandingVerdict = { verdict: 'approved', head: FACTS.head, dismissed: false, askedAgain: false };

describe('the verdict on the forge', () => {
  test.each<readonly [string, Wish, readonly string[]]>([
    ['is given', { planned: 'approve' }, ['approved']],
    ['is not given again', { planned: 'approve', standing: APPROVED }, []],
    ['is withdrawn', { planned: 'clear', standing: APPROVED }, ['withdraw approved changes_requested']],
    [
      'is withdrawn instead of given for an input that has changed',
      { planned: 'approve', facts: NEXT, standing: APPROVED },
      ['withdraw approved'],
    ],
    ['is not looked at where the operator wants none', { planned: null, standing: APPROVED }, []],
  ])('%s', async (_what, wish, done) => {
    const settled = await settle(wish);
    expect(settled.done).toEqual(done);
    expect(settled.steps).toEqual(done.map(() => 'after-verdict'));
  });

  test.each([
    ['approve', 'Nothing blocks merging. The summary has the details.'],
    ['request_changes', 'There are problems to fix before merging. The summary lists them.'],
  ] as const)(
    '%s says in a signed body where the details are, and deletes no words of people',
    async (planned, words) => {
      const { given, leftovers } = await settle({ planned });
      const [verdict] = given;
      expect([verdict?.head, stripMarkers(verdict?.body ?? '')]).toEqual([PLAN.head, words]);
      expect(readMarkers(verdict?.body ?? '', [make.SECRET])).toEqual([
        {
          kind: 'valid',
          payload: {
            kind: 'answer',
            note: `review.${PLAN.runId}`,
            cr: make.KEY,
            review: PLAN.summary?.marker.review,
            attempt: PLAN.summary?.marker.attempt,
            run: PLAN.runId,
          },
        },
      ]);
      expect(leftovers).toEqual(['deletes the words of people: false']);
    },
  );

  test.each(['approve', 'clear'] as const)(
    'is written once (%s), although the forge does not show it yet',
    async (planned) => {
      const known = new Set<string>();
      const seen = {
        load: async () => known,
        add: async (_planId: string, keys: readonly string[]) => keys.forEach((key) => known.add(key)),
      };
      const standing = planned === 'clear' ? APPROVED : null;
      const { done } = await settle({ planned, standing, seen, isLate: true });
      expect(done).toHaveLength(1);
      expect([...known]).toEqual([planned === 'clear' ? 'verdict.withdrawn' : 'verdict.approved']);
    },
  );

  test('of a plan without a summary belongs to no review', async () => {
    const { given } = await settle({ plan: BARE, planned: 'approve' });
    expect(readMarkers(given[0]?.body ?? '', [make.SECRET])).toMatchObject([{ payload: { review: 0, attempt: 0 } }]);
  });
});
