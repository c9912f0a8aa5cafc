/** The simulated API with an evil model and a broken wire: adapter, retries, budgets and loop together. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAnthropicModel } from '../../../shared/agent/models/anthropic/model.ts';
import { maxModelCalls } from '../../../shared/agent/model/budget.ts';
import { ModelError } from '../../../shared/agent/model/model-errors.ts';
import { runTurns } from '../../../shared/agent/run-turns.ts';
import { evil } from '../../sim/messages/evil.ts';
import { type MessagesSim, startMessagesSim } from '../../sim/messages/start.ts';
import { shardOf } from '../../support/deep.ts';
import { findLeaks } from '../../support/leaks.ts';
import { linkTo, writeFiles } from '../workspace/folder.ts';
import { never, newWorkspace, testRun } from './agent-run.ts';

let sim: MessagesSim;
beforeAll(async () => {
  sim = await startMessagesSim();
});
afterAll(async () => sim.close());

const CANARY = ['CANARY', 'http', 'c0ffee'].join('-');
const RUNS = process.env['FIXPOINT_DEEP'] === '1' ? 1_000 : 30;
const SEEDS = shardOf(
  'evil reviews',
  Array.from({ length: RUNS }, (_, index) => index + 1),
);

const workspace = (): { readonly root: string; readonly base: string } => {
  const base = newWorkspace();
  const root = join(base, 'tree');
  mkdirSync(root);
  writeFiles(base, { 'outside/canary.txt': CANARY });
  writeFiles(root, { 'src/a.ts': 'export const a = 1;\n' });
  linkTo(root, 'link', '../outside');
  return { root, base };
};

it(`ends ${SEEDS.length} evil reviews as designed, also when the wire breaks, and leaks nothing to the model`, async () => {
  const { root, base } = workspace();
  const before = readdirSync(base, { recursive: true, encoding: 'utf8' }).toSorted();
  const model = createAnthropicModel({
    apiKey: sim.apiKey,
    baseUrl: sim.url,
    stream: true,
    longCache: true,
    idleTimeoutMs: 2_000,
    callTimeoutMs: 10_000,
    nowMs: () => Date.now(),
  });
  const ends = new Set<string>();
  for (const seed of SEEDS) {
    const script = sim.script(evil(seed, { brokenWire: seed % 2 === 0, overrun: seed % 5 === 0 }));
    const from = sim.requests.length;
    const { run } = testRun(model, { root, start: { maxTurns: 4, maxOutputTokens: 4_000 } });
    const end = await runTurns(run, never).then(
      (result) => (result.kind === 'ended' ? result.outcome.kind : result.kind),
      (error: unknown) => {
        if (error instanceof ModelError && error.retryable) return 'retryable';
        throw new Error(`seed ${seed}`, { cause: error });
      },
    );
    ends.add(end);
    script.remove();
    const calls = sim.requests.length - from;
    expect(calls).toBeLessThanOrEqual(4 * maxModelCalls({ maxTurns: 4, maxCorrections: 2 }));
  }
  const sent = sim.requests.map(({ path, body }) => ({ where: path, text: `${path}\n${body}` }));
  expect(findLeaks(sent, [CANARY])).toEqual([]);
  expect(sim.requests.flatMap(({ problem }) => (problem?.startsWith('messages') === true ? [problem] : []))).toEqual(
    [],
  );
  expect(readdirSync(base, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(before);
  expect(ends.size).toBeGreaterThan(3);
}, 600_000);
