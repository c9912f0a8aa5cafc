/** What guard reads from the forge for a review alone, on a real Redis. */
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { GuardForge } from '../../../services/guard/deps.ts';
import { sendReview } from '../../../services/guard/send-review.ts';
import { ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { CommitStatus } from '../../../shared/forge/port-statuses.ts';
import type { Facts } from '../../../shared/rounds/model/facts.ts';
import type { Run } from '../../../shared/rounds/model/run.ts';
import { RunId } from '../../../shared/vocabulary/ids.ts';
import { useRedis } from '../../support/use-redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createModelForge } from './model-forge.ts';
import { createModelJobs } from './model-jobs.ts';
import { guardDeps } from './model-stage.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const refuses = async (): Promise<never> => {
  throw new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'no', disposition: { kind: 'retry' }, fields: {} });
};

const STATUSES: readonly CommitStatus[] = [
  make.status('failure', { context: 'ci/unit' }),
  make.status('error', { context: 'ci/lint' }),
  make.status('success', { context: 'ci/docs' }),
  make.status('failure', { context: 'ci/flaky' }),
  make.status('failure', { context: 'ci/other', elsewhere: true }),
  make.status('failure', { context: 'fixpoint' }),
];

const ISSUE = { number: 7, title: 'Carts', text: 'They can be empty.' };

type Wish = {
  readonly run?: Run;
  readonly facts?: Partial<Facts>;
  readonly statuses?: GuardForge['read']['fetchStatuses'];
  readonly issues?: GuardForge['issues'];
};

const briefFor = async (wish: Wish = {}) => {
  const jobs = createModelJobs();
  const calls: string[] = [];
  const real = guardDeps({
    redis,
    policy: make.policy({ gate: { ...make.policy().gate, ignoreContexts: ['ci/fl*'] } }),
    jobs,
    forge: createModelForge(jobs.nowMs),
    newRunId: () => RunId.parse('a'.repeat(20)),
  });
  const { changeRequest: of } = make.changeRequest();
  const forge = real.forges.get(of.forge);
  if (forge === undefined) throw new Error('no forge');
  const fetchStatuses: GuardForge['read']['fetchStatuses'] = async (...asked) => {
    calls.push('statuses');
    return (wish.statuses ?? (async () => STATUSES))(...asked);
  };
  const issues = wish.issues ?? {
    fetchClosedIssues: async () => {
      calls.push('issues');
      return [ISSUE];
    },
  };
  const forges = new Map([[of.forge, { ...forge, read: { ...forge.read, fetchStatuses }, issues }]]);
  const deps = { ...real, forges };
  const run = wish.run ?? make.run();
  await sendReview({ deps, of, facts: make.facts(wish.facts), counts: make.state(), signal: never() }, run);
  const brief = await deps.briefs.load(deps.keys.ofRun(run.runId, 'brief'));
  if (brief === null) throw new Error('no brief');
  return { calls: calls.toSorted(), issues: brief.issues, failedChecks: brief.failedChecks };
};

describe('what guard reads for a review', () => {
  it('is the issues that the change closes, and the names of failed CI jobs, without ignored ones and our own', async () => {
    expect(await briefFor()).toEqual({
      calls: ['issues', 'statuses'],
      issues: [ISSUE],
      failedChecks: ['ci/lint', 'ci/unit'],
    });
  });

  it('costs no request for CI that was read already, or that the forge says has not failed', async () => {
    const read = await briefFor({ facts: { ci: { kind: 'failed', contexts: ['ci/build'] } } });
    expect([read.calls, read.failedChecks]).toEqual([['issues'], ['ci/build']]);
    const passed = await briefFor({ facts: { ci: { kind: 'passed' } } });
    expect([passed.calls, passed.failedChecks]).toEqual([['issues'], []]);
    const told = await briefFor({ facts: { changeRequest: make.changeRequest({ hasFailedCi: false }) } });
    expect([told.calls, told.failedChecks]).toEqual([['issues'], []]);
  });

  it('asks for CI in a later review only where the forge says that it has failed', async () => {
    const history = make.history({ reviewed: [make.reviewedAt(make.sha('before'))] });
    expect((await briefFor({ facts: { history } })).calls).toEqual(['issues']);
    const changeRequest = make.changeRequest({ hasFailedCi: true });
    expect((await briefFor({ facts: { history, changeRequest } })).failedChecks).toEqual(['ci/lint', 'ci/unit']);
  });

  it('is nothing for answers between two reviews', async () => {
    expect(await briefFor({ run: make.replyRun() })).toEqual({ calls: [], issues: [], failedChecks: [] });
  });

  it('never fails a run', async () => {
    const failing = await briefFor({ statuses: refuses, issues: { fetchClosedIssues: refuses } });
    expect(failing).toEqual({ calls: ['statuses'], issues: [], failedChecks: [] });
    const mistake = async (): Promise<never> => {
      throw new TypeError('a mistake of ours');
    };
    await expect(briefFor({ statuses: mistake })).rejects.toThrow('a mistake of ours');
  });

  it('is limited in length', async () => {
    const issue = { number: 1, title: 't'.repeat(5_000), text: 'x'.repeat(1_000_000) };
    const { issues } = await briefFor({ issues: { fetchClosedIssues: async () => [issue] } });
    expect(issues.map(({ title, text }) => [title.length, text.length])).toEqual([[1_000, 10_000]]);
    const statuses = Array.from({ length: 500 }, () => make.status('failure', { context: 'y'.repeat(5_000) }));
    const { failedChecks } = await briefFor({ statuses: async () => statuses });
    expect(failedChecks).toEqual(Array.from({ length: 20 }, () => 'y'.repeat(200)));
  });
});
