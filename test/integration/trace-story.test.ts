/** The spans of whole reviews by real services, as a collector receives them. */
import { afterEach, expect, test } from 'vitest';
import type { ChatSim } from '../sim/chat/start.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { attribute, type CollectedSpan, type Collector, startCollector } from '../support/collector.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory } from '../support/fleet-story.ts';
import { MANY_FILES } from '../support/many-files.ts';
import { MESSAGES_WIRE, stageOf } from '../support/wires.ts';

const TEST_MS = 240_000;
const VERDICT_MS = 120_000;
const QUESTION = 'Who calls sum() and relies on its arguments being numbers?';

let sim: ChatSim | null = null;
let fleet: Fleet | null = null;
let collector: Collector | null = null;

const start = async (): Promise<{ sim: ChatSim; fleet: Fleet; collector: Collector }> => {
  collector = await startCollector();
  sim = await MESSAGES_WIRE.start();
  sim.script(seededReviewer(3, { explore: [QUESTION] }));
  const knobs = { lockMs: 1_000, stalledMs: 300, model: stageOf(MESSAGES_WIRE, sim) };
  fleet = await startFleet({ knobs, env: collector.env });
  await commitBase(fleet);
  return { sim, fleet, collector };
};

afterEach(async () => {
  await fleet?.close();
  await sim?.close();
  await collector?.close();
  [fleet, sim, collector] = [null, null, null];
}, TEST_MS);

const named = (spans: readonly CollectedSpan[], name: string | RegExp): readonly CollectedSpan[] =>
  spans.filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)));

/** The spans of the trace in which the change was reviewed, once the last post has been received. */
const reviewTrace = async ({ spans }: Collector): Promise<readonly CollectedSpan[]> => {
  const inTrace = (): readonly CollectedSpan[] => {
    const traceId = named(spans, 'process review')[0]?.traceId;
    return spans.filter((span) => span.traceId === traceId);
  };
  await until(async () => named(inTrace(), 'process post').length >= 2, VERDICT_MS);
  return inTrace();
};

/** `child < parent` for each pair of names, without numbers of spans. */
const familyOf = (spans: readonly CollectedSpan[]): ReadonlySet<string> => {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const nameOf = ({ service, name }: CollectedSpan): string => `${service.replace('fixpoint-', '')}: ${name}`;
  return new Set(
    spans.map((span) => {
      const parent = span.parentSpanId ? byId.get(span.parentSpanId) : undefined;
      return `${nameOf(span)} < ${parent === undefined ? (span.parentSpanId ?? 'nothing') : nameOf(parent)}`;
    }),
  );
};

test(
  'one trace leads from the webhook through every queue to the models and the forge, and contains no secret or code',
  async () => {
    const world = await start();
    const told = await openStory(world.fleet, world.fleet.repos[0] ?? '', 'traced', MANY_FILES);
    await awaitVerdict(world.fleet, told, VERDICT_MS);
    const spans = await reviewTrace(world.collector);
    const family = familyOf(spans);
    for (const pair of [
      'ingress: POST /webhooks/:forge < nothing',
      'guard: process guard < ingress: POST /webhooks/:forge',
      'guard: decide < ingress: POST /webhooks/:forge',
      'guard: GET < guard: decide',
      'reviewer: process review < guard: decide',
      'reviewer: chat claude-sonnet-5-5 < reviewer: process review',
      'explorer: process explore < reviewer: process review',
      'explorer: chat claude-haiku-5-5 < explorer: process explore',
      'guard: decide < reviewer: process review',
      'poster: process post < guard: decide',
      'poster: POST < poster: process post',
      'guard: decide < poster: process post',
    ])
      expect(family).toContain(pair);
    expect([...family].filter((pair) => !/ < \w+: /.test(pair))).toEqual(['ingress: POST /webhooks/:forge < nothing']);
    const [chat] = named(spans, 'chat claude-haiku-5-5');
    expect(chat?.kind).toBe(3);
    expect(
      ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.response.finish_reasons'].map((key) =>
        attribute(chat ?? { attributes: [] }, key),
      ),
    ).toEqual(['chat', 'anthropic', ['tool_use']]);
    const logged = world.fleet.records('reviewer').find(({ msg }) => msg === 'run ended');
    expect(logged?.['traceId']).toBe(spans[0]?.traceId);
    expect(spans.map(({ spanId }) => spanId)).toContain(logged?.['spanId']);
    const sent = world.collector.texts.join('\n');
    const hidden = [...world.fleet.settings.secrets, QUESTION, 'eval(', 'shop-team/shop', 'sum.js'];
    expect(hidden.filter((text) => sent.includes(text))).toEqual([]);
  },
  TEST_MS,
);

test(
  'the execution after a kill continues the trace of the killed one',
  async () => {
    const world = await start();
    const [reviewer] = world.fleet.alive('reviewer');
    await reviewer?.kill();
    const doomed = await world.fleet.spawn('reviewer', { crashAt: 'after-input:2' });
    const told = await openStory(world.fleet, world.fleet.repos[0] ?? '', 'killed', MANY_FILES);
    expect(await doomed.exited).toMatchObject({ signal: 'SIGKILL' });
    const before = named(world.collector.spans, /^(?:decide|chat)/).map(({ traceId }) => traceId);
    await world.fleet.spawn('reviewer');
    await awaitVerdict(world.fleet, told, VERDICT_MS);
    const spans = await reviewTrace(world.collector);
    const decisions = new Set(named(spans, 'decide').map(({ spanId }) => spanId));
    const executions = named(spans, 'process review');
    expect(executions.every(({ parentSpanId = '' }) => decisions.has(parentSpanId))).toBe(true);
    expect(executions.map((span) => Number(attribute(span, 'fixpoint.job.execution'))).some((each) => each > 1)).toBe(
      true,
    );
    expect(before).toContain(executions[0]?.traceId);
  },
  TEST_MS,
);

test(
  'a collector that cannot be reached delays neither the services nor their end',
  async () => {
    collector = await startCollector();
    await collector.close();
    const count = { ingress: 0, reviewer: 0, explorer: 0, poster: 0 };
    fleet = await startFleet({ count, env: collector.env });
    collector = null;
    const [guard] = fleet.alive('guard');
    await guard?.logged(({ msg }) => msg === 'traces could not be exported');
    const ended = await guard?.terminate();
    expect(ended).toMatchObject({ code: 0 });
    expect(ended?.tookMs).toBeLessThan(5_000);
    expect(fleet.records('guard').filter(({ msg }) => msg === 'traces could not be exported')).toHaveLength(1);
  },
  TEST_MS,
);
