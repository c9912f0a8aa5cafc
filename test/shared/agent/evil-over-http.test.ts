/** Both simulated APIs with an evil model and a broken wire: adapter, retries, budgets, loop and replay together. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxModelCalls } from '../../../shared/agent/model/budget.ts';
import { ModelError } from '../../../shared/agent/model/model-errors.ts';
import { PRICES, priceOf } from '../../../shared/agent/model/prices.ts';
import { replayTranscript } from '../../../shared/agent/replay.ts';
import { runTurns, type TurnsResult } from '../../../shared/agent/run-turns.ts';
import type { ChatSim } from '../../sim/chat/start.ts';
import { evil } from '../../sim/messages/evil.ts';
import { shardOf } from '../../support/deep.ts';
import { findLeaks } from '../../support/leaks.ts';
import { BUDGET_LIMITS } from '../../support/budget-limits.ts';
import { connectWire, WIRES, wirePrice } from '../../support/wires.ts';
import { linkTo, writeFiles } from '../workspace/folder.ts';
import { ACCOUNT, never, newWorkspace, testRun } from './agent-run.ts';

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

/** A replay needs neither model nor network, and ends in the same way at the same cost. */
const expectReplay = (result: TurnsResult): void => {
  if (result.kind !== 'ended') return;
  const { outcome, spent, transcript } = result;
  expect(replayTranscript(transcript)).toEqual({ kind: 'ended', outcome, spent });
};

/** Refusals that the script did not ask for: the product broke a rule of the API. */
const brokenRules = ({ requests }: ChatSim): readonly string[] =>
  requests.flatMap(({ problem }) =>
    problem === null || /^scripted|^prompt is too long/.test(problem) ? [] : [problem],
  );

describe.each(WIRES)('$kind:', (wire) => {
  let sim: ChatSim;
  beforeAll(async () => {
    sim = await wire.start();
  });
  afterAll(async () => sim.close());

  const limits = { idleTimeoutMs: 2_000, callTimeoutMs: 10_000 };

  it(`ends ${SEEDS.length} evil reviews as designed, also when the wire breaks, and leaks nothing to the model`, async () => {
    const { root, base } = workspace();
    const before = readdirSync(base, { recursive: true, encoding: 'utf8' }).toSorted();
    const model = connectWire(wire, sim, limits);
    const ends = new Set<string>();
    for (const seed of SEEDS) {
      const script = sim.script(evil(seed, { brokenWire: seed % 2 === 0, overrun: seed % 5 === 0 }));
      const from = sim.requests.length;
      const { run } = testRun(model, { root, start: { maxTurns: 4, maxOutputTokens: 4_000 } });
      const end = await runTurns(run, never).then(
        (result) => {
          expectReplay(result);
          return result.kind === 'ended' ? result.outcome.kind : result.kind;
        },
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
    expect(brokenRules(sim)).toEqual([]);
    expect(readdirSync(base, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(before);
    expect(ends.size).toBeGreaterThan(3);
  }, 600_000);

  it('never spends more than the budget, whatever the model does, and counts at least what is billed', async () => {
    const { root } = workspace();
    const model = connectWire(wire, sim, limits);
    const known = priceOf(PRICES, 'claude-sonnet-5-5');
    if (known === null) throw new Error('no price');
    for (const seed of SEEDS.slice(0, 20)) {
      const script = sim.script(evil(seed));
      const from = sim.requests.length;
      const limit = { tokens: 30_000 + seed * 1_000, microUsd: 400_000 };
      const { run, ledger } = testRun(model, {
        root,
        start: { maxTurns: 4, maxOutputTokens: 4_000 },
        limits: { ...BUDGET_LIMITS, run: limit },
      });
      await runTurns({ ...run, meter: { ...run.meter, price: wirePrice(known) } }, never);
      script.remove();
      const spent = await ledger.spent('run', ACCOUNT);
      const { inputTokens, outputTokens } = sim.spend((entry) => sim.requests.indexOf(entry) >= from);
      expect(spent.tokens).toBeLessThanOrEqual(limit.tokens);
      expect(spent.tokens).toBeGreaterThanOrEqual(inputTokens + outputTokens);
    }
  }, 600_000);
});
