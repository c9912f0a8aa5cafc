/** The withdrawal of an approval, also where this version cannot read the comments of the bot. */
import { describe, expect, test } from 'vitest';
import { post } from '../../../services/poster/post.ts';
import type { CommitStatus } from '../../../shared/forge/port-statuses.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import { buildSetAsidePlan, buildWithdrawPlan } from '../../../shared/rounds/plan/withdraw-plan.ts';
import type { StandingVerdict, VerdictRefusal } from '../../../shared/vocabulary/forge-verdict.ts';
import * as make from '../../shared/rounds/builders.ts';
import { markerOfNewer, summary } from '../../shared/text/marker-fixture.ts';
import { createMemoryForge, postingOn } from './memory-forge.ts';

const FACTS = make.changeRequest();
const APPROVED: StandingVerdict = { verdict: 'approved', head: null, dismissed: false, askedAgain: false };
const BY_BOT = { author: { id: make.BOT_ID, login: 'fixpoint' } };
const UNREADABLE = make.comment(`Reviewed.\n\n${markerOfNewer(make.SECRET)}`, BY_BOT);

const passedAt = (target: string) => {
  const { head, targetHead, mergeBase } = FACTS;
  const input = { head, target, targetHead, base: mergeBase };
  const marker = {
    ...summary,
    ...input,
    mergeBase,
    base: mergeBase,
    cr: make.KEY,
    phase: 'posted' as const,
    until: null,
  };
  const reviewed = [{ ...make.reviewedAt(head, { target, verdict: 'lgtm' }), review: 1 }];
  return make.comment(
    `Passed.\n\n${signMarker({ ...marker, verdict: 'lgtm', reviewed, ledger: [] }, make.SECRET)}`,
    BY_BOT,
  );
};

type Wish = {
  readonly comments?: readonly ReturnType<typeof make.comment>[];
  readonly statuses?: readonly CommitStatus[];
  readonly pending?: boolean;
  readonly refusal?: VerdictRefusal | null;
  readonly aside?: boolean;
};

const withdrawOn = async ({ comments = [], statuses = [], pending = false, refusal = null, aside = false }: Wish) => {
  const memory = createMemoryForge({ before: comments, statuses });
  let standing: StandingVerdict | null = APPROVED;
  const forge = {
    ...memory.forge,
    write: {
      ...memory.forge.write,
      fetchOwnVerdict: async () => standing,
      withdrawVerdicts: async () => {
        memory.done.push('withdraw');
        if (refusal === null) standing = null;
        return refusal;
      },
    },
  };
  const policy = make.policy({ forgeVerdict: 'approve_and_request_changes' });
  const noticeId = make.runId('notice');
  const context = { facts: FACTS, policy };
  const plan = aside
    ? buildSetAsidePlan(context, noticeId)
    : buildWithdrawPlan(context, { input: inputOf(FACTS), pending, noticeId });
  const outcome = await post(postingOn({ forge }, plan));
  return { outcome, done: memory.done, readings: memory.readings };
};

const SUCCESS = [make.status('success')];

describe('an approval is withdrawn', () => {
  test.each<readonly [string, Wish, readonly string[]]>([
    ['when the present input has no verdict', {}, ['withdraw']],
    ['with the status, if that is planned', { pending: true }, ['withdraw', 'status pending']],
    ['when another input of the head passed', { comments: [passedAt('release')] }, ['withdraw']],
    ['not when the present input passes by now', { comments: [passedAt('main')], pending: true }, []],
    ['when no comment can be read and the head has no status', { comments: [UNREADABLE] }, ['withdraw']],
    [
      'when no comment can be read and the status at the head waits',
      { comments: [UNREADABLE], statuses: [make.status('pending')] },
      ['withdraw'],
    ],
    [
      'with the status, when no comment can be read and guard knows that the status is about another input',
      { comments: [UNREADABLE], statuses: SUCCESS, pending: true },
      ['withdraw', 'status pending'],
    ],
    [
      'not when the status of the head, which a process of the other version wrote, says that it passes',
      { comments: [UNREADABLE], statuses: SUCCESS },
      [],
    ],
    [
      'without a word in the summary, when no comment can be read and the forge refuses',
      { comments: [UNREADABLE], refusal: 'forbidden' },
      ['withdraw'],
    ],
  ])('%s', async (_when, wish, done) => {
    expect(await withdrawOn(wish)).toMatchObject({ outcome: 'posted', done });
  });
});

test('a change request that is set aside gets its status, and loses its approval, without a look at a comment', async () => {
  const { outcome, done, readings } = await withdrawOn({
    comments: [passedAt('main')],
    aside: true,
    refusal: 'forbidden',
  });
  expect({ outcome, done, readings }).toEqual({ outcome: 'posted', done: ['status error', 'withdraw'], readings: [] });
});
