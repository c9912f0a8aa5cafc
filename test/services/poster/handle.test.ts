import { EventEmitter } from 'node:events';
import type { Job } from 'bullmq';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createPostHandler } from '../../../services/poster/handle.ts';
import { type ForgeErrorCode, ForgeRequestError } from '../../../shared/forge/errors.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { buildAnnouncePlan } from '../../../shared/rounds/plan/announce-plan.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge } from './fake-forge.ts';
import { EMPTY_LIST } from './free-place.ts';
import { posterDeps } from './poster-deps.ts';

const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
const plan = buildAnnouncePlan(context, { run: make.run(), runsUsed: 1, supersededInRow: 0 });
const job = {
  v: 1 as const,
  changeRequest: { ...plan.changeRequest, forge: ForgeId.parse('main') },
  runId: plan.runId,
  planId: plan.planId,
  budget: { maxWrites: 10, maxRuntimeS: 10 },
};

const refusal = (code: ForgeErrorCode) =>
  new ForgeRequestError({ code, message: 'no', disposition: { kind: 'fail' }, fields: { status: 202 } });

/** Posts the announcement of a run to a forge that answers its comment with this error. */
const postAgainst = async (code: ForgeErrorCode) => {
  const { forge } = createFakeForge();
  const metrics = createMetrics({ service: 'poster', processMetrics: false });
  let tries = 0;
  const deps = posterDeps({
    forges: new Map([
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
            clearLeftovers: async () => 0,
            // A fork: a comment has to announce the run.
            writeStatus: async () => 'fork' as const,
            createComment: async () => {
              tries += 1;
              throw refusal(code);
            },
          },
        },
      ],
    ]),
    loadPlan: async () => plan,
    underLease: async (_of, signal, work) => ({ result: await work(signal) }),
    metrics,
  });
  // The handler only hands the library's job on.
  const unused = new EventEmitter() as unknown as Job;
  const log = pino({ level: 'silent' });
  const outcome: unknown = await createPostHandler(deps)(job, { signal: never(), log, job: unused, attempt: 1 }).then(
    () => 'done',
    (error: unknown) => error,
  );
  const counted = (await metrics.alarms.get()).values.map(({ labels, value }) => [labels.code, value]);
  return { outcome, tries, counted };
};

describe('a text that the forge takes for commands', () => {
  test('is an alarm, and is sent once', async () => {
    const { outcome, tries, counted } = await postAgainst('FORGE_COMMANDS_ONLY');
    expect(outcome).toMatchObject({ code: 'FORGE_COMMANDS_ONLY', disposition: { kind: 'fail' } });
    expect({ tries, counted }).toEqual({ tries: 1, counted: [['FORGE_COMMANDS_ONLY', 1]] });
  });

  test('is told from every other refusal', async () => {
    const { outcome, tries, counted } = await postAgainst('FORGE_REJECTED');
    expect(outcome).toMatchObject({ code: 'FORGE_REJECTED' });
    expect({ tries, counted }).toEqual({ tries: 1, counted: [] });
  });
});
