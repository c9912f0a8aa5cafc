/** The status of a commit for which nothing is posted: what is written, and when the forge is left alone. */
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { Posting } from '../../../services/poster/deps.ts';
import { rewriteStatus } from '../../../services/poster/rewrite-status.ts';
import type { ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import type { CommitStatus, StatusState } from '../../../shared/forge/port-statuses.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { buildStatusPlan } from '../../../shared/rounds/plan/status-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { summaryBy } from '../../shared/rounds/two-runs-world.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge } from './fake-forge.ts';
import { EMPTY_LIST } from './free-place.ts';
import { posterDeps } from './poster-deps.ts';

const { status } = make;
const HEAD = make.sha('head');
const VERDICT = signMarker(summaryBy({ seed: 'run', attempt: 1, runs: 1 }, 'posted'), make.SECRET);
const PASS = signMarker(
  {
    ...summaryBy({ seed: 'run', attempt: 1, runs: 1 }, 'posted'),
    verdict: 'lgtm',
    reviewed: [make.reviewedAt(HEAD, { verdict: 'lgtm' })],
  },
  make.SECRET,
);

type Wish = {
  /** What is ordered for the commit; `plain`: only to look at it. */
  readonly order?: 'due' | 'waits' | 'left' | 'plain';
  readonly facts?: Partial<ChangeRequestFacts> | null;
  readonly statuses?: readonly CommitStatus[];
  /** The summary has the verdict "feedback" for the commit. */
  readonly reviewed?: boolean;
  readonly isShared?: boolean;
  readonly counts?: boolean;
  readonly dryRun?: boolean;
  readonly isHeld?: boolean;
  /** The verdict of `reviewed`. */
  readonly passes?: boolean;
  /** Another open change request with the commit, without a verdict. */
  readonly other?: ChangeRequestFacts;
};

const run = async (wish: Wish) => {
  const { order = 'plain', facts = {}, statuses = [], reviewed = false } = wish;
  const changeRequest = make.changeRequest({ head: HEAD });
  const seen = facts === null ? null : { ...changeRequest, ...facts };
  const written: (readonly [StatusState, string])[] = [];
  const asked: string[] = [];
  const marked: string[] = [];
  const { forge } = createFakeForge();
  const said = make.comment(wish.passes === true ? PASS : VERDICT, { author: { id: make.BOT_ID, login: 'fixpoint' } });
  const deps = posterDeps({
    dryRun: wish.dryRun ?? false,
    ...(wish.isHeld === true && { underPlace: async () => null }),
    countsTarget: () => wish.counts ?? true,
    shared: { mark: async ({ head }) => void marked.push(head), has: async () => wish.isShared ?? false },
  });
  const posting: Posting = {
    deps,
    forge: {
      ...forge,
      read: {
        fetchChangeRequest: async ({ number }) => (number === wish.other?.changeRequest.number ? wish.other : seen),
        fetchComments: async ({ number }) => (reviewed && number === changeRequest.changeRequest.number ? [said] : []),
        readOpenPage: async () => (wish.other === undefined ? EMPTY_LIST : { ...EMPTY_LIST, open: [wish.other] }),
        fetchStatuses: async () => {
          asked.push('statuses');
          return statuses;
        },
      },
      write: {
        ...forge.write,
        writeStatus: async (_of, { state, description }) => {
          written.push([state, description]);
          return null;
        },
      },
    },
    plan: buildStatusPlan(
      { facts: seen ?? changeRequest, history: make.history(), policy: make.policy() },
      {
        head: HEAD,
        noticeId: make.runId('notice'),
        isDue: order === 'due',
        left: order === 'left',
        waits: order === 'waits' ? 'draft' : null,
      },
    ),
    log: pino({ level: 'silent' }),
    signal: never(),
  };
  return { isDone: await rewriteStatus(posting), written, marked, asked };
};

const NEXT = make.sha('next');
const REPLACED = `Not reviewed: replaced by commit ${NEXT.slice(0, 10)}`;

describe('the head of an open change request', () => {
  test.each<readonly [string, Wish, readonly (readonly [StatusState, string])[]]>([
    [
      'gets the verdict that somebody overwrote',
      { reviewed: true, statuses: [status('success')] },
      [['failure', 'Problems to fix']],
    ],
    ['keeps its verdict, whatever its words', { reviewed: true, statuses: [status('failure')] }, []],
    ['without a verdict and without a status is not announced by a mere look', {}, []],
    ['without a verdict gets the reason for which it waits', { order: 'waits' }, [['pending', 'Not reviewed: draft']]],
    ['that is due says so', { order: 'due' }, [['pending', 'Not reviewed yet']]],
    ['that is due and says so already is not written again', { order: 'due', statuses: [status('pending')] }, []],
    [
      'takes a foreign pass back once it is due',
      { order: 'due', statuses: [status('success')] },
      [['pending', 'Not reviewed yet']],
    ],
    [
      'has its status written at the present place when it is only at an older one',
      { statuses: [status('pending', { elsewhere: true })] },
      [['pending', 'Not reviewed yet']],
    ],
    [
      'into an excluded branch gets no pending status of its own, and the planned words where one is there',
      { order: 'due', counts: false, statuses: [status('success')] },
      [['pending', 'Not reviewed yet']],
    ],
    [
      'into an excluded branch counts with its verdict',
      { reviewed: true, counts: false, statuses: [status('pending')] },
      [['failure', 'Problems to fix']],
    ],
    ['is not touched by a status of another tool', { statuses: [status('success', { context: 'build' })] }, []],
  ])('%s', async (_what, wish, written) => {
    const done = await run(wish);
    expect(done).toMatchObject({ isDone: true });
    expect(done.written.map(([state]) => state)).toEqual(written.map(([state]) => state));
    for (const [at, [, words]] of written.entries()) expect(done.written[at]?.[1]).toContain(words.slice(0, 12));
  });
});

describe('a commit that is no longer the head', () => {
  const moved = { head: NEXT };

  test.each<readonly [string, Wish, readonly (readonly [StatusState, string])[]]>([
    [
      'is left alone where nothing is ordered and nobody shares it',
      { facts: moved, statuses: [status('pending')] },
      [],
    ],
    [
      'is ended when its status is pending',
      { order: 'left', facts: moved, statuses: [status('pending')] },
      [['error', REPLACED]],
    ],
    [
      'is ended with its verdict when it blocked',
      { order: 'left', facts: moved, reviewed: true, statuses: [status('pending')] },
      [['failure', 'Problems to fix']],
    ],
    [
      'does not pass, although it passed as the head',
      { order: 'left', facts: moved, reviewed: true, passes: true, statuses: [status('pending')] },
      [['error', REPLACED]],
    ],
    ['is not ended twice', { order: 'left', facts: moved, statuses: [status('error')] }, []],
    ['is not given a first status', { order: 'left', facts: moved }, []],
    [
      'is ended where the change request was closed',
      { order: 'left', facts: { state: 'closed' }, statuses: [status('pending')] },
      [['error', 'Not reviewed']],
    ],
    [
      'is not ended where the change request is gone, for nobody can be asked',
      { order: 'left', facts: null, statuses: [status('pending')] },
      [],
    ],
  ])('%s', async (_what, wish, written) => {
    const done = await run(wish);
    expect(done.isDone).toBe(true);
    expect(done.written.map(([state]) => state)).toEqual(written.map(([state]) => state));
    for (const [at, [, words]] of written.entries()) expect(done.written[at]?.[1]).toContain(words.slice(0, 12));
  });
});

test('a pending status marks the commit, so that whoever leaves it looks at it again', async () => {
  expect((await run({ order: 'due' })).marked).toEqual([HEAD]);
  expect((await run({ reviewed: true, statuses: [status('success')] })).marked).toEqual([]);
});

test('nothing is written while another process writes there, and in a dry run', async () => {
  expect(await run({ order: 'due', isHeld: true })).toMatchObject({ isDone: false, written: [] });
  expect(await run({ order: 'due', dryRun: true })).toMatchObject({ isDone: true, written: [] });
});

test('a commit that nobody uses costs the forge no further question', async () => {
  const moved = { facts: { head: NEXT }, statuses: [status('pending')] };
  expect((await run(moved)).asked).toEqual([]);
  expect((await run({ ...moved, isShared: true })).asked).toEqual(['statuses']);
});

describe('a commit with the verdict "nothing blocks merging"', () => {
  const passing = {
    reviewed: true,
    passes: true,
    statuses: [status('success', { description: 'Nothing blocks merging' })],
  };

  test('is not written again while it alone counts', async () => {
    expect((await run(passing)).written).toEqual([]);
  });

  test('is held by another change request that shares it', async () => {
    const changeRequest = { ...make.changeRequest().changeRequest, number: 6 };
    const other = make.changeRequest({ head: HEAD, changeRequest });
    expect((await run({ ...passing, other })).written).toEqual([['pending', 'Held by #6: not reviewed yet']]);
  });
});
