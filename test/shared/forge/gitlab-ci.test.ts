/** What the CI of a change is, by the pipeline that merging looks at: the whole way from GitLab's answer to the reading. */
import { describe, expect, it } from 'vitest';
import { checksOfPipeline } from '../../../shared/forge/gitlab/status/pipeline-checks.ts';
import { ApiPipeline, ApiStatus } from '../../../shared/forge/gitlab/api/schema.ts';
import { type CiReading, readCi } from '../../../shared/rounds/model/ci.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';

const sha = (letter: string): CommitSha => CommitSha.parse(letter.repeat(40));
const [HEAD, OLD, TARGET, TRIAL] = [sha('a'), sha('b'), sha('c'), sha('d')];
const BOT = 9;
const GRACE_MS = 60_000;

type Job = { readonly name: string; readonly status: string; readonly mayFail?: boolean; readonly by?: number };

const job = ({ name, status, mayFail = false, by = 3 }: Job, index: number): ApiStatus =>
  ApiStatus.parse({
    id: index + 1,
    name,
    status,
    allow_failure: mayFail,
    pipeline_id: 1,
    author: { id: by, username: `user-${by}` },
    created_at: '2026-01-01T00:00:00Z',
  });

const ours = (status: string): Job => ({ name: 'fixpoint', status, by: BOT });
const test = (status: string, mayFail = false): Job => ({ name: 'test', status, mayFail });

type Scene = {
  readonly pipeline: Readonly<Record<string, unknown>> | null;
  readonly parents?: readonly string[];
  /** Null: a private fork. */
  readonly jobs?: readonly Job[] | null;
  /** Since the head was first seen. */
  readonly afterMs?: number;
};

const PIPELINE = { id: 1, project_id: 5, sha: HEAD, ref: 'feature', status: 'success', source: 'push' };

const read = ({ pipeline, parents = [], jobs = [], afterMs = GRACE_MS }: Scene): CiReading => {
  const statuses = checksOfPipeline({
    head: HEAD,
    pipeline: pipeline === null ? null : ApiPipeline.parse({ ...PIPELINE, ...pipeline }),
    parents,
    jobs: jobs === null ? null : jobs.map(job),
    isOwn: ({ name, author }) => name === 'fixpoint' && author?.id === BOT,
  });
  return readCi({ statuses, required: [] }, { ignoreContexts: ['optional'] }, { nowMs: afterMs, untilMs: GRACE_MS });
};

const PASSED: CiReading = { kind: 'passed' };
const failed = (...contexts: readonly string[]): CiReading => ({ kind: 'failed', contexts: [...contexts] });
const pending = (...contexts: readonly string[]): CiReading => ({ kind: 'pending', contexts: [...contexts] });
const AWAITED: CiReading = { kind: 'awaited', untilMs: GRACE_MS };
const MR = { source: 'merge_request_event', ref: 'refs/merge-requests/7/head' };
const MERGED = { source: 'merge_request_event', ref: 'refs/merge-requests/7/merge', sha: TRIAL };

describe('GL5: the CI of a change is that of its head pipeline', () => {
  it.each<[what: string, scene: Scene, expected: CiReading]>([
    ['of a branch that passed', { pipeline: {}, jobs: [test('success')] }, PASSED],
    ['of a branch with a failed job', { pipeline: { status: 'failed' }, jobs: [test('failed')] }, failed('test')],
    ['of a branch that runs', { pipeline: { status: 'running' }, jobs: [test('running')] }, pending('test')],
    ['of the merge request', { pipeline: { ...MR, status: 'failed' }, jobs: [test('failed')] }, failed('test')],
    [
      'run by a schedule',
      { pipeline: { source: 'schedule', status: 'failed' }, jobs: [test('failed')] },
      failed('test'),
    ],
    ['started by hand', { pipeline: { source: 'web' }, jobs: [test('success')] }, PASSED],
    [
      'of which a child failed',
      { pipeline: { status: 'failed' }, jobs: [{ name: 'child', status: 'failed' }] },
      failed('child'),
    ],
    ['of an older head, early', { pipeline: { sha: OLD, status: 'failed' }, jobs: null, afterMs: 0 }, AWAITED],
    ['of an older head, later', { pipeline: { sha: OLD, status: 'failed' }, jobs: null }, PASSED],
    ['missing, early', { pipeline: null, afterMs: GRACE_MS - 1 }, AWAITED],
    ['missing, later', { pipeline: null }, PASSED],
    [
      'external with our own alone, early',
      { pipeline: { source: 'external', status: 'pending' }, jobs: [ours('pending')], afterMs: 0 },
      AWAITED,
    ],
    [
      'external with our own alone, later',
      { pipeline: { source: 'external', status: 'failed' }, jobs: [ours('failed')] },
      PASSED,
    ],
    [
      'external with a status of others',
      { pipeline: { source: 'external', status: 'failed' }, jobs: [{ name: 'jenkins', status: 'failed' }] },
      failed('jenkins'),
    ],
  ])('%s', (_what, scene, expected) => {
    expect(read(scene)).toEqual(expected);
  });

  it.each<[what: string, scene: Scene, expected: CiReading]>([
    [
      'is of the head when the head is a parent',
      { pipeline: { ...MERGED, status: 'failed' }, parents: [TARGET, HEAD], jobs: [test('failed')] },
      failed('test'),
    ],
    [
      'runs while our own has passed',
      { pipeline: { ...MERGED, status: 'running' }, parents: [TARGET, HEAD], jobs: [test('running'), ours('success')] },
      pending('test'),
    ],
    [
      'is stale when the head is none',
      { pipeline: { ...MERGED, status: 'success' }, parents: [TARGET, OLD], jobs: [test('success')], afterMs: 0 },
      AWAITED,
    ],
    [
      'of a train is one too',
      { pipeline: { ...MERGED, ref: 'refs/merge-requests/7/train' }, parents: [OLD, HEAD], jobs: [test('success')] },
      PASSED,
    ],
    [
      'is none where a branch was merged into the head’s child',
      { pipeline: { sha: TRIAL, status: 'failed' }, parents: [HEAD], jobs: [test('failed')] },
      PASSED,
    ],
  ])('GL3: a pipeline of merged results %s', (_what, scene, expected) => {
    expect(read(scene)).toEqual(expected);
  });

  it.each<[status: string, expected: CiReading['kind']]>([
    ['success', 'passed'],
    ['skipped', 'passed'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
    ['created', 'pending'],
    ['waiting_for_resource', 'pending'],
    ['preparing', 'pending'],
    ['pending', 'pending'],
    ['running', 'pending'],
    ['manual', 'pending'],
    ['scheduled', 'pending'],
    ['canceling', 'pending'],
    ['of a later release', 'pending'],
  ])('of a private fork, whose jobs cannot be seen, is %s: %s', (status, expected) => {
    expect(read({ pipeline: { project_id: 6, status }, jobs: null }).kind).toBe(expected);
  });

  it.each<[what: string, scene: Scene, expected: CiReading]>([
    [
      'a broken .gitlab-ci.yml',
      { pipeline: { status: 'failed', yaml_errors: 'jobs config is missing' } },
      failed('pipeline #1'),
    ],
    [
      'one whose pipeline our own status has turned',
      { pipeline: { status: 'success', yaml_errors: 'broken' }, jobs: [ours('success')] },
      failed('pipeline #1'),
    ],
    ['a failure before there were jobs', { pipeline: { status: 'failed' } }, failed('pipeline #1')],
    [
      'the same, beside our pending',
      { pipeline: { status: 'pending' }, jobs: [ours('pending')] },
      pending('pipeline #1'),
    ],
    [
      'the same, which we had said to fail',
      { pipeline: { status: 'failed' }, jobs: [ours('failed')] },
      pending('pipeline #1'),
    ],
    ['jobs that are not there yet', { pipeline: { status: 'created' } }, pending('pipeline #1')],
    [
      'a failure that no job explains',
      { pipeline: { status: 'failed' }, jobs: [test('success')] },
      failed('pipeline #1'),
    ],
    ['our own failure alone', { pipeline: { status: 'failed' }, jobs: [test('success'), ours('failed')] }, PASSED],
    ['our own pending alone', { pipeline: { status: 'running' }, jobs: [test('success'), ours('pending')] }, PASSED],
    [
      'a job that is still to come',
      { pipeline: { status: 'running' }, jobs: [test('success')] },
      pending('pipeline #1'),
    ],
    ['a job that may fail', { pipeline: { status: 'success' }, jobs: [test('failed', true)] }, PASSED],
    ['a job that may be canceled', { pipeline: { status: 'success' }, jobs: [test('canceled', true)] }, PASSED],
    ['a job that somebody must start', { pipeline: { status: 'manual' }, jobs: [test('manual')] }, pending('test')],
    [
      'a job that somebody may start',
      { pipeline: { status: 'success' }, jobs: [test('success'), { name: 'deploy', status: 'manual', mayFail: true }] },
      PASSED,
    ],
    ['nothing but skipped jobs', { pipeline: { status: 'skipped' }, jobs: [test('skipped')] }, PASSED],
    [
      'a failed job that does not count',
      { pipeline: { status: 'failed' }, jobs: [test('success'), { name: 'optional', status: 'failed' }] },
      PASSED,
    ],
    [
      'two jobs of one name',
      { pipeline: { status: 'failed' }, jobs: [test('failed'), test('success')] },
      failed('test'),
    ],
    [
      'our own of another account',
      { pipeline: { status: 'success' }, jobs: [test('success'), { name: 'fixpoint', status: 'failed', by: 3 }] },
      PASSED,
    ],
  ])('%s', (_what, scene, expected) => {
    expect(read(scene)).toEqual(expected);
  });
});
