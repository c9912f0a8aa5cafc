/** How each kind of plan is worked on, what waits while another process writes, and what guard is told. */
import { EventEmitter } from 'node:events';
import type { Job } from 'bullmq';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { PosterDeps } from '../../../services/poster/deps.ts';
import { createPostHandler, reportLostPlan } from '../../../services/poster/handle.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import { buildAnnouncePlan } from '../../../shared/rounds/plan/announce-plan.ts';
import { buildClosedPlans } from '../../../shared/rounds/plan/closed-plan.ts';
import { buildOutagePlan } from '../../../shared/rounds/plan/outage-plan.ts';
import { buildStatusPlan } from '../../../shared/rounds/plan/status-plan.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import { PAYLOADS } from '../../shared/text/marker-fixture.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge } from './fake-forge.ts';
import { EMPTY_LIST } from './free-place.ts';
import { posterDeps } from './poster-deps.ts';

const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
const noticeId = make.runId('notice');
const run = make.run();

const ANNOUNCE = buildAnnouncePlan(context, { run, runsUsed: 1, supersededInRow: 0 });
const PLANS = {
  announce: ANNOUNCE,
  acknowledge: buildAcknowledgePlan(context, { input: make.at(make.sha('head')), noteId: null, noticeId }),
  status: buildStatusPlan(context, { head: make.sha('head'), noticeId, isDue: true, left: false, waits: null }),
  called: buildAcknowledgePlan(context, { input: make.at(make.sha('head')), noteId: 7, noticeId }),
  outage: buildOutagePlan(context, { run, what: 'model', code: 'MODEL_OVERLOADED', noticeId }),
};

const [CLOSED] = buildClosedPlans(context, { heads: [make.sha('head')], noticeId });
if (CLOSED === undefined) throw new Error('there is one plan per head');

type Stage = {
  readonly plan: PostPlan | null;
  readonly forgeId?: string;
  readonly dryRun?: boolean;
  /** Another process has the lease of the change request, or of the status. */
  readonly held?: 'change request' | 'status';
  /** What posting ends with, instead of posting. */
  readonly posted?: unknown;
};

const stage = ({ plan, forgeId = 'main', dryRun = false, held, posted }: Stage) => {
  const told: InboxEvent[] = [];
  const raised: string[] = [];
  const statuses: string[] = [];
  const reactions: string[] = [];
  const steps: string[] = [];
  const { forge } = createFakeForge();
  const known: PosterDeps['forges'] = new Map([
    [
      'main',
      {
        ...forge,
        read: {
          fetchChangeRequest: async () => make.changeRequest(),
          fetchComments: async () => [],
          readOpenPage: async () => EMPTY_LIST,
          fetchStatuses: async () => [],
        },
        write: {
          ...forge.write,
          writeStatus: async (_of, { description }) => {
            statuses.push(description);
            return null;
          },
          react: async (_of, commentId) => void reactions.push(commentId),
        },
      },
    ],
  ]);
  const deps = posterDeps({
    forges: known,
    dryRun,
    ...(held === 'status' && { underPlace: async () => null }),
    loadPlan: async () => plan,
    deliver: async (_of, event) => void told.push(event),
    underLease: async (_of, signal, work) => {
      if (held === 'change request') return null;
      // The type of what the work would return is not known here.
      return { result: posted === undefined ? await work(signal) : (posted as never) };
    },
    raise: async ({ kind }) => void raised.push(kind),
    nowMs: () => 7,
    checkpoint: (step) => void steps.push(step),
  });
  const job = {
    v: 1 as const,
    changeRequest: { ...ANNOUNCE.changeRequest, forge: ForgeId.parse(forgeId) },
    runId: run.runId,
    planId: plan?.planId ?? 'plan',
    budget: { maxWrites: 10, maxRuntimeS: 10 },
  };
  // The handler only hands the library's job on.
  const unused = new EventEmitter() as unknown as Job;
  const work = { signal: never(), log: pino({ level: 'silent' }), job: unused, attempt: 1 };
  return {
    deps,
    job,
    told,
    raised,
    statuses,
    reactions,
    steps,
    handle: async () => createPostHandler(deps)(job, work),
  };
};

const DEFERRED = { kind: 'defer', delayMs: 500 };

describe('a plan', () => {
  test.each([
    ['announce', 'change request'],
    ['outage', 'change request'],
    ['acknowledge', 'status'],
    ['status', 'status'],
  ] as const)('of the kind %s waits while another process writes to the %s', async (kind, held) => {
    const { handle, told, statuses } = stage({ plan: PLANS[kind], held });
    expect(await handle()).toEqual(DEFERRED);
    expect({ told, statuses }).toEqual({ told: [], statuses: [] });
  });

  test.each([
    ['outage', 'status'],
    ['acknowledge', 'change request'],
    ['status', 'change request'],
  ] as const)('of the kind %s writes its status without the lease of the other', async (kind, held) => {
    // The lease of a status is waited for by plans that hold a change request.
    const { handle, told, statuses } = stage({ plan: PLANS[kind], ...(held === 'change request' && { held }) });
    expect(await handle()).toEqual({ kind: 'done' });
    expect(statuses).toHaveLength(1);
    expect(told).toEqual([]);
  });

  test.each(['acknowledge', 'status', 'outage'] as const)(
    'of the kind %s writes nothing in a dry run',
    async (kind) => {
      const { handle, statuses } = stage({ plan: PLANS[kind], dryRun: true });
      expect(await handle()).toEqual({ kind: 'done' });
      expect(statuses).toEqual([]);
    },
  );

  test('that answers a command reacts to its comment, and one that only looks at the status does not', async () => {
    const called = stage({ plan: PLANS.called });
    await called.handle();
    expect([called.reactions, called.statuses]).toEqual([['7'], ['Waiting for the review to begin']]);
    const looked = stage({ plan: { ...PLANS.status, reactions: ['7'] } });
    await looked.handle();
    expect(looked.reactions).toEqual([]);
  });

  test('of a change request that was closed is not posted when it is open again', async () => {
    const { handle, told, statuses } = stage({ plan: CLOSED });
    await handle();
    expect([statuses, told.map((event) => 'outcome' in event && event.outcome)]).toEqual([[], ['head_moved']]);
  });

  test('passes the step at which it is posted and not yet reported', async () => {
    const { handle, steps, told } = stage({ plan: CLOSED });
    await handle();
    expect([steps.at(-1), told.length]).toEqual(['before-report', 1]);
  });

  test('that is lost, or of a forge that is gone from the configuration, is an error', async () => {
    await expect(stage({ plan: null }).handle()).rejects.toMatchObject({ code: 'STORED_DOCUMENT_MISSING' });
    await expect(stage({ plan: PLANS.announce, forgeId: 'old' }).handle()).rejects.toMatchObject({
      code: 'FORGE_NOT_CONFIGURED',
      fields: { forge: 'old' },
    });
  });
});

const base = { source: 'post', atMs: 7, runId: run.runId, planId: ANNOUNCE.planId, code: null };

describe('guard is told', () => {
  test.each([
    ['posted', { outcome: 'posted' }],
    ['head_moved', { outcome: 'head_moved' }],
  ] as const)('that a plan ended with %s', async (posted, expected) => {
    const { handle, told } = stage({ plan: PLANS.announce, posted });
    expect(await handle()).toEqual({ kind: 'done' });
    expect(told).toEqual([{ ...base, id: `${posted}-${ANNOUNCE.planId}`, ...expected }]);
  });

  test('which other process reviews the input', async () => {
    const other = { run: make.runId('other'), review: 1, attempt: 1, untilMs: 9 };
    const { handle, told } = stage({ plan: PLANS.announce, posted: { gaveWayTo: other } });
    await handle();
    expect(told).toEqual([{ ...base, id: `gave_way-${ANNOUNCE.planId}`, outcome: 'gave_way', other }]);
  });

  test('of a lost plan that its attempt failed', async () => {
    const { deps, job, told } = stage({ plan: PLANS.announce });
    await reportLostPlan(deps)(job, 'BROKEN');
    expect(told).toEqual([{ ...base, id: `failed-${ANNOUNCE.planId}`, outcome: 'failed', code: 'BROKEN' }]);
  });

  test('of a plan that is gone from Redis that its attempt failed', async () => {
    const { deps, job, told } = stage({ plan: null });
    const outage = { what: 'forge', code: 'FORGE_UNAVAILABLE', retryAfterMs: null } as const;
    await reportLostPlan(deps)(job, 'FORGE_UNAVAILABLE', { kind: 'outage', outage });
    expect(told).toMatchObject([{ source: 'post', outcome: 'failed', code: 'FORGE_UNAVAILABLE' }]);
  });

  test('of an announcement that an outage prevented that no run has begun', async () => {
    const outage = {
      kind: 'outage',
      outage: { what: 'forge', code: 'FORGE_UNAVAILABLE', retryAfterMs: null },
    } as const;
    const { deps, job, told } = stage({ plan: PLANS.announce });
    await reportLostPlan(deps)(job, 'FORGE_UNAVAILABLE', outage);
    expect(told).toMatchObject([{ source: 'outage', kind: 'over', what: 'forge', code: 'FORGE_UNAVAILABLE', atMs: 7 }]);
  });

  test('of any other plan that an outage prevented that its attempt failed', async () => {
    const outage = {
      kind: 'outage',
      outage: { what: 'forge', code: 'FORGE_UNAVAILABLE', retryAfterMs: null },
    } as const;
    const { deps, job, told } = stage({ plan: { ...PLANS.announce, kind: 'review' } });
    await reportLostPlan(deps)(job, 'FORGE_UNAVAILABLE', outage);
    expect(told).toMatchObject([{ source: 'post', outcome: 'failed', code: 'FORGE_UNAVAILABLE' }]);
  });
});

describe('a hand-off raises a notification', () => {
  const marker = PAYLOADS.find((payload) => payload.kind === 'handoff');
  const notices = marker?.kind === 'handoff' ? [{ marker, text: 'x', mention: true }] : [];
  const plan: PostPlan = { ...PLANS.announce, notices };

  test.each([
    ['once it is posted', { plan, posted: 'posted' }, ['handoff']],
    ['and not when the head has moved', { plan, posted: 'head_moved' }, []],
    ['and not in a dry run', { plan, posted: 'posted', dryRun: true }, []],
    ['and no other comment does', { plan: PLANS.announce, posted: 'posted' }, []],
  ] as const)('%s', async (_when, wish, expected) => {
    const { handle, raised } = stage(wish);
    await handle();
    expect(raised).toEqual(expected);
  });
});
