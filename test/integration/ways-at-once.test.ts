/** Two processes without a common Redis that review one input at the same time: one gives way, and each thing is said once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MessagesSim, startMessagesSim } from '../sim/messages/start.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { reviewInJob } from '../support/ci-stage.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { eventually } from '../support/story-world.ts';
import { settled, summaryOf, startWaysStage, type WaysStage } from '../support/ways-stage.ts';

const RUN_MS = 240_000;
const EVAL = 'export const run = (words) => eval(words);\n';
const DEBUGGER = 'export const stop = () => { debugger; };\n';

/** In the body of the statuses that announce a run. */
const ANNOUNCED = /fixpoint:1:/;

/**
 * Holds the status that announces a run until another one is to be written, so that both have read the forge before either
 * has written anything. Returns how many have come.
 */
const holdAnnouncements = ({ sim }: WaysStage): (() => number) => {
  let arrived = 0;
  let open = (): void => {};
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const task = async (): Promise<void> => {
    arrived += 1;
    if (arrived === 2) open();
    await both;
  };
  sim.fault({ method: 'POST', path: /statuses/, body: ANNOUNCED, times: 2 }, { kind: 'meanwhile', task });
  return () => arrived;
};

/** The runs that have posted something, and the rules of the findings. */
const saidBy = (stage: WaysStage, number: number) => {
  const markers = stage.markers(number);
  return {
    findings: markers
      .flatMap((payload) => (payload.kind === 'finding' ? [`${payload.id} ${payload.path} ${payload.review}`] : []))
      .toSorted(),
    runs: new Set(
      markers.flatMap((payload) => (payload.kind === 'finding' || payload.kind === 'summary' ? [payload.run] : [])),
    ).size,
  };
};

describe.each(FORGE_KINDS)('on %s', (kind) => {
  let model: MessagesSim;
  let stage: WaysStage;

  beforeAll(async () => {
    model = await startMessagesSim();
    model.script(seededReviewer(7));
    stage = await startWaysStage({ kind, model });
  }, RUN_MS);
  afterAll(async () => {
    await stage?.close();
    await model?.close();
  }, RUN_MS);

  test(
    'a CI job and the command line: one reviews, the other waits for it and prints the same, in the first and in a later round',
    async () => {
      const number = await stage.open('jobs', { 'one.js': EVAL });
      const words: string[] = [];
      const together = async () => {
        const arrived = holdAnnouncements(stage);
        const calls = model.requests.length;
        const [job, printed] = await Promise.all([
          reviewInJob(stage, { kind, number }, model),
          stage.review(stage.urlOf(number), { post: true, say: (line) => words.push(line) }),
        ]);
        expect(arrived()).toBe(2);
        words.push(...job.said);
        return { job: job.output, printed, calls: model.requests.length - calls };
      };

      const first = await together();
      expect(saidBy(stage, number)).toEqual({ findings: ['F-001 one.js 1'], runs: 1 });
      expect(summaryOf(stage, number)).toMatchObject({ review: 1, runs: 1, rounds: 1, verdict: 'feedback' });
      expect(first.calls).toBe(summaryOf(stage, number).spent.modelCalls);
      expect(first.job.findings.map(({ id, path }) => [id, path])).toEqual([['F-001', 'one.js']]);
      expect(first.printed.findings.map(({ id, path }) => [id, path])).toEqual([['F-001', 'one.js']]);
      expect([first.job.verdict, first.printed.verdict]).toEqual(['feedback', 'feedback']);

      await stage.push('jobs', { 'two.js': DEBUGGER });
      const second = await together();
      expect(saidBy(stage, number).findings).toEqual(['F-001 one.js 1', 'F-002 two.js 2']);
      expect(summaryOf(stage, number)).toMatchObject({ review: 2, runs: 2, rounds: 2, verdict: 'feedback' });
      expect(first.calls + second.calls).toBe(summaryOf(stage, number).spent.modelCalls);
      expect(second.job.findings.map(({ id }) => id)).toEqual(['F-001', 'F-002']);
      expect(second.printed.findings.map(({ id }) => id)).toEqual(['F-001', 'F-002']);
      expect(stage.look(number).headStatuses['fixpoint']).toMatch(/^fail/);
      expect(words.filter((line) => line.startsWith('another process is reviewing this change request'))).toHaveLength(
        2,
      );
    },
    RUN_MS,
  );

  test(
    'a server and the command line: one reviews, and the server goes on with the next push whoever it was',
    async () => {
      const server = await stage.serve();
      const arrived = holdAnnouncements(stage);
      const calls = model.requests.length;
      const number = await stage.open('both', { 'one.js': EVAL });
      const printed = await stage.review(stage.urlOf(number), { post: true });
      await settled(stage, number);
      await server.calm();
      expect(arrived()).toBe(2);
      expect(saidBy(stage, number)).toEqual({ findings: ['F-001 one.js 1'], runs: 1 });
      const summary = summaryOf(stage, number);
      expect(summary).toMatchObject({ review: 1, runs: 1, rounds: 1, phase: 'posted', verdict: 'feedback' });
      expect(summary.spent.modelCalls).toBe(model.requests.length - calls);
      expect(printed).toMatchObject({ verdict: 'feedback', changeRequest: { review: 1 } });
      expect(printed.findings.map(({ id }) => id)).toEqual(['F-001']);

      await stage.push('both', { 'one.js': 'export const run = 1;\n' });
      await eventually('the second review', () => summaryOf(stage, number).review === 2);
      await settled(stage, number);
      await server.calm();
      await server.stop();
      expect(summaryOf(stage, number)).toMatchObject({ review: 2, runs: 2, verdict: 'lgtm' });
      expect(saidBy(stage, number).findings).toEqual(['F-001 one.js 1']);
    },
    RUN_MS,
  );
});
