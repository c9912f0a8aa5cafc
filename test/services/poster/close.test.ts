import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { close } from '../../../services/poster/close.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { CommitStatus } from '../../../shared/forge/port-statuses.ts';
import { buildAnnouncePlan } from '../../../shared/rounds/plan/announce-plan.ts';
import { buildClosedPlans } from '../../../shared/rounds/plan/closed-plan.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import { signMarker, stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge } from './fake-forge.ts';
import { EMPTY_LIST } from './free-place.ts';
import { posterDeps } from './poster-deps.ts';

const context = { facts: make.changeRequest({ state: 'closed' }), history: make.history(), policy: make.policy() };
const { marker } = buildAnnouncePlan(context, { run: make.run(), runsUsed: 1, supersededInRow: 0 }).summary;
const summary = make.comment(`In progress.\n\n${signMarker(marker, make.SECRET)}`);

type Situation = {
  readonly state?: ChangeRequestFacts['state'];
  readonly comments?: readonly ForgeComment[];
  readonly status?: CommitStatus['state'] | null;
  readonly dryRun?: boolean;
};

const closeWith = async ({ state = 'closed', comments = [summary], status = 'pending', dryRun = false }: Situation) => {
  const key = make.KEY;
  const history = rebuildHistory({ comments: [summary], key, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] });
  const [plan] = buildClosedPlans({ ...context, history }, { heads: [make.sha('head')], noticeId: make.runId('n') });
  if (plan === undefined) throw new Error('there is one plan per head');
  const { forge, written } = createFakeForge();
  const standing = [...comments];
  const statuses: string[] = [];
  const deps = posterDeps({
    dryRun,
    loadPlan: async () => plan,
  });
  const outcome = await close({
    deps,
    plan,
    log: pino({ level: 'silent' }),
    signal: never(),
    forge: {
      ...forge,
      read: {
        fetchChangeRequest: async () => make.changeRequest({ state }),
        fetchComments: async () => standing,
        readOpenPage: async () => EMPTY_LIST,
        fetchStatuses: async () =>
          status === null ? [] : [{ context: 'fixpoint', state: status, description: '', createdAtMs: 0 }],
      },
      write: {
        ...forge.write,
        editComment: async (of, comment, body, signal) => {
          standing.splice(0, standing.length, { ...comment, body });
          await forge.write.editComment(of, comment, body, signal);
        },
        writeStatus: async (_of, each) => {
          statuses.push(each.state);
          return null;
        },
      },
    },
  });
  return { outcome, statuses, written: written.map(({ bodies }) => stripMarkers(bodies[0] ?? '').split('\n')[0]) };
};

describe('the last words on a change request that ended under its review', () => {
  test('correct the summary and end the status', async () => {
    const done = { outcome: 'posted', statuses: ['error'], written: ['**Not reviewed**: closed too early'] };
    expect(await closeWith({})).toEqual(done);
    expect(await closeWith({ state: 'merged' })).toEqual(done);
  });

  test('are not said when it is open again', async () => {
    expect(await closeWith({ state: 'open' })).toEqual({ outcome: 'head_moved', statuses: [], written: [] });
  });

  test.each(['success', 'failure', 'error', null] as const)('leave the status %s as it is', async (status) => {
    expect((await closeWith({ status })).statuses).toEqual([]);
  });

  test('make no new summary in place of one that somebody took away', async () => {
    expect(await closeWith({ comments: [] })).toEqual({ outcome: 'posted', statuses: ['error'], written: [] });
  });

  test('are only thought in a dry run', async () => {
    expect(await closeWith({ dryRun: true })).toEqual({ outcome: 'posted', statuses: [], written: [] });
  });
});
