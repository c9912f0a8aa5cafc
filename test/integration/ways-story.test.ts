/** One change request by a server, the command line, a CI job and a server again, each with a store of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MessagesSim, startMessagesSim } from '../sim/messages/start.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { reviewInJob } from '../support/ci-stage.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { eventually } from '../support/story-world.ts';
import { summaryOf, startWaysStage, type WaysStage } from '../support/ways-stage.ts';

const RUN_MS = 300_000;
const EVAL = 'export const run = (words) => eval(words);\n';
const DEBUGGER = 'export const stop = () => { debugger; };\n';
const ONLY = "it.only('adds', () => {});\n";

/** Each finding's comment by its marker: number, file, and the review that raised it. */
const threadsOf = (stage: WaysStage, number: number): readonly string[] =>
  stage
    .markers(number)
    .flatMap((payload) => (payload.kind === 'finding' ? [`${payload.id} ${payload.path} ${payload.review}`] : []))
    .toSorted();

const served = async (stage: WaysStage, number: number, review: number): Promise<void> =>
  eventually(`review ${review} with its verdict`, () => {
    const status = stage.look(number).headStatuses['fixpoint'];
    const isPending = status === undefined || status === 'pending' || status === 'running';
    const said = stage.markers(number).find((payload) => payload.kind === 'summary');
    return !isPending && said?.kind === 'summary' && said.review === review && said.phase === 'posted';
  });

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
    'server, command line, CI job and server hold one review: each thing is said once, and the money adds up',
    async () => {
      const costs: number[] = [];
      /** The cost of every call is rounded up to whole micro-dollars. */
      const expectPaid = (number: number): void => {
        const { spent } = summaryOf(stage, number);
        expect(spent.modelCalls).toBe(model.requests.length);
        const surplus = (spent.costUsd - model.spend().costUsd) * 1e6;
        expect(surplus).toBeGreaterThan(-0.01);
        expect(surplus).toBeLessThan(model.requests.length);
        expect(spent.costUsd).toBeGreaterThan(costs.at(-1) ?? 0);
        costs.push(spent.costUsd);
      };
      const THREE = ['F-001 one.js 1', 'F-002 two.js 2', 'F-003 three.test.js 3'];

      const before = await stage.serve();
      const number = await stage.open('ways', { 'one.js': EVAL });
      await served(stage, number, 1);
      await before.calm();
      await before.stop();
      expect(threadsOf(stage, number)).toEqual(THREE.slice(0, 1));
      expect(summaryOf(stage, number)).toMatchObject({ rounds: 1, runs: 1, verdict: 'feedback' });
      expectPaid(number);

      await stage.push('ways', { 'two.js': DEBUGGER });
      const printed = await stage.review(stage.urlOf(number), { post: true });
      expect(printed).toMatchObject({ verdict: 'feedback', changeRequest: { review: 2, isNew: true, isPosted: true } });
      expect(threadsOf(stage, number)).toEqual(THREE.slice(0, 2));
      expect(summaryOf(stage, number)).toMatchObject({ review: 2, rounds: 2, runs: 2, verdict: 'feedback' });
      expectPaid(number);

      await stage.push('ways', { 'three.test.js': ONLY });
      const { output } = await reviewInJob(stage, { kind, number }, model);
      expect(output).toMatchObject({ verdict: 'feedback', changeRequest: { review: 3, isNew: true, isPosted: true } });
      expect(output.findings.map(({ id }) => id)).toEqual(['F-001', 'F-002', 'F-003']);
      expect(threadsOf(stage, number)).toEqual(THREE);
      expect(summaryOf(stage, number)).toMatchObject({ review: 3, rounds: 3, runs: 3 });
      expectPaid(number);

      const after = await stage.serve();
      await stage.push('ways', {
        'one.js': 'export const one = 1;\n',
        'two.js': 'export const two = 2;\n',
        'three.test.js': 'export const three = 3;\n',
      });
      await served(stage, number, 4);
      await after.calm();
      await after.stop();
      expect(threadsOf(stage, number)).toEqual(THREE);
      expect(summaryOf(stage, number)).toMatchObject({ review: 4, rounds: 3, runs: 4, verdict: 'lgtm' });
      expectPaid(number);
      expect(stage.look(number).headStatuses['fixpoint']).toBe('success');
    },
    RUN_MS,
  );
});
