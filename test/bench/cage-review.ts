/** A whole review by the agent runner with sixty tool calls that a script asks for, in the cage and without one. */
import { buildPacket } from '../../services/reviewer/packet/build-packet.ts';
import { createAgentRunner } from '../../services/reviewer/runners/agent.ts';
import { createBoundaries } from '../../shared/agent/boundary.ts';
import { BUDGET_LIMITS } from '../support/budget-limits.ts';
import { createMemoryLedger } from '../../shared/agent/model/memory-ledger.ts';
import type { AssistantBlock, Model } from '../../shared/agent/model/model.ts';
import { PRICES, priceOf } from '../../shared/agent/model/prices.ts';
import { Agent } from '../../shared/config/agent-settings.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import type { Cage } from '../../shared/workspace/cage/cage.ts';
import { memoryTranscripts, stillClock } from '../services/reviewer/agent-stage.ts';
import { request, SCOPE, TASK } from '../services/reviewer/review-world.ts';
import { call, reply, scriptedModel, type ScriptedModel, submit } from '../shared/agent/scripted-model.ts';
import { never } from '../shared/workspace/repository.ts';
import { type Change, FILES } from './cage-place.ts';

const TURNS = 6;
export const CALLS = 60;

/** Seven files, two searches and a list of files; with Bash two of the files are looked at by it. */
const turn = (index: number, withBash: boolean): readonly AssistantBlock[] => {
  const file = (step: number): string => `src/part${(index * 7 + step) % FILES}.ts`;
  const reads = Array.from({ length: withBash ? 5 : 7 }, (_, step) => call('Read', { path: file(step) }));
  const commands = [`git log --oneline -n 5 -- ${file(5)}`, `head -n 20 ${file(6)}`];
  return [
    ...reads,
    ...(withBash ? commands.map((command) => call('Bash', { command })) : []),
    call('Grep', { pattern: `value${index}_7 ` }),
    call('Grep', { pattern: `value${index + TURNS}_8 ` }),
    call('Glob', { pattern: `part${index}*.ts` }),
  ];
};

const connect = (model: Model) => {
  const price = priceOf(PRICES, 'claude-sonnet-5-5');
  if (price === null) throw new Error('no price');
  const ledger = createMemoryLedger(BUDGET_LIMITS);
  const account = { runId: SCOPE.runId, changeRequest: SCOPE.changeRequest, day: '2026-01-01' };
  let calls = 0;
  return {
    model,
    clock: stillClock(),
    meterOf: () => ({ ledger, account, role: 'reviewer' as const, price, newCallId: () => `${(calls += 1)}` }),
  };
};

/** A review in which a call failed, or was not made, measures nothing. */
const checkCalls = ({ requests }: ScriptedModel): void => {
  const results = (requests.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === 'user' ? message.blocks.flatMap((block) => (block.kind === 'tool_result' ? [block] : [])) : [],
  );
  const failed = results.filter(({ isError }) => isError);
  if (results.length === CALLS && failed.length === 0) return;
  throw new Error(`${results.length} calls, of which failed: ${failed.map(({ text }) => text).join(' ')}`);
};

/** Milliseconds from the packet to the draft, the checkout and the end of the cage included. */
export const measureReview = async (
  { world, base, head }: Change,
  { cage, withBash, folder }: { readonly cage: Cage | null; readonly withBash: boolean; readonly folder: string },
): Promise<number> => {
  const model = scriptedModel([...Array.from({ length: TURNS }, (_, index) => reply(turn(index, withBash))), submit()]);
  const runner = createAgentRunner({
    connected: connect(model),
    agent: Agent.parse({}),
    verifyMax: null,
    finders: false,
    duplicateThreshold: 0.6,
    transcripts: memoryTranscripts(),
    checkoutFolder: folder,
    cage,
    redact: createRedactor([]),
    saveNotes: async () => {},
    boundaryOf: createBoundaries([], () => Date.now()),
    observe: () => {},
    checkpoint: () => {},
  });
  const source = world.source();
  const startedAt = performance.now();
  const packet = await buildPacket(request(base, head), source);
  const result = await runner.run({ packet, task: TASK, revisions: source.revisions, scope: SCOPE }, never());
  const tookMs = performance.now() - startedAt;
  if (result.kind !== 'draft') throw new Error(`no draft: ${result.kind}`);
  checkCalls(model);
  return tookMs;
};
