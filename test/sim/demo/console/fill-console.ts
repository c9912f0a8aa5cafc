/** What guard, the sweep and the services would have stored in a busy week, for the pictures of the operator's page. */
import { UnrecoverableError, Worker } from 'bullmq';
import { ReviewDraft } from '../../../../shared/rounds/model/draft.ts';
import { createPauses } from '../../../../shared/store/board/pauses.ts';
import { createRunLog } from '../../../../shared/store/board/run-log.ts';
import { createDocumentStore } from '../../../../shared/store/documents.ts';
import { redisTargetOf } from '../../../../shared/runtime/redis-target.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { createProjectNames } from '../../../../shared/store/spending/project-names.ts';
import { spendingField, spendingKey } from '../../../../shared/store/spending/spending-record.ts';
import { createHookReports, type HookReport } from '../../../../shared/store/sweep/sweep-hooks.ts';
import type { ChangeRequest } from '../../../../shared/vocabulary/ids.ts';
import {
  at,
  type ConsoleStage,
  store,
  storeScene,
  threadView,
  viewOf,
} from '../../../services/console/console-stage.ts';
import * as make from '../../../shared/rounds/builders.ts';

type Source = ConsoleStage['source'];

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const PROJECTS: readonly (readonly [id: number, path: string, hook: HookReport['health']])[] = [
  [4, 'acme/shop', 'working'],
  [5, 'acme/platform/payments-and-settlement-service', 'partial'],
  [6, 'acme/website', 'working'],
];

const LONG_BRANCH = 'renovate/major-kubernetes-client-and-every-package-that-depends-on-its-generated-types';

/** Returns the change request with the most to see. */
export const fillConsole = async (stage: ConsoleStage): Promise<ChangeRequest> => {
  const { source } = stage;
  await storeScene(source);
  await storeBusy(source);
  await storeProjects(source);
  await storeCosts(source);
  await failJobs(stage);
  return at(7);
};

const storeBusy = async (source: Source): Promise<void> => {
  const { redis, keys, nowMs } = source;
  const head = make.sha('first');
  const runId = make.runId('first');
  const findings = [
    make.finding({}, { title: 'The retry charges the card twice', path: 'src/billing/charge.ts', line: 42 }),
    make.finding({}, { title: 'The file is never closed', path: 'src/billing/report.ts', line: 7, severity: 'P2' }),
  ];
  const spent = { ...make.draft().spent, costUsd: 0.84, wallMs: 312_000 };
  const draft = make.draft({ runId, head, findings, spent, summary: 'The retry charges twice.' });
  await createDocumentStore(redis, ReviewDraft).save(keys.ofRun(runId, 'draft'), draft);
  const run = { runId, kind: 'review', review: 1, attempt: 1, head } as const;
  await createRunLog(redis, keys).add(at(7), run, nowMs() - 26 * MINUTE_MS);
  await store(source, 7, {
    view: viewOf(7, {
      spent: { ...spent, costUsd: 0.84 },
      reviews: [{ review: 1, head, verdict: 'feedback', complete: true, seenBy: 'model' }],
      threads: [
        threadView({
          id: 'F-003',
          title: 'The file is never closed',
          rule: 'no-leaked-handle',
          line: 7,
          severity: 'P2',
        }),
        threadView({ id: 'F-002', title: 'An error is swallowed', severity: 'P2', blocking: false, state: 'resolved' }),
        threadView(),
      ],
    }),
    isWorking: true,
  });
  await store(source, 12, {
    view: viewOf(12, { title: 'Update the Kubernetes client', sourceBranch: LONG_BRANCH, author: 'renovate-bot' }),
    state: { quiet: { head: make.sha('head'), untilMs: nowMs() + 45_000 } },
    isWorking: true,
  });
};

const storeProjects = async ({ redis, keys, nowMs, config }: Source): Promise<void> => {
  const reports = createHookReports(redis, keys);
  const names = createProjectNames(redis, config.redis.prefix);
  for (const [projectId, path, health] of PROJECTS) {
    const lacks = health === 'partial' ? ['comments', 'pipelines'] : [];
    await reports.save('sim', { v: 1, projectId, path, health, untilMs: null, lacks, atMs: nowMs() - MINUTE_MS });
    await names.save({ forge: 'sim', projectId }, path);
  }
  await createPauses(redis, keys).pause(
    { forge: 'sim', projectId: 6 },
    { atMs: nowMs() - 20 * MINUTE_MS, by: "the operator's page, from 10.0.0.7" },
  );
};

/** The same in each run: a week has two quiet days. */
const usdOf = (daysAgo: number): number => (daysAgo % 7 < 2 ? 4 : 18) + ((daysAgo * 37) % 11);

const storeCosts = async ({ redis, nowMs, config }: Source): Promise<void> => {
  const { prefix } = config.redis;
  const dayOf = (daysAgo: number): string => new Date(nowMs() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  for (let daysAgo = 0; daysAgo < 30; daysAgo += 1)
    for (const [projectId, share] of [
      [4, 0.6],
      [5, 0.3],
      [6, 0.1],
    ] as const)
      for (const [role, model, part] of [
        ['reviewer', 'anthropic/claude-opus', 0.8],
        ['explorer', 'house/coder-32b', 0.2],
      ] as const) {
        const usd = usdOf(daysAgo) * share * part;
        const amounts = [Math.ceil(usd * 3), usd * 90_000, usd * 61_000, usd * 2_100, usd * 1e6].map(Math.round);
        const field = spendingField({ forge: 'sim', projectId, role, model });
        await redis.hset(spendingKey(prefix, dayOf(daysAgo)), field, amounts.join(','));
      }
  const spent = async (key: string, usd: number): Promise<unknown> =>
    redis.hset(`{${prefix}}:spent:${key}`, { tokens: Math.round(usd * 92_000), microUsd: usd * 1e6 });
  await spent(`day:${dayOf(0)}`, 31.4);
  await spent(`project:sim.4:${dayOf(0)}`, 22.1);
  await spent('change-request:sim.4.7', 0.84);
};

const FAILED = [
  ['guard', 'FORGE_FORBIDDEN', 7],
  ['post', 'WRITE_BUDGET_EXCEEDED', 12],
] as const;

const failJobs = async ({ source, config }: ConsoleStage): Promise<void> => {
  const { queues, keys } = source;
  for (const [name, code, number] of FAILED) {
    const options = { jobId: `${name}-sim-4-${number}` };
    const job = await queues.queue(name).add(name, { v: 1, kind: 'wake', changeRequest: at(number) }, options);
    const connection = connectRedis(redisTargetOf(config), 'worker');
    const giveUp = async (): Promise<never> => Promise.reject(new UnrecoverableError(code));
    const worker = new Worker(name, giveUp, { connection, prefix: keys.queues });
    await new Promise((resolve) => void worker.once('failed', resolve));
    await worker.close();
    connection.disconnect();
    await source.redis.hset(queues.queue(name).toKey(job.id ?? ''), 'finishedOn', source.nowMs() - 8 * MINUTE_MS);
  }
  await queues.queue('review').add(
    'review',
    { v: 1, changeRequest: at(8) },
    {
      jobId: 'review-sim-4-8',
      timestamp: source.nowMs() - 3 * MINUTE_MS,
    },
  );
};
