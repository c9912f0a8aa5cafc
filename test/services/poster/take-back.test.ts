/** The last look of a posting, after its status. */
import { describe, expect, test } from 'vitest';
import { takeBackIfChanged } from '../../../services/poster/take-back.ts';
import type { ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import type { PlannedStatus, PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createMemoryForge, postingOn } from './memory-forge.ts';

const FACTS: ChangeRequestFacts = { ...make.changeRequest(), statusPlace: 'pipeline 2' };
const SUCCESS: PlannedStatus = { state: 'success', description: 'Round 1' };
const PENDING: PlannedStatus = { state: 'pending', description: 'Waiting' };
const PLAN: PostPlan = {
  ...buildAcknowledgePlan(
    { facts: FACTS, history: make.history(), policy: make.policy() },
    { input: inputOf(FACTS), noteId: null, noticeId: make.runId('notice') },
  ),
  kind: 'review',
  base: make.sha('base'),
  status: SUCCESS,
};

type Wish = {
  readonly facts?: Partial<ChangeRequestFacts> | null;
  readonly said?: PlannedStatus | null;
  readonly verdict?: PostPlan['forgeVerdict'];
  readonly statusPlace?: string;
};

const takeBack = async ({ facts = {}, said = SUCCESS, verdict = null, statusPlace = 'pipeline 2' }: Wish) => {
  const memory = createMemoryForge();
  memory.facts = facts === null ? null : { ...FACTS, ...facts };
  let reads = 0;
  const forge = {
    ...memory.forge,
    read: {
      ...memory.forge.read,
      fetchChangeRequest: async () => {
        reads += 1;
        return memory.facts;
      },
    },
    write: {
      ...memory.forge.write,
      fetchOwnVerdict: async () =>
        ({ verdict: 'approved', head: PLAN.head, dismissed: false, askedAgain: false }) as const,
      withdrawVerdicts: async () => {
        memory.done.push('withdraw');
        return null;
      },
    },
  };
  const known = new Set<string>();
  const seen = {
    load: async () => known,
    add: async (_planId: string, keys: readonly string[]) => keys.forEach((key) => known.add(key)),
  };
  const plan = { ...PLAN, forgeVerdict: verdict };
  const isTaken = await takeBackIfChanged(postingOn({ forge }, plan, { seen }), said, { statusPlace });
  const { done, statuses } = memory;
  return { isTaken, done, looked: reads > 0, descriptions: statuses.map(({ description }) => description) };
};

const NEXT = { targetBranch: 'next' };

describe('after a status that passes or blocks', () => {
  test.each<readonly [string, Wish, boolean, readonly string[]]>([
    ['nothing is written while the input is the same', {}, false, []],
    [
      'GL2: it is written again where the gate looks elsewhere by now',
      { statusPlace: 'pipeline 1' },
      false,
      ['status success'],
    ],
    ['it is taken back where the target branch changed', { facts: NEXT }, true, ['status pending']],
    ['it stays at a head that was replaced', { facts: { head: make.sha('next') } }, true, []],
    ['it stays on a change request that was merged', { facts: { ...NEXT, state: 'merged' } }, true, []],
    ['it stays on a change request that is gone', { facts: null }, true, []],
    ['an approval goes with it', { facts: NEXT, verdict: 'approve' }, true, ['status pending', 'withdraw']],
    [
      'a verdict of no kind is looked at where the operator wants none',
      { facts: NEXT, verdict: null },
      true,
      ['status pending'],
    ],
  ])('%s', async (_what, wish, isTaken, done) => {
    expect(await takeBack(wish)).toMatchObject({ isTaken, done, looked: true });
  });

  test('its words say why', async () => {
    const { descriptions } = await takeBack({ facts: NEXT });
    expect(descriptions).toEqual(['Not reviewed yet: new target branch or merge base']);
  });
});

describe.each([
  ['a status that is pending', PENDING],
  ['no status', null],
] as const)('after %s', (_what, said) => {
  test('the forge is not asked again', async () => {
    for (const verdict of [null, 'request_changes', 'clear', 'no_approval'] as const)
      expect(await takeBack({ said, verdict, facts: NEXT })).toEqual({
        isTaken: false,
        done: [],
        looked: false,
        descriptions: [],
      });
  });

  test('an approval is taken back, and no status is written, where the target branch changed', async () => {
    expect(await takeBack({ said, verdict: 'approve', facts: NEXT })).toMatchObject({
      isTaken: true,
      done: ['withdraw'],
    });
    expect(await takeBack({ said, verdict: 'approve', statusPlace: 'pipeline 1' })).toMatchObject({
      isTaken: false,
      done: [],
      looked: true,
    });
  });
});
