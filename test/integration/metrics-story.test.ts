/** What the services count of whole reviews: metrics with their real values, by real services, Redis and forge. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { createKeys } from '../../shared/store/keys.ts';
import type { LegalAnswer } from '../sim/messages/submission.ts';
import { fail } from '../sim/messages/reply.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import { countOf, type MetricSample, parseMetrics, sumOf } from '../support/read-metrics.ts';
import { answerFinding, open, push, reviewed, statusOf, summaryOf, textOf, verdictOf } from '../support/story.ts';
import { eventually, OWNER, REPO, STORY_MS } from '../support/story-world.ts';

const PLANTED = textOf('export const a = open(); // DEFECT(P1: forgets to close the file)');
const CLEAN = textOf('export const a = 1;');
const MORE = '[metrics]\nproject_label = true\n[limits]\nrunning_per_project = 4\n[queues]\nbackoff_ms = 20\n';

let story: ModelStory;
let samples: readonly MetricSample[] = [];
let project = '';
let wallSeconds = 0;
const numbers: number[] = [];

const insist: LegalAnswer = ({ actions }) => ({
  action: actions.includes('veto') ? 'veto' : 'reply',
  stance: 'seeks_change',
  body: 'Nobody closes it.',
});

/** A model that fails once, a finding that is fixed, one that is dismissed and one that is handed over. */
const review = async (): Promise<void> => {
  const { world, model } = story;
  model.script(seededReviewer(7));
  const once = model.script([fail(529, { headers: { 'retry-after-ms': '5' } })], { hasTool: 'submit_review' });
  const fixed = await reviewed(world, 'fixed', PLANTED);
  expect(once.remaining()).toBe(0);
  await push(world, 'fixed', { 'fixed.js': CLEAN });
  await verdictOf(world, fixed);
  const dismissed = await reviewed(world, 'dismissed', PLANTED);
  const body = '@fixpoint dismiss F-001 because the process ends at once';
  world.sim.comment({ repo: REPO, number: dismissed, as: OWNER, body });
  await eventually('a pass', () => statusOf(world, dismissed) === 'success');
  await world.calm();
  const disputed = await reviewed(world, 'disputed', PLANTED);
  model.script(seededReviewer(7, { answer: insist }));
  await answerFinding(world, disputed, { body: 'By design.' });
  numbers.push(fixed, dismissed, disputed);
};

/** A change request and a head of which no webhook tells. */
const loseWebhooks = async (): Promise<void> => {
  const { world, model } = story;
  model.script(seededReviewer(7));
  const [fixed = 0] = numbers;
  await world.sweep();
  world.sim.setDeliveryFilter(() => 'drop');
  const opened = open(world, { branch: 'lost', files: { 'lost.js': CLEAN } });
  await push(world, 'fixed', { 'more.js': CLEAN });
  const lost = await opened;
  await world.sweep();
  await verdictOf(world, lost);
  await verdictOf(world, fixed);
  numbers.push(lost);
  world.sim.setDeliveryFilter(() => 'send');
};

const failJob = async (): Promise<void> => {
  const queues = createQueues(story.world.redis, createKeys('fixpoint').queues);
  await queues.queue('guard').add('guard', { v: 1, kind: 'nonsense' }, { jobId: 'forged' });
  await eventually('the job has failed', async () => (await queues.queue('guard').getFailedCount()) === 1);
  await queues.close();
};

beforeAll(async () => {
  const startedAt = performance.now();
  story = await startModelStory(MORE);
  project = `sim/${story.world.projectId}`;
  await review();
  await loseWebhooks();
  wallSeconds = (performance.now() - startedAt) / 1000;
  await failJob();
  const spent = (): number => sumOf(samples, 'fixpoint_model_spent_usd_total');
  await eventually('the gauges know all of it', async () => {
    samples = parseMetrics(await story.world.metrics());
    const used = sumOf(samples, 'fixpoint_budget_used_ratio', { budget: 'money' }) * DAY_USD;
    return sumOf(samples, 'fixpoint_queue_jobs', { state: 'failed' }) === 1 && Math.abs(used - spent()) < 1e-5;
  });
}, STORY_MS);
afterAll(async () => story?.finish(), STORY_MS);

/** The default of `budgets.model.day_usd`. */
const DAY_USD = 500;

const of = (labels: string): string => labels.replace('PROJECT', `project=${project}`);

describe('the metrics of reviews', () => {
  test('count each posted review once, by verdict and runner', () => {
    expect(countOf(samples, 'fixpoint_reviews_total')).toEqual({
      [of('PROJECT runner=agent verdict=feedback')]: 3,
      [of('PROJECT runner=agent verdict=lgtm')]: 3,
    });
  });

  test('count findings by severity and by what became of them', () => {
    expect(countOf(samples, 'fixpoint_findings_total')).toEqual({
      [of('outcome=raised PROJECT severity=P1')]: 3,
      [of('outcome=resolved PROJECT severity=P1')]: 1,
      [of('outcome=dismissed PROJECT severity=P1')]: 1,
      [of('outcome=vetoed PROJECT severity=P1')]: 1,
    });
    expect(countOf(samples, 'fixpoint_handoffs_open')).toEqual({ 'forge=sim': 1 });
  });

  test('time each verdict and its parts, which add up', () => {
    expect(countOf(samples, 'fixpoint_verdict_seconds_count')).toEqual({ [`project=${project}`]: 6 });
    const total = sumOf(samples, 'fixpoint_verdict_seconds_sum');
    expect(sumOf(samples, 'fixpoint_verdict_part_seconds_sum')).toBeCloseTo(total, 6);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(2 * wallSeconds);
    expect(sumOf(samples, 'fixpoint_verdict_part_seconds_sum', { part: 'model' })).toBeGreaterThan(0);
    const last = samples.filter(({ name }) => name === 'fixpoint_last_verdict_timestamp_seconds');
    expect(last.map(({ labels: { verdict }, value }) => [verdict, Math.abs(value - Date.now() / 1000) < 120])).toEqual([
      ['feedback', true],
      ['lgtm', true],
    ]);
  });
});

describe('the metrics of models', () => {
  const OF_MODEL = 'provider=anthropic';

  test('count the same money and tokens as the summaries on the forge', () => {
    const spents = numbers.map((number) => summaryOf(story.world, number).spent);
    const add = (each: (spent: (typeof spents)[number]) => number): number =>
      spents.reduce((sum, spent) => sum + each(spent), 0);
    expect(sumOf(samples, 'fixpoint_model_spent_usd_total')).toBeCloseTo(
      add(({ costUsd }) => costUsd),
      6,
    );
    const tokens = (kind: string): number => sumOf(samples, 'fixpoint_model_tokens_total', { kind });
    expect([tokens('input') + tokens('cached'), tokens('cached'), tokens('output')]).toEqual([
      add(({ inputTokens }) => inputTokens),
      add(({ cachedTokens }) => cachedTokens),
      add(({ outputTokens }) => outputTokens),
    ]);
  });

  test('time each call by provider, model and role, and count what failed', () => {
    const failed = countOf(samples, 'fixpoint_model_errors_total');
    expect(Object.entries(failed)).toEqual([[expect.stringContaining('code=MODEL_OVERLOADED'), 1]]);
    expect(Object.keys(failed)[0]).toContain(OF_MODEL);
    expect(countOf(samples, 'fixpoint_model_retries_total')).toEqual({ 'code=MODEL_OVERLOADED': 1 });
    const calls = sumOf(samples, 'fixpoint_model_calls_total');
    expect(sumOf(samples, 'fixpoint_model_call_seconds_count')).toBe(calls + 1);
    expect(sumOf(samples, 'fixpoint_model_call_seconds_count', { role: 'verifier' })).toBe(3);
  });
});

describe('the metrics of forges and queues', () => {
  test('time each request to the forge', () => {
    const requests = sumOf(samples, 'fixpoint_forge_requests_total');
    expect(sumOf(samples, 'fixpoint_forge_request_seconds_count')).toBe(requests);
    expect(requests).toBeGreaterThan(50);
  });

  test('count what only the sweep found', () => {
    expect(countOf(samples, 'fixpoint_sweep_found_total')).toEqual({
      'forge=sim what=change_request': 1,
      'forge=sim what=head': 1,
    });
  });

  test('F-F9: count the job that failed for good, and show its age', () => {
    expect(countOf(samples, 'fixpoint_jobs_failed_total')).toEqual({ 'code=JOB_REFUSED queue=guard': 1 });
    expect(countOf(samples, 'fixpoint_queue_jobs', { state: 'failed' })).toEqual({ 'queue=guard state=failed': 1 });
    const age = sumOf(samples, 'fixpoint_queue_oldest_job_age_seconds', { queue: 'guard', state: 'failed' });
    expect([age > 0, age < 120]).toEqual([true, true]);
  });

  test('time the wait of each job before its first execution', () => {
    expect(sumOf(samples, 'fixpoint_job_wait_seconds_count', { queue: 'review' })).toBe(
      sumOf(samples, 'fixpoint_decisions_total', { effect: 'review' }),
    );
  });

  test('say that this Redis belongs to the process', () => {
    expect(countOf(samples, 'fixpoint_redis_info')).toEqual({ 'mode=embedded': 1 });
  });
});
