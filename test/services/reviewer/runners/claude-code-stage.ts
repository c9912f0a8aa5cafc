/** The runner of the Claude Code CLI over a real repository, with a stand-in for the CLI and the rest in memory. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import type { PacketRequest } from '../../../../services/reviewer/packet/packet.ts';
import type { RunScope } from '../../../../services/reviewer/run/runner.ts';
import { type ClaudeCodeDeps, createClaudeCodeRunner } from '../../../../services/reviewer/runners/claude-code.ts';
import { createBoundaries } from '../../../../shared/agent/boundary.ts';
import type { BudgetLimits } from '../../../../shared/agent/model/budget.ts';
import { BUDGET_LIMITS } from '../../../support/budget-limits.ts';
import { createAgentClock } from '../../../../shared/agent/model/clock.ts';
import { createMemoryLedger } from '../../../../shared/agent/model/memory-ledger.ts';
import { PRICES, priceOf } from '../../../../shared/agent/model/prices.ts';
import { Agent } from '../../../../shared/config/agent-settings.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import type { CliSession } from '../../../../shared/store/cli-session.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import { makeClaudeStandIn, type StandIn, type StandInStep } from '../../../support/claude-stand-in.ts';
import { ACCOUNT } from '../../../shared/agent/agent-run.ts';
import { runId } from '../../../shared/rounds/builders.ts';
import { never } from '../../../shared/workspace/repository.ts';
import { request, type ReviewWorld, SCOPE, TASK } from '../review-world.ts';

export const MODEL_KEY = ['stand', 'in', 'model', 'key', '0123456789'].join('-');

export type ClaudeStage = {
  readonly cli: StandIn;
  readonly notes: string[];
  readonly ledger: ReturnType<typeof createMemoryLedger>;
  /** What is left below the folders of the runner, the kept conversations aside. */
  readonly leftovers: () => Promise<readonly string[]>;
  readonly loseSession: () => Promise<void>;
  readonly run: (
    range: { readonly base: CommitSha; readonly head: CommitSha },
    wish?: RunWish,
  ) => ReturnType<ReturnType<typeof createClaudeCodeRunner>['run']>;
  readonly dispose: () => Promise<void>;
};

export type RunWish = {
  readonly id?: string;
  readonly scope?: Partial<RunScope>;
  readonly request?: Partial<PacketRequest>;
  readonly notes?: string;
  readonly agent?: Partial<Agent>;
  readonly deps?: Partial<ClaudeCodeDeps>;
  readonly signal?: AbortSignal;
};

export const claudeStage = async (
  world: ReviewWorld,
  steps: readonly StandInStep[],
  limits: Partial<BudgetLimits> = {},
): Promise<ClaudeStage> => {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-claude-code-'));
  const cli = await makeClaudeStandIn(await mkdtemp(join(folder, 'cli-')), steps);
  const notes: string[] = [];
  const sessions = new Map<string, CliSession>();
  const ledger = createMemoryLedger({ ...BUDGET_LIMITS, ...limits });
  const price = priceOf(PRICES, 'claude-sonnet-5-5');
  if (price === null) throw new Error('no price');
  let calls = 0;
  const depsOf = ({ agent, deps }: RunWish): ClaudeCodeDeps => ({
    program: cli.program,
    access: { apiKey: MODEL_KEY, baseUrl: 'http://127.0.0.1:1' },
    connected: {
      clock: createAgentClock(() => 0.5),
      meterOf: () => ({ ledger, account: ACCOUNT, role: 'reviewer', price, newCallId: () => `call-${(calls += 1)}` }),
    },
    agent: { ...Agent.parse({}), ...agent },
    runUsd: 5,
    duplicateThreshold: 0.6,
    checkoutFolder: join(folder, 'checkouts'),
    stateFolder: join(folder, 'state'),
    redact: createRedactor([MODEL_KEY]),
    loadSession: async (of) => sessions.get(JSON.stringify(of)) ?? null,
    saveSession: async (of, session) => void sessions.set(JSON.stringify(of), session),
    saveNotes: async (_of, text) => void notes.push(text),
    boundaryOf: createBoundaries([], () => Date.now()),
    ...deps,
  });
  return {
    cli,
    notes,
    ledger,
    leftovers: async () => [
      ...(await readdir(join(folder, 'checkouts'))),
      ...(await readdir(join(folder, 'state'))).filter((name) => name !== 'sessions'),
    ],
    loseSession: async () => rm(join(folder, 'state', 'sessions'), { recursive: true }),
    run: async ({ base, head }, wish = {}) => {
      const source = world.source();
      const packet = await buildPacket(request(base, head, wish.request), source);
      const scope = { ...SCOPE, runId: runId(wish.id ?? 'run'), ...wish.scope };
      const task = { ...TASK, earlierNotes: wish.notes ?? null };
      const input = { packet, task, revisions: source.revisions, scope };
      return createClaudeCodeRunner(depsOf(wish)).run(input, wish.signal ?? never());
    },
    dispose: async () => {
      await rm(folder, { recursive: true, force: true });
    },
  };
};
