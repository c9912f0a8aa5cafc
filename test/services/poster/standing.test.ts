/** Whether a plan still holds for what the forge shows, and which of the bot's statuses counts. */
import { describe, expect, test } from 'vitest';
import { compareWithPlan, fetchStanding, isForSure } from '../../../services/poster/standing.ts';
import { hasSpoken, hasWaiting, standingOf } from '../../../services/poster/standing-status.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createMemoryForge, postingOn } from './memory-forge.ts';

const FACTS = make.changeRequest();
const PLAN = buildAcknowledgePlan(
  { facts: FACTS, history: make.history(), policy: make.policy() },
  { input: inputOf(FACTS), noteId: null, noticeId: make.runId('n') },
);
const COMPARED: PostPlan = { ...PLAN, base: make.sha('base') };
/** The target branch has moved, so only the merge base can tell. */
const MOVED = { targetHead: make.sha('target moved') };

test.each([
  ['the same input', PLAN, {}, 'same', true, true],
  ['another head', PLAN, { head: make.sha('next') }, 'other', false, false],
  ['another target branch', PLAN, { targetBranch: 'next' }, 'other', false, false],
  ['another merge base', PLAN, { ...MOVED, mergeBase: make.sha('next') }, 'other', false, false],
  ['the same merge base', COMPARED, MOVED, 'same', true, true],
  ['an unknown merge base', { ...PLAN, mergeBase: null }, { ...MOVED, mergeBase: null }, 'unknown', true, true],
  ['an unknown merge base after git compared', COMPARED, { ...MOVED, mergeBase: null }, 'unknown', true, false],
  [
    'another head, for a plan that may be late',
    { ...PLAN, allowStale: true },
    { head: make.sha('next') },
    'other',
    true,
    false,
  ],
] as const)('a plan and %s', async (_what, plan, patch, compared, stands, isSure) => {
  const facts = { ...FACTS, ...patch };
  const memory = createMemoryForge();
  memory.facts = facts;
  expect({
    compared: compareWithPlan(plan, facts),
    stands: (await fetchStanding(postingOn(memory, plan))) !== null,
    isSure: isForSure(plan, facts),
  }).toEqual({ compared, stands, isSure });
});

test.each([null, { ...FACTS, state: 'closed' as const }, { ...FACTS, state: 'merged' as const }])(
  'a change request that is not open gets nothing (%#)',
  async (facts) => {
    const memory = createMemoryForge();
    memory.facts = facts;
    expect(await fetchStanding(postingOn(memory, { ...PLAN, allowStale: true }))).toBeNull();
  },
);

describe('among the statuses of a commit', () => {
  const build = make.status('pending', { context: 'build' });
  const elsewhere = make.status('pending', { elsewhere: true });
  const own = make.status('success');

  test.each([
    ['of another tool alone', [build], null, false, false],
    ['of another tool and ours', [build, own], own, false, true],
    ['of ours at another place', [elsewhere], null, true, true],
    ['of ours at both', [elsewhere, own], own, true, true],
    ['that do not exist', [], null, false, false],
  ] as const)('%s', (_what, statuses, standing, isWaiting, isSpoken) => {
    expect([
      standingOf(statuses, 'fixpoint'),
      hasWaiting(statuses, 'fixpoint'),
      hasSpoken(statuses, 'fixpoint'),
    ]).toEqual([standing, isWaiting, isSpoken]);
  });
});
