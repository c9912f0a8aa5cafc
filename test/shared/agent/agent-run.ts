/** Everything that a run needs, with plain values; every test changes what it is about. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BudgetLimits } from '../../../shared/agent/model/budget.ts';
import { BUDGET_LIMITS } from '../../support/budget-limits.ts';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import type { Model } from '../../../shared/agent/model/model.ts';
import { createPresent, createProtect } from '../../../shared/agent/present-result.ts';
import { PRICES, priceOf } from '../../../shared/agent/model/prices.ts';
import { DEFAULT_MODEL_RETRY } from '../../../shared/agent/model/retrying-model.ts';
import type { AgentEvent, TurnsRun } from '../../../shared/agent/run-turns.ts';
import type { Tool } from '../../../shared/agent/tool.ts';
import { createExploreTool } from '../../../shared/agent/tools/explore.ts';
import { createGlobTool } from '../../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../../shared/agent/tools/grep.ts';
import { createReadTool } from '../../../shared/agent/tools/read.ts';
import { createSubmitReviewTool, type SubmitReviewOptions } from '../../../shared/agent/tools/submit-review.ts';
import { createWorkspaceFiles } from '../../../shared/agent/tools/workspace-files.ts';
import { openTree } from '../../../shared/workspace/tree/tree.ts';
import { createWriteNotesTool } from '../../../shared/agent/tools/write-notes.ts';
import {
  type ConversationStart,
  type ConversationInput,
  startTranscript,
  type Transcript,
} from '../../../shared/agent/transcript.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { type VirtualClock, virtualClock } from './virtual-clock.ts';

export const BOUNDARY = 'k3v9q2m7x1z8c4b6n0';

/** Is removed when all tests are over: files share this module, and with it the empty one. */
export const newWorkspace = (): string => mkdtempSync(join(tmpdir(), 'fixpoint-agent-'));

/** An empty one for runs that look at no file. */
const emptyWorkspace = (): string => (empty ??= newWorkspace());
let empty: string | null = null;

export const reviewRules = (patch: Partial<SubmitReviewOptions> = {}): SubmitReviewOptions => ({
  openThreads: [],
  duplicateThreshold: 0.6,
  faultOf: async ({ evidence, severity }) =>
    evidence === '' && (severity === 'P0' || severity === 'P1') ? { text: 'evidence is missing', binding: true } : null,
  ...patch,
});

export const protect = createProtect(createRedactor([]));

export const reviewerTools = (root: string, rules: SubmitReviewOptions = reviewRules()): readonly Tool[] => {
  const tree = openTree(root);
  const files = createWorkspaceFiles(tree, protect);
  return [
    createReadTool(files),
    createGlobTool(tree),
    createGrepTool(files),
    createWriteNotesTool(),
    createExploreTool(4),
    createSubmitReviewTool(rules),
  ];
};

export const explorerTools = (root: string): readonly Tool[] =>
  reviewerTools(root).filter(({ schema }) => !['Agent', 'submit_review'].includes(schema.name));

export const startOf = (tools: readonly Tool[], patch: Partial<ConversationStart> = {}): ConversationStart => ({
  role: 'reviewer',
  model: 'claude-sonnet-5-5',
  maxTurns: 8,
  maxCorrections: 2,
  maxOutputTokens: 16_384,
  maxExplorers: 4,
  compactAtTokens: 100_000,
  boundary: BOUNDARY,
  system: [{ kind: 'text', text: 'You review.', cache: true }],
  tools: tools.map(({ schema }) => schema),
  opening: [{ kind: 'text', text: 'The diff.', cache: true }],
  ...patch,
});

export const ACCOUNT = { runId: 'run1', changeRequest: { forge: 'main', projectId: 1, number: 2 }, day: '2026-01-01' };

export type TestRun = {
  readonly run: TurnsRun;
  readonly clock: VirtualClock;
  readonly events: readonly AgentEvent[];
  /** What was checkpointed, in order. */
  readonly saved: readonly ConversationInput[];
  readonly ledger: ReturnType<typeof createMemoryLedger>;
};

export type RunPatch = Partial<TurnsRun> & {
  readonly start?: Partial<ConversationStart>;
  readonly limits?: Partial<BudgetLimits>;
  readonly rules?: SubmitReviewOptions;
  readonly root?: string;
};

export const testRun = (model: Model, { start, limits, rules, root, ...patch }: RunPatch = {}): TestRun => {
  const clock = virtualClock();
  const events: AgentEvent[] = [];
  const saved: ConversationInput[] = [];
  const tools = patch.tools ?? reviewerTools(root ?? emptyWorkspace(), rules);
  const price = priceOf(PRICES, 'claude-sonnet-5-5');
  if (price === null) throw new Error('no price');
  const ledger = createMemoryLedger({ ...BUDGET_LIMITS, ...limits });
  let calls = 0;
  const transcript: Transcript = patch.transcript ?? startTranscript(startOf(tools, start));
  const run: TurnsRun = {
    model,
    tools,
    present: createPresent(protect, transcript.start.boundary),
    meter: { ledger, account: ACCOUNT, role: 'reviewer', price, newCallId: () => `call-${(calls += 1)}` },
    retry: DEFAULT_MODEL_RETRY,
    wallMs: 600_000,
    clock,
    checkpoint: async (input, index) => {
      if (index !== transcript.inputs.length + saved.length) throw new Error('checkpoint out of order');
      saved.push(input);
    },
    isSuperseded: async () => false,
    supersededEveryMs: 100_000,
    observe: (event) => void events.push(event),
    ...patch,
    transcript,
  };
  return { run, clock, events, saved, ledger };
};

export const never = new AbortController().signal;
