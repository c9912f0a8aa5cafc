/** Which status the poster writes for a plan, when, and with which address. */
import { describe, expect, test } from 'vitest';
import type { PosterDeps } from '../../../services/poster/deps.ts';
import { writeStatus } from '../../../services/poster/write-status.ts';
import type { ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import type { PlannedStatus, PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { summaryBy } from '../../shared/rounds/two-runs-world.ts';
import { FREE_PLACE } from './free-place.ts';
import { createMemoryForge, postingOn } from './memory-forge.ts';

const FACTS = make.changeRequest();
const SUCCESS: PlannedStatus = { state: 'success', description: 'Nothing blocks merging' };
const PENDING: PlannedStatus = { state: 'pending', description: 'Not reviewed yet: new target branch or merge base' };
const FAILURE: PlannedStatus = { state: 'failure', description: 'Problems' };
const PLAN: PostPlan = {
  ...buildAcknowledgePlan(
    { facts: FACTS, history: make.history(), policy: make.policy() },
    { input: inputOf(FACTS), noteId: null, noticeId: make.runId('n') },
  ),
  kind: 'review',
  base: make.sha('base'),
  status: SUCCESS,
};
const posted = summaryBy({ seed: 'run', attempt: 1, runs: 1 }, 'posted');
const REVIEWED = make.comment(signMarker(posted, make.SECRET));

type Wish = {
  readonly plan?: Partial<PostPlan>;
  readonly facts?: Partial<ChangeRequestFacts>;
  readonly isReviewed?: boolean;
  readonly statusUrl?: string;
  readonly deps?: Partial<PosterDeps>;
  /** Open change requests with the commit, at each look. */
  readonly others?: (look: number) => readonly ChangeRequestFacts[];
  readonly othersPass?: boolean;
};

const other = (number: number): ChangeRequestFacts =>
  make.changeRequest({ changeRequest: { ...FACTS.changeRequest, number } });

const passOf = (number: number) => {
  const { forge, projectId } = FACTS.changeRequest;
  const reviewed = [make.reviewedAt(FACTS.head, { verdict: 'lgtm' })];
  const marker = { ...posted, cr: `${forge}.${projectId}.${number}`, verdict: 'lgtm', reviewed } as const;
  return make.comment(signMarker(marker, make.SECRET));
};

const write = async (wish: Wish) => {
  const {
    plan = {},
    facts = {},
    isReviewed = false,
    statusUrl,
    deps = {},
    others = () => [],
    othersPass = false,
  } = wish;
  const memory = createMemoryForge();
  let looks = 0;
  const read = {
    ...memory.forge.read,
    fetchComments: async ({ number }: { readonly number: number }) => {
      if (number !== FACTS.changeRequest.number) return othersPass ? [passOf(number)] : [];
      return isReviewed ? [REVIEWED] : [];
    },
    fetchChangeRequest: async ({ number }: { readonly number: number }) => other(number),
    readOpenPage: async () => {
      looks += 1;
      const open = others(looks);
      return { open, last: true, total: open.length, tag: '' };
    },
  };
  const posting = postingOn({ forge: { ...memory.forge, read } }, { ...PLAN, ...plan }, deps);
  const said = await writeStatus(statusUrl === undefined ? posting : { ...posting, statusUrl }, { ...FACTS, ...facts });
  const { statuses, through } = memory;
  return {
    said,
    looks,
    through,
    written: statuses.map(({ state, description }) => [state, description]),
    urls: statuses.map(({ targetUrl }) => targetUrl),
  };
};

const NOT_SURE = [['pending', 'Not compared yet: the merge base is not known']];
const asRows = (...all: readonly PlannedStatus[]) => all.map(({ state, description }) => [state, description]);
const EXCLUDED: Pick<PosterDeps, 'countsTarget'> = { countsTarget: () => false };
/** Only the merge base can tell whether the input is the same, and the forge does not know it. */
const UNKNOWN = { targetHead: make.sha('target moved'), mergeBase: null };

describe('a status', () => {
  test.each<readonly [string, Wish, readonly unknown[]]>([
    ['that passes is written for the input that was reviewed', {}, asRows(SUCCESS)],
    ['that passes waits while the merge base is unknown', { facts: UNKNOWN }, NOT_SURE],
    ['that passes waits where the target branch changed', { facts: { targetBranch: 'next' } }, NOT_SURE],
    [
      'that passes may pass on a commit that is no longer the head',
      { facts: { head: make.sha('next') } },
      asRows(SUCCESS),
    ],
    ['that blocks needs no comparison', { plan: { status: FAILURE }, facts: UNKNOWN }, asRows(FAILURE)],
    ['of a plan that has none is not written', { plan: { status: null } }, []],
    ['that takes a verdict back is written', { plan: { kind: 'withdraw', status: PENDING } }, asRows(PENDING)],
    [
      'that takes a verdict back gives way to a verdict about the present input',
      { plan: { kind: 'withdraw', status: PENDING }, isReviewed: true },
      [['failure', 'Problems to fix before merging']],
    ],
    [
      'of any other plan is written whatever the comments say',
      { plan: { status: PENDING }, isReviewed: true },
      asRows(PENDING),
    ],
    [
      'that is pending is written into an excluded branch',
      { plan: { status: PENDING }, deps: EXCLUDED },
      asRows(PENDING),
    ],
    ['that blocks counts in an excluded branch', { plan: { status: FAILURE }, deps: EXCLUDED }, asRows(FAILURE)],
    [
      'of a change request that was closed is written',
      { plan: { status: FAILURE }, facts: { state: 'closed' } },
      asRows(FAILURE),
    ],
  ])('%s', async (_what, wish, written) => {
    expect((await write(wish)).written).toEqual(written);
  });

  test.each<readonly [string, Wish, readonly unknown[]]>([
    ['that blocks and counts stays', { plan: { status: FAILURE } }, asRows(FAILURE)],
    [
      'that blocks does not count once its change request is closed',
      { plan: { status: FAILURE }, facts: { state: 'closed' } },
      [['pending', 'Held by #6: not reviewed yet']],
    ],
    ['that is pending and counts stays', { plan: { status: PENDING } }, asRows(PENDING)],
    [
      'that is pending does not count in an excluded branch',
      {
        plan: { status: PENDING },
        deps: { countsTarget: (branch) => branch === 'main' },
        facts: { targetBranch: 'excluded' },
      },
      [['pending', 'Held by #6: not reviewed yet']],
    ],
    ['that passes is held', {}, [['pending', 'Held by #6: not reviewed yet']]],
  ])('%s beside another change request', async (_what, wish, written) => {
    expect((await write({ ...wish, others: () => [other(6)] })).written).toEqual(written);
  });

  test('of a change request that does not count is written through one that does', async () => {
    const passing = { others: () => [other(6)], othersPass: true, facts: { state: 'closed' } } as const;
    expect((await write(passing)).through).toEqual([6]);
    expect((await write({ facts: { state: 'closed' } })).through).toEqual([5]);
    expect((await write({})).through).toEqual([5]);
  });

  test('that does not pass is written without a list of change requests; a pass is compared before and after', async () => {
    expect((await write({ plan: { status: FAILURE } })).looks).toBe(0);
    expect((await write({})).looks).toBe(2);
  });

  test('that passed is replaced when another change request appears meanwhile', async () => {
    const { written, said } = await write({ others: (look) => (look === 1 ? [] : [other(6)]) });
    expect(written).toEqual([...asRows(SUCCESS), ['pending', 'Held by #6: not reviewed yet']]);
    expect(said).toMatchObject({ heldBy: 6, unset: null });
  });

  test('does not pass while the change requests with its commit keep changing', async () => {
    const { written } = await write({
      facts: { state: 'closed' },
      others: (look) => [other(5 + look)],
      othersPass: true,
    });
    expect(written).toEqual([
      ...[6, 7, 8, 9].map((number) => ['success', `#${number}: nothing blocks merging`]),
      ['pending', 'Waiting: the change requests with this commit keep changing'],
    ]);
  });
});

test('a place that another process holds is waited for', async () => {
  const waits: number[] = [];
  const underPlace: PosterDeps['underPlace'] = async (...args) =>
    waits.length < 2 ? null : FREE_PLACE.underPlace(...args);
  const { written } = await write({ deps: { underPlace, sleep: async (ms) => void waits.push(ms) } });
  expect([written, waits]).toEqual([asRows(SUCCESS), [200, 200]]);
});

test.each<readonly [string, PlannedStatus, string | undefined, string | null]>([
  ['leads to the summary', { ...FAILURE, url: 'https://forge.example/5#1' }, undefined, 'https://forge.example/5#1'],
  ['leads nowhere while it is pending', { ...PENDING, url: 'https://forge.example/5#1' }, undefined, null],
  ['leads to the announcement, if it has one', PENDING, 'https://forge.example/5#run', 'https://forge.example/5#run'],
  ['leads nowhere without an address', FAILURE, undefined, null],
  [
    'leads to the longest address that all forges keep',
    { ...FAILURE, url: `https://${'x'.repeat(247)}` },
    undefined,
    `https://${'x'.repeat(247)}`,
  ],
  ['leads to no longer one', { ...FAILURE, url: `https://${'x'.repeat(248)}` }, undefined, null],
  ['leads to no address that is not of the web', { ...FAILURE, url: 'javascript:https://x' }, undefined, null],
])('a status %s', async (_what, status, statusUrl, expected) => {
  const { urls } = await write({ plan: { status }, ...(statusUrl === undefined ? {} : { statusUrl }) });
  expect(urls).toEqual([expected]);
});
