/** The agent runner with a scripted model, and eyes for what it was asked. */
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import type { PacketRequest } from '../../../../services/reviewer/packet/packet.ts';
import { reviewOnce } from '../../../../services/reviewer/review.ts';
import type { RunnerDraft, RunScope } from '../../../../services/reviewer/run/runner.ts';
import { type AgentRunnerDeps, createAgentRunner } from '../../../../services/reviewer/runners/agent.ts';
import { createBoundaries } from '../../../../shared/agent/boundary.ts';
import type { BudgetLimits } from '../../../../shared/agent/model/budget.ts';
import { BUDGET_LIMITS } from '../../../support/budget-limits.ts';
import { createMemoryLedger } from '../../../../shared/agent/model/memory-ledger.ts';
import type { Model, ModelRequest } from '../../../../shared/agent/model/model.ts';
import { writeRequest } from '../../../../shared/agent/models/anthropic/blocks.ts';
import { PRICES, priceOf } from '../../../../shared/agent/model/prices.ts';
import { Agent } from '../../../../shared/config/agent-settings.ts';
import type { ReviewDraft } from '../../../../shared/rounds/model/draft.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import type { Cage } from '../../../../shared/workspace/cage/cage.ts';
import { ACCOUNT } from '../../../shared/agent/agent-run.ts';
import type { ScriptedModel } from '../../../shared/agent/scripted-model.ts';
import { runId } from '../../../shared/rounds/builders.ts';
import { never } from '../../../shared/workspace/repository.ts';
import { memoryTranscripts, stillClock } from '../agent-stage.ts';
import { request, type ReviewWorld, SCOPE, TASK } from '../review-world.ts';

export type Ground = { readonly world: ReviewWorld; readonly checkouts: string };

export type Range = { readonly base: CommitSha; readonly head: CommitSha };

export type AgentWish = {
  readonly agent?: Partial<Agent>;
  readonly scope?: Partial<RunScope>;
  readonly request?: Partial<PacketRequest>;
  readonly limits?: Partial<BudgetLimits>;
  readonly cage?: Cage | null;
  /** Default: null, no claim is verified. */
  readonly verifyMax?: number | null;
  /** Default: false. */
  readonly finders?: boolean;
};

/** A runner over a real repository, with everything else in memory. Checkouts are made below `checkouts`. */
export const agentRunnerStage = (
  { world, checkouts }: Ground,
  model: Model,
  { agent, scope, request: patch, limits, cage = null, verifyMax = null, finders = false }: AgentWish = {},
) => {
  const notes: string[] = [];
  const boundaries: string[] = [];
  const day = { nowMs: Date.UTC(2026, 0, 1) };
  const boundaryOf = createBoundaries(['a long secret of this installation'], () => day.nowMs);
  const clock = stillClock();
  const transcripts = memoryTranscripts();
  const ledger = createMemoryLedger({ ...BUDGET_LIMITS, ...limits });
  const price = priceOf(PRICES, 'claude-sonnet-5-5');
  if (price === null) throw new Error('no price');
  let calls = 0;
  const deps: AgentRunnerDeps = {
    connected: {
      model,
      clock,
      meterOf: () => ({ ledger, account: ACCOUNT, role: 'reviewer', price, newCallId: () => `call-${(calls += 1)}` }),
    },
    agent: { ...Agent.parse({}), ...agent },
    duplicateThreshold: 0.6,
    verifyMax,
    finders,
    transcripts,
    checkoutFolder: checkouts,
    cage,
    redact: createRedactor([]),
    saveNotes: async (_of, text) => void notes.push(text),
    boundaryOf: (of) => {
      const boundary = boundaryOf(of);
      boundaries.push(boundary);
      return boundary;
    },
    observe: () => {},
    checkpoint: () => {},
  };
  const run = async ({ base, head }: Range, id = 'run') => {
    const source = world.source();
    const packet = await buildPacket(request(base, head, patch), source);
    const input = { packet, task: TASK, revisions: source.revisions, scope: { ...SCOPE, runId: runId(id), ...scope } };
    return createAgentRunner(deps).run(input, never());
  };
  const draft = async (range: Range): Promise<RunnerDraft> => {
    const result = await run(range);
    if (result.kind !== 'draft') throw new Error(`no draft: ${result.kind}`);
    return result.draft;
  };
  /** With the checks of the reviewer behind it. */
  const checked = async ({ base, head }: Range): Promise<ReviewDraft> => {
    const result = await reviewOnce({
      identity: { runId: runId('run'), review: 1, attempt: 1 },
      request: request(base, head, patch),
      task: TASK,
      scope: { ...SCOPE, ...scope },
      source: world.source(),
      runner: createAgentRunner(deps),
      operatorRules: '',
      redact: deps.redact,
    });
    if (result.kind !== 'draft') throw new Error(`no draft: ${result.kind}`);
    return result.draft;
  };
  return { run, draft, checked, notes, boundaries, day, clock, transcripts };
};

export const textIn = ({ messages }: ModelRequest): string =>
  messages.flatMap(({ blocks }) => blocks.map((block) => ('text' in block ? block.text : ''))).join('\n');

/** As they are sent. */
export const breakpointsOf = (asked: ModelRequest): number =>
  JSON.stringify(writeRequest(asked, { longCache: true })).split('"cache_control"').length - 1;

export const asked = ({ requests }: ScriptedModel, index: number): ModelRequest => {
  const found = requests.at(index);
  if (found === undefined) throw new Error(`there was no request ${index}`);
  return found;
};
