/** Where the start of a run is announced: in the status, unless a summary exists or no status can carry it. */
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { Posting } from '../../../services/poster/deps.ts';
import { post } from '../../../services/poster/post.ts';
import { type ForgeErrorCode, ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { OutgoingStatus, StatusLink, StatusRefusal } from '../../../shared/forge/port-statuses.ts';
import { announcementUrl, readAnnouncement } from '../../../shared/rounds/memory/announcement-url.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { buildAnnouncePlan } from '../../../shared/rounds/plan/announce-plan.ts';
import { buildRepliesAnnouncePlan } from '../../../shared/rounds/plan/thread-replies-plan.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge } from './fake-forge.ts';
import { EMPTY_LIST } from './free-place.ts';
import { posterDeps } from './poster-deps.ts';

const FACTS = make.changeRequest();
const CONTEXT = { facts: FACTS, history: make.history(), policy: make.policy() };
const PLAN = buildAnnouncePlan(CONTEXT, { run: make.run({ phase: 'announcing' }), runsUsed: 3, supersededInRow: 1 });
const SUMMARY = make.comment(signMarker(PLAN.summary.marker, make.SECRET), { id: '4' });

const AT = { key: make.KEY, head: FACTS.head };

type Stage = {
  readonly plan?: PostPlan;
  readonly before?: readonly ForgeComment[];
  readonly refusal?: StatusRefusal;
  readonly maxTargetUrl?: number;
  /** Announced by another process before this status. */
  readonly rival?: boolean;
  readonly keepsStatuses?: boolean;
  /** Written by others since the reading; `updatedAtMs` tells. */
  readonly since?: readonly ForgeComment[];
  /** Written by others while this run writes its comment. */
  readonly late?: readonly ForgeComment[];
  /** How the forge answers the question about statuses, instead of answering it. */
  readonly noStatuses?: ForgeErrorCode;
};

const RIVAL = make.runId('rival');

const rivalLink = (): StatusLink => {
  const announcement = PLAN.announcement === null ? null : { ...PLAN.announcement, run: RIVAL };
  const wish = { at: AT, pageUrl: 'https://forge.example/5', secret: make.SECRET, maxLength: 2_000 };
  const url = announcement === null ? null : announcementUrl(announcement, wish);
  return { url: url ?? '', creatorId: make.BOT_ID, id: 1, isOver: false };
};

const announce = async (stage: Stage) => {
  const { plan = PLAN, before = [], refusal, maxTargetUrl = 2_000, rival = false, keepsStatuses = true } = stage;
  const { since = [], late = [], noStatuses } = stage;
  const asked: string[] = [];
  const steps: string[] = [];
  const statuses: OutgoingStatus[] = [];
  const handed: unknown[] = [];
  const fake = createFakeForge();
  const forge: Posting['forge'] = {
    ...fake.forge,
    maxTargetUrl,
    keepsStatuses,
    read: {
      fetchChangeRequest: async () => {
        asked.push('change request');
        return since.length > 0 && statuses.length > 0 ? { ...FACTS, updatedAtMs: 1 } : FACTS;
      },
      fetchComments: async () => {
        const edited = fake.written.find(({ what }) => what.startsWith('edit'))?.bodies[0];
        const created = fake.written.filter(({ what }) => what === 'create');
        return [
          ...(statuses.length > 0 ? since : []),
          ...before.map((each) => (edited === undefined ? each : { ...each, body: edited })),
          ...(created.length > 0 ? late : []),
          ...created.map(({ bodies }) => make.comment(bodies[0] ?? '')),
        ];
      },
      fetchStatuses: async () => {
        asked.push('statuses');
        if (noStatuses !== undefined)
          throw new ForgeRequestError({ code: noStatuses, message: 'no', disposition: { kind: 'fail' } });
        const own = statuses.map(({ targetUrl }) => ({ ...rivalLink(), url: targetUrl ?? '', id: 2 }));
        const links = [...(rival ? [rivalLink()] : []), ...(refusal === undefined ? own : [])];
        return [{ context: 'fixpoint', state: 'pending', description: '', createdAtMs: 0, links }];
      },
      readOpenPage: async () => EMPTY_LIST,
    },
    write: {
      ...fake.forge.write,
      writeStatus: async (_of, status) => {
        statuses.push(status);
        return refusal ?? null;
      },
      deleteComment: async () => {},
    },
  };
  const deps = posterDeps({
    loadPlan: async () => plan,
    readings: {
      hand: async (_of, reading) => void handed.push(reading),
      drop: async () => {},
      takeLook: async () => null,
    },
    checkpoint: (step) => void steps.push(step),
  });
  const outcome = await post({ deps, forge, plan, log: pino({ level: 'silent' }), signal: never() });
  const said = statuses.map(({ targetUrl }) => readAnnouncement(targetUrl ?? '', AT, [make.SECRET]));
  return { written: fake.written.map(({ what }) => what), statuses, said, handed, outcome, asked, steps };
};

describe('F-R12: the start of a run', () => {
  test('is announced in the pending status, with its counts, and in no comment', async () => {
    const { written, statuses, said, handed, steps } = await announce({});
    expect(steps).toEqual(['before-status', 'after-status']);
    expect(written).toEqual([]);
    expect(statuses.map(({ state }) => state)).toEqual(['pending']);
    expect(said).toEqual([PLAN.announcement]);
    expect(said[0]).toMatchObject({ runs: 3, attempt: 1, review: 1, superseded: 1 });
    // Guard goes on with what was read, and asks for no comments again.
    expect(handed).toHaveLength(1);
  });

  test('is announced in the status first where a summary exists, then there', async () => {
    const plan = again();
    const { written, said } = await announce({ before: [{ ...SUMMARY, body: `Old.\n\n${SUMMARY.body}` }], plan });
    expect([written, said]).toEqual([['edit 4'], [plan.announcement]]);
  });

  test.each<[string, Stage]>([
    ['the forge refuses the status', { refusal: 'fork' }],
    ['the forge keeps the link of an earlier one', { refusal: 'kept' }],
    ['the link is too long', { maxTargetUrl: 40 }],
  ])('is announced in a summary when %s', async (_what, stage) => {
    const { written } = await announce(stage);
    expect(written[0]).toBe('create');
  });

  test('is announced in the status when answers in threads begin and somebody deleted the summary', async () => {
    const run = make.replyRun({ phase: 'announcing' });
    const { written, statuses, said } = await announce({
      plan: buildRepliesAnnouncePlan(CONTEXT, { run, runsUsed: 2 }),
    });
    expect([written, statuses.map(({ state }) => state)]).toEqual([[], ['pending']]);
    expect(said[0]).toMatchObject({ runs: 2, replies: run.scope });
  });
});

describe('a run gives way', () => {
  const until = PLAN.announcement?.until ?? null;
  const GAVE_WAY = { gaveWayTo: { run: RIVAL, review: 1, attempt: 1, until } };
  const posted: ForgeComment = make.comment(
    signMarker(
      { ...PLAN.summary.marker, run: RIVAL, phase: 'posted', until: null, reviewed: [make.reviewedAt(FACTS.head)] },
      make.SECRET,
    ),
  );
  const DONE = { gaveWayTo: { run: RIVAL, review: 1, attempt: 1, until: null } };

  test.each<[string, Stage]>([
    ['that was announced first', { rival: true }],
    ['that was announced first, before the summary is edited', { rival: true, before: [SUMMARY] }],
    ['whose status the forge keeps', { rival: true, refusal: 'kept', keepsStatuses: false }],
  ])('to one %s, and writes no comment', async (_what, stage) => {
    const { outcome, written, handed } = await announce(stage);
    expect([outcome, written, handed]).toEqual([GAVE_WAY, [], []]);
  });

  test('to one that has posted its review since, and restores its status', async () => {
    const { outcome, written, statuses } = await announce({ keepsStatuses: false, since: [posted] });
    expect([outcome, written]).toEqual([DONE, []]);
    expect(statuses.map(({ state }) => state)).toEqual(['pending', 'failure']);
  });

  test('to none when the forge has it announced first', async () => {
    const { outcome } = await announce({});
    expect(outcome).toBe('posted');
  });

  test('to one whose older comment appears only after its own was written', async () => {
    const summary = { ...PLAN.summary.marker, run: RIVAL };
    const { outcome } = await announce({ refusal: 'fork', late: [make.comment(signMarker(summary, make.SECRET))] });
    expect(outcome).toEqual(GAVE_WAY);
  });
});

describe('the forge is asked no more than is needed', () => {
  test.each<[string, Stage, readonly string[]]>([
    ['where it keeps all statuses, they tell of every other run', {}, ['change request', 'statuses']],
    [
      'where it keeps only the first, a status that was taken says that there is no other; a change shows what was posted',
      { keepsStatuses: false },
      ['change request', 'change request'],
    ],
  ])('%s', async (_what, stage, requests) => {
    expect((await announce(stage)).asked).toEqual(requests);
  });

  test.each(['FORGE_FORBIDDEN', 'FORGE_NOT_FOUND'] as const)(
    'an account that may not read statuses (%s) announces its run in a comment',
    async (noStatuses) => {
      const { outcome, written } = await announce({ refusal: 'fork', noStatuses });
      expect([outcome, written[0]]).toEqual(['posted', 'create']);
    },
  );

  test('a forge that fails to list its statuses ends the attempt, because a rival could be among them', async () => {
    await expect(announce({ noStatuses: 'FORGE_UNAVAILABLE' })).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
  });
});

/** The next run: its marker differs from the one that stands. */
const again = (): PostPlan =>
  buildAnnouncePlan(CONTEXT, { run: make.run({ phase: 'announcing', attempt: 2 }), runsUsed: 4, supersededInRow: 1 });
