/** The Claude Code CLI as an author in a checkout of its own, with a stand-in for the CLI and the rest in memory. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FixOutcome, FixTask } from '../../../../services/author/change/agent.ts';
import { createClaudeCodeAgent } from '../../../../services/author/agents/claude-code.ts';
import type { BudgetLimits } from '../../../../shared/agent/model/budget.ts';
import { BUDGET_LIMITS } from '../../../support/budget-limits.ts';
import { type AgentClock, createAgentClock } from '../../../../shared/agent/model/clock.ts';
import { createMemoryLedger } from '../../../../shared/agent/model/memory-ledger.ts';
import { PRICES, priceOf } from '../../../../shared/agent/model/prices.ts';
import { Agent } from '../../../../shared/config/agent-settings.ts';
import type { FixFinding } from '../../../../shared/rounds/model/fix-brief.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import { makeClaudeStandIn, type StandIn, type StandInStep } from '../../../support/claude-stand-in.ts';
import { ACCOUNT, BOUNDARY } from '../../../shared/agent/agent-run.ts';
import { print, runId, sha } from '../../../shared/rounds/builders.ts';
import { never, temporaryFolder } from '../../../shared/workspace/repository.ts';

export const MODEL_KEY = ['stand', 'in', 'model', 'key', '0123456789'].join('-');

export const finding = (patch: Partial<FixFinding> = {}): FixFinding => ({
  id: 'F-001',
  fingerprint: print('one'),
  severity: 'P1',
  title: 'Evaluates input',
  text: 'It runs what it is given.',
  rule: null,
  place: { path: 'run.js', side: 'new', startLine: 1, line: 1 },
  ...patch,
});

export type Wish = {
  readonly steps: readonly StandInStep[];
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly task?: Partial<FixTask>;
  readonly limits?: Partial<BudgetLimits>;
  readonly clock?: AgentClock;
  readonly signal?: AbortSignal;
};

export type AuthorCliStage = {
  readonly work: (wish: Wish) => Promise<FixOutcome>;
  /** Of the last one that worked. */
  readonly cli: () => StandIn;
  readonly ledger: () => ReturnType<typeof createMemoryLedger>;
  readonly root: string;
  readonly scratch: () => readonly string[];
  /** Permission bits. */
  readonly modeOf: (file: string) => number;
  readonly dispose: () => void;
};

export const RUN = 'export const run = (text) => eval(text);\n';
const FILES = { 'run.js': RUN, 'lib/kept.js': 'kept();\n' };

const layDown = (root: string, files: NonNullable<Wish['files']>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
    chmodSync(join(root, name), 0o444);
  }
};

const taskIn = (root: string, paths: readonly string[], patch: Partial<FixTask> = {}): FixTask => ({
  changeRequest: { forge: 'main', projectId: 1, number: 5 },
  runId: runId('fix'),
  head: sha('head'),
  review: 1,
  findings: [finding()],
  root,
  paths,
  limits: { maxTurns: 7, maxRuntimeMs: 20_000 },
  ...patch,
});

export const authorCliStage = (): AuthorCliStage => {
  const folder = temporaryFolder();
  const root = join(folder.path, 'tree');
  const scratchFolder = join(folder.path, 'scratch');
  mkdirSync(root);
  let cli: StandIn | null = null;
  let ledger = createMemoryLedger(BUDGET_LIMITS);
  const started = (): StandIn => {
    if (cli === null) throw new Error('nobody has worked');
    return cli;
  };
  return {
    root,
    cli: started,
    ledger: () => ledger,
    scratch: () => readdirSync(scratchFolder),
    modeOf: (file) => statSync(join(root, file)).mode & 0o777,
    work: async ({ steps, files = {}, task, limits, clock = createAgentClock(() => 0.5), signal }) => {
      layDown(root, { ...FILES, ...files });
      cli = await makeClaudeStandIn(mkdtempSync(join(folder.path, 'cli-')), steps);
      const books = createMemoryLedger({ ...BUDGET_LIMITS, ...limits });
      ledger = books;
      const price = priceOf(PRICES, 'claude-sonnet-5-5');
      if (price === null) throw new Error('the default model has a price');
      let calls = 0;
      const agent = createClaudeCodeAgent({
        program: cli.program,
        access: { apiKey: MODEL_KEY, baseUrl: 'http://127.0.0.1:1' },
        connected: {
          clock,
          meterOf: () => ({
            ledger: books,
            account: ACCOUNT,
            role: 'reviewer',
            price,
            newCallId: () => `call-${(calls += 1)}`,
          }),
        },
        agent: Agent.parse({}),
        runUsd: 5,
        scratchFolder,
        redact: createRedactor([MODEL_KEY]),
        boundaryOf: () => BOUNDARY,
      });
      return agent.work(taskIn(root, ['run.js', ...Object.keys(files)], task), signal ?? never());
    },
    dispose: () => folder.dispose(),
  };
};
