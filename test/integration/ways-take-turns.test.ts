/** A server and the command line take turns on one change request. They share nothing but the forge. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { eventually } from '../support/story-world.ts';
import { settled, summaryOf, startWaysStage, type WaysStage } from '../support/ways-stage.ts';

const RUN_MS = 240_000;

const textOf = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;
const EVAL = 'export const run = (words) => eval(words);';
const DEBUGGER = 'export const stop = () => { debugger; };';
const ONLY = "it.only('adds', () => {});";

/** Where each thread began, by its marker. */
const threadsOf = (stage: WaysStage, number: number): readonly string[] =>
  stage
    .markers(number)
    .flatMap((payload) => (payload.kind === 'finding' ? [`${payload.id} ${payload.rule} ${payload.review}`] : []))
    .toSorted();

describe.each(FORGE_KINDS)('on %s', (kind) => {
  let stage: WaysStage;

  beforeAll(async () => {
    stage = await startWaysStage({ kind });
  }, RUN_MS);
  afterAll(async () => stage?.close(), RUN_MS);

  test(
    'server, command line and server review one change request: rounds and threads go on, nothing is said twice',
    async () => {
      const first = await stage.serve();
      const number = await stage.open('turns', { 'one.js': textOf(EVAL) });
      await settled(stage, number);
      await first.calm();
      await first.stop();
      expect(summaryOf(stage, number)).toMatchObject({ review: 1, rounds: 1, runs: 1, verdict: 'feedback' });

      await stage.push('turns', { 'two.js': textOf(DEBUGGER) });
      const posted = await stage.review(stage.urlOf(number), { post: true });
      expect(posted).toMatchObject({ verdict: 'feedback', changeRequest: { review: 2, isNew: true, isPosted: true } });
      expect(posted.findings.map(({ id, path }) => [id, path])).toEqual([
        ['F-001', 'one.js'],
        ['F-002', 'two.js'],
      ]);
      expect(summaryOf(stage, number)).toMatchObject({ review: 2, rounds: 2, runs: 2 });
      const afterTwo = threadsOf(stage, number);
      expect(afterTwo).toHaveLength(2);

      const second = await stage.serve();
      await stage.push('turns', {
        'one.js': textOf('export const run = 1;'),
        'two.js': textOf('export const two = 2;'),
      });
      await eventually('the third review', () => summaryOf(stage, number).review === 3);
      await settled(stage, number);
      await second.calm();
      await second.stop();
      expect(summaryOf(stage, number)).toMatchObject({ review: 3, runs: 3, verdict: 'lgtm' });
      expect(threadsOf(stage, number)).toEqual(afterTwo);

      const said = stage.markers(number);
      expect(await stage.review(stage.urlOf(number), { post: true })).toMatchObject({
        verdict: 'lgtm',
        findings: [],
        changeRequest: { review: 3, isNew: false },
      });
      expect(stage.markers(number)).toEqual(said);
    },
    RUN_MS,
  );

  test(
    'a server goes on with what the command line has begun',
    async () => {
      const number = await stage.open('begun', { 'one.js': textOf(EVAL) });
      await stage.review(stage.urlOf(number), { post: true });
      const threads = threadsOf(stage, number);
      const server = await stage.serve();
      await stage.push('begun', { 'three.test.js': textOf(ONLY) });
      await eventually('the second review', () => summaryOf(stage, number).review === 2);
      await settled(stage, number);
      await server.calm();
      await server.stop();
      expect(summaryOf(stage, number)).toMatchObject({ review: 2, runs: 2 });
      expect(threadsOf(stage, number)).toEqual([...threads, expect.stringMatching(/^F-002 .* 2$/)]);
    },
    RUN_MS,
  );

  test(
    'a server and the command line that review one head at the same time say each thing once',
    async () => {
      const server = await stage.serve();
      const number = await stage.open('both', { 'one.js': textOf(EVAL), 'two.js': textOf(DEBUGGER) });
      const printed = await stage.review(stage.urlOf(number), { post: true });
      await settled(stage, number);
      await server.calm();
      await server.stop();
      expect(printed.verdict).toBe('feedback');
      expect(summaryOf(stage, number)).toMatchObject({ review: 1, verdict: 'feedback' });
      expect(threadsOf(stage, number).map((each) => each.slice(0, 5))).toEqual(['F-001', 'F-002']);
    },
    RUN_MS,
  );
});
