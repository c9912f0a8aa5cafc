/** What the services count of whole reviews: metrics with their real values, by real services, Redis and forge. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import { countOf, type MetricSample, parseMetrics, samplesOf, sumOf } from '../support/read-metrics.ts';
import { kindsOf, summaryOf } from '../support/story.ts';
import { BOT, eventually, OWNER, STORY_MS } from '../support/story-world.ts';
import { METRICS_SETTINGS, type OnCall, playMetricsStory, POOR, startOnCall } from './metrics-stage.ts';

const MORE = `${METRICS_SETTINGS}\n[limits]\nrunning_per_project = 4\n[queues]\nbackoff_ms = 20\n`;

const POOR_REPO = `${OWNER}/${POOR}`;

let story: ModelStory;
let onCall: OnCall;
let samples: readonly MetricSample[] = [];
let atStart: readonly MetricSample[] = [];
let [project, poor] = ['', ''];
let wallSeconds = 0;
let numbers: readonly number[] = [];

beforeAll(async () => {
  const startedAt = performance.now();
  onCall = await startOnCall();
  story = await startModelStory(MORE, { moreRepos: [POOR], env: onCall.env });
  const { world, model } = story;
  atStart = parseMetrics(await world.metrics());
  const poorWorld = world.at(POOR_REPO);
  [project, poor] = [`sim/${world.projectId}`, `sim/${poorWorld.projectId}`];
  const { receiver } = onCall;
  ({ numbers } = await playMetricsStory({ home: world, poor: poorWorld, model, reader: BOT, receiver }));
  wallSeconds = (performance.now() - startedAt) / 1000;
  const spent = (): number => sumOf(samples, 'fixpoint_model_spent_usd_total');
  await eventually('the gauges know all of it', async () => {
    samples = parseMetrics(await story.world.metrics());
    const used = sumOf(samples, 'fixpoint_budget_used_ratio', { budget: 'money' }) * DAY_USD;
    return sumOf(samples, 'fixpoint_queue_jobs', { state: 'failed' }) === 1 && Math.abs(used - spent()) < 1e-5;
  });
}, STORY_MS);
afterAll(async () => {
  await story?.finish();
  await onCall?.receiver.close();
}, STORY_MS);

/** The default of `budgets.model.day_usd`. */
const DAY_USD = 500;

const of = (labels: string): string => labels.replace('PROJECT', `project=${project}`);

describe('the metrics of reviews', () => {
  test('count each posted review once, by verdict and runner', () => {
    expect(countOf(samples, 'fixpoint_reviews_total')).toEqual({
      [of('PROJECT runner=agent verdict=feedback')]: 3,
      [of('PROJECT runner=agent verdict=lgtm')]: 3,
      [`project=${poor} runner=agent verdict=inconclusive`]: 1,
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
    expect(countOf(samples, 'fixpoint_verdict_seconds_count')).toEqual({
      [`project=${project}`]: 6,
      [`project=${poor}`]: 1,
    });
    const total = sumOf(samples, 'fixpoint_verdict_seconds_sum');
    expect(sumOf(samples, 'fixpoint_verdict_part_seconds_sum')).toBeCloseTo(total, 6);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(2 * wallSeconds);
    expect(sumOf(samples, 'fixpoint_verdict_part_seconds_sum', { part: 'model' })).toBeGreaterThan(0);
    const last = samples.filter(({ name }) => name === 'fixpoint_last_verdict_timestamp_seconds');
    expect(last.map(({ labels: { verdict }, value }) => [verdict, Math.abs(value - Date.now() / 1000) < 120])).toEqual([
      ['feedback', true],
      ['lgtm', true],
      ['inconclusive', true],
    ]);
  });

  test('count each comment that the bot has written', () => {
    const { world } = story;
    const kinds = [...numbers.flatMap((number) => kindsOf(world, number)), ...kindsOf(world.at(POOR_REPO), 1)];
    const written = (kind: string): number => kinds.filter((each) => each === kind).length;
    expect(countOf(samples, 'fixpoint_posted_comments_total')).toEqual({
      'kind=inline': written('finding'),
      'kind=summary': written('summary'),
      'kind=reply': written('reply'),
      'kind=answer': written('answer'),
      'kind=notice': written('notice'),
    });
    expect([written('finding'), written('summary')]).toEqual([3, 5]);
  });

  test('count the reaction to a finding, and the notification about the webhook', () => {
    expect(countOf(samples, 'fixpoint_finding_reactions_total')).toEqual({
      [`forge=sim model=claude-sonnet-5-5 rule=none thumb=down`]: 1,
    });
    expect(countOf(samples, 'fixpoint_notifications_total')).toEqual({ 'hook=on-call outcome=sent': 1 });
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

  test('count the call that the budget of a run refused', () => {
    expect(countOf(samples, 'fixpoint_budget_refusals_total')).toEqual({ 'budget=tokens scope=run': 1 });
  });
});

describe('the metrics of forges and queues', () => {
  test('count each delivery of a webhook that arrived', () => {
    const arrived = story.world.sim.deliveries.filter(({ outcome }) => outcome === 'answered');
    expect(sumOf(samples, 'fixpoint_webhook_events_total')).toBe(arrived.length);
    expect(sumOf(samples, 'fixpoint_webhook_events_total', { kind: 'opened', outcome: 'accepted' })).toBe(4);
  });

  test('count the project whose webhook no longer works', () => {
    expect(countOf(samples, 'fixpoint_hooks_disabled')).toEqual({ 'forge=sim': 1 });
  });

  test('time each request to the forge', () => {
    const requests = sumOf(samples, 'fixpoint_forge_requests_total');
    expect(sumOf(samples, 'fixpoint_forge_request_seconds_count')).toBe(requests);
    expect(requests).toBeGreaterThan(50);
  });

  test('begin with 0 where an alert looks for the first increase', () => {
    const values = (name: string) => samplesOf(atStart, name).map(({ value }) => value);
    expect(values('fixpoint_sweep_found_total')).toEqual([0, 0]);
    expect(values('fixpoint_alarms_total')).toEqual([0]);
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

  test('time each execution of a job', () => {
    const executed = (queue: string): number => sumOf(samples, 'fixpoint_job_seconds_count', { queue });
    expect(executed('review')).toBe(sumOf(samples, 'fixpoint_decisions_total', { effect: 'review' }));
    expect([executed('explore'), executed('notify')]).toEqual([3, 2]);
    expect(sumOf(samples, 'fixpoint_job_seconds_sum')).toBeLessThan(10 * wallSeconds);
  });

  test('say that this Redis belongs to the process', () => {
    expect(countOf(samples, 'fixpoint_redis_info')).toEqual({ 'mode=embedded': 1 });
  });
});
