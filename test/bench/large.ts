/**
 * Large changes: how much of a change is seen and what it costs, what a push costs afterwards, and how long a change of 5,000 files
 * is planned. The model behind it is scripted: it reads its part in one turn, looks up one file, and submits.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRICES, priceOf } from '../../shared/agent/model/prices.ts';
import { createMemoryLedger } from '../../shared/agent/model/memory-ledger.ts';
import { createAgentClock } from '../../shared/agent/model/clock.ts';
import { inputTokens, type Model, type ModelReply, type ModelRequest } from '../../shared/agent/model/model.ts';
import { createBoundaries } from '../../shared/agent/boundary.ts';
import { Agent, ModelBudgets } from '../../shared/config/agent-settings.ts';
import { Limits } from '../../shared/config/schema.ts';
import { budgetLimitsOf } from '../../shared/runtime/connect-model.ts';
import type { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { CommitSha } from '../../shared/vocabulary/ids.ts';
import { openLocalRepository } from '../../shared/workspace/local/local.ts';
import { findGit } from '../../shared/workspace/git/git.ts';
import { createRevisions } from '../../shared/workspace/git/revisions.ts';
import { createMemoryTranscripts } from '../../services/cli/review/review-memory.ts';
import { buildPacket } from '../../services/reviewer/packet/build-packet.ts';
import type { PacketLimits, PacketRequest } from '../../services/reviewer/packet/packet.ts';
import { fitReview, reviewPartsOf } from '../../services/reviewer/run/plan-review.ts';
import { NO_EXPLORERS } from '../../services/reviewer/run/explorers.ts';
import { reviewOnce } from '../../services/reviewer/review.ts';
import { createAgentRunner } from '../../services/reviewer/runners/agent.ts';
import { runId } from '../shared/rounds/builders.ts';
import { TASK } from '../services/reviewer/review-world.ts';
import { type LargeChange, makeLargeChange } from './large-change.ts';

/** The shape of a real release of a web framework. */
const LARGE = { files: 193, changedLines: 8_366, seed: 18 } as const;
const HUGE = { files: 5_000, changedLines: 200_000, seed: 5 } as const;
const PUSHED_FILES = 4;

const SEEN_GOAL = 0.99;
const COST_GOAL = 2;
const PLAN_GOAL_S = 10;
const MEMORY_GOAL = 1024 ** 3;

/** As the estimate counts: about three bytes of code per token. */
const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);

const signal = new AbortController().signal;

const LIMITS: PacketLimits = { ...Limits.parse({}), includePaths: [], excludePaths: [] };
/** The default limits leave a change of this size out as a whole; an operator has to raise these two. */
const HUGE_LIMITS: PacketLimits = { ...LIMITS, maxFiles: HUGE.files, maxDiffBytes: 64 * 1024 ** 2 };

/** What a provider would count, with a cache that holds each conversation's own prefix. */
type Spend = { fresh: number; cached: number; output: number };

const lengthOf = ({ system, tools, messages }: ModelRequest): number =>
  tokensIn(JSON.stringify([system, tools, messages]));

/** `looks`: whether it looks something up before it submits. */
const scriptedReviewer = (spend: Spend, looks: boolean): Model => ({
  respond: async (request): Promise<ModelReply> => {
    const isFirst = request.messages.length === 1;
    const all = lengthOf(request);
    const before = isFirst ? 0 : lengthOf({ ...request, messages: request.messages.slice(0, -2) });
    const output = 200;
    spend.fresh += all - before;
    spend.cached += before;
    spend.output += output;
    const usage = { uncachedInput: 0, cacheWrite: all - before, cacheRead: before, cacheWriteLong: 0, output };
    const review = { summary: 'Seen.', findings: [], not_reviewed: [] };
    const block =
      looks && isFirst
        ? { kind: 'tool_call' as const, id: 'look', name: 'Grep', input: { pattern: 'export const amount1 ' } }
        : { kind: 'tool_call' as const, id: 'end', name: 'submit_review', input: review };
    if (inputTokens(usage) !== all) throw new Error('the counts do not add up');
    return { stopReason: 'tool_use', refusalCategory: null, blocks: [block], usage };
  },
});

const inRepository = async <Result>(
  folder: string,
  work: (revisions: ReturnType<typeof createRevisions>, scratch: string) => Promise<Result>,
): Promise<Result> => {
  const scratch = mkdtempSync(join(tmpdir(), 'fixpoint-large-'));
  const gitPath = findGit(process.env['PATH'] ?? '');
  const repository = await openLocalRepository({ directory: folder, gitPath, scratchFolder: scratch }, signal);
  const revisions = createRevisions(repository.git, { borrowed: repository.objectFolders });
  try {
    return await work(revisions, scratch);
  } finally {
    revisions.close();
    rmSync(scratch, { recursive: true, force: true });
  }
};

type Reviewed = { readonly draft: ReviewDraft; readonly spend: Spend };

const reviewed = async (
  { folder, base }: LargeChange,
  head: string,
  { looks, previous = null }: { readonly looks: boolean; readonly previous?: PacketRequest['previous'] },
): Promise<Reviewed> =>
  inRepository(folder, async (revisions, scratch) => {
    const spend: Spend = { fresh: 0, cached: 0, output: 0 };
    const agent = Agent.parse({});
    const price = priceOf(PRICES, agent.reviewer.model);
    if (price === null) throw new Error('the model has no price');
    const ledger = createMemoryLedger(budgetLimitsOf(ModelBudgets.parse({})));
    const changeRequest = { forge: 'bench', projectId: 1, number: 1 };
    let calls = 0;
    const runner = createAgentRunner({
      connected: {
        model: scriptedReviewer(spend, looks),
        clock: createAgentClock(() => 0.5),
        meterOf: (_model, { role, ...payer }) => ({
          ledger,
          account: { ...payer, day: '2026-01-01' },
          role,
          price,
          newCallId: () => `call-${(calls += 1)}`,
        }),
      },
      agent,
      duplicateThreshold: 0.6,
      verifyMax: null,
      finders: false,
      transcripts: createMemoryTranscripts(),
      checkoutFolder: join(scratch, 'checkouts'),
      cage: null,
      redact: createRedactor([]),
      saveNotes: async () => {},
      boundaryOf: createBoundaries(['a secret of this bench'], () => 0),
      observe: () => {},
      checkpoint: () => {},
    });
    const result = await reviewOnce({
      identity: { runId: runId('bench'), review: 1, attempt: 1 },
      request: { head: CommitSha.parse(head), targetHead: CommitSha.parse(base), openThreads: [], previous },
      task: TASK,
      scope: {
        runId: runId('bench'),
        changeRequest,
        maxTurns: agent.reviewer.maxTurns,
        maxRuntimeS: agent.reviewer.maxRuntimeS,
        explorers: NO_EXPLORERS,
        isSuperseded: async () => false,
      },
      source: { revisions, limits: LIMITS, signal },
      runner,
      operatorRules: '',
      redact: createRedactor([]),
    });
    if (result.kind !== 'draft') throw new Error(`the review ended as ${result.kind}`);
    return { draft: result.draft, spend };
  });

const diffTokens = ({ folder, base }: LargeChange, head: string): number => {
  const { stdout } = spawnSync('git', ['-C', folder, 'diff', base, head], { encoding: 'utf8', maxBuffer: 1 << 28 });
  return tokensIn(stdout);
};

const seenShare = ({ coverage }: ReviewDraft): number => {
  let [seen, all] = [0, 0];
  for (const { lines } of coverage.lines ?? [])
    for (const { startLine, line, seenBy } of lines) {
      all += line - startLine + 1;
      if (seenBy === 'model') seen += line - startLine + 1;
    }
  return all === 0 ? 0 : seen / all;
};

const number = (value: number): string => Math.round(value).toLocaleString('en-US');

const say = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');

const benchCost = async (folder: string): Promise<void> => {
  const change = makeLargeChange(folder, LARGE);
  const diff = diffTokens(change, change.head);
  console.log(
    `\nLarge change: ${LARGE.files} files, ${number(LARGE.changedLines)} changed lines, diff of ${number(diff)} tokens, default budgets`,
  );
  let first: Reviewed | null = null;
  for (const looks of [false, true]) {
    const made = await reviewed(change, change.head, { looks });
    first ??= made;
    const { draft, spend } = made;
    const share = seenShare(draft);
    const [fresh, all] = [spend.fresh / diff, (spend.fresh + spend.cached) / diff];
    console.log(
      `  ${looks ? 'one look-up and submission' : 'submission in the first turn'}: ${draft.spent.modelCalls} calls, $${draft.spent.costUsd.toFixed(2)}`,
    );
    console.log(
      `    changed lines seen by the model: ${(share * 100).toFixed(2)} % (goal 99 %: ${say(share >= SEEN_GOAL)})`,
    );
    console.log(
      `    tokens at full price / tokens of the diff: ${fresh.toFixed(2)} (goal ${COST_GOAL}: ${say(fresh <= COST_GOAL)}); with those from the cache ${all.toFixed(2)}`,
    );
  }
  const head = change.push(PUSHED_FILES);
  const previous = {
    head: CommitSha.parse(change.head),
    base: CommitSha.parse(change.base),
    fingerprint: first?.draft.patchFingerprint ?? '',
    verdict: 'lgtm' as const,
    seenBy: 'model' as const,
  };
  const after = await reviewed(change, head, { looks: false, previous });
  const ratio = after.spend.fresh / (first?.spend.fresh ?? 1);
  console.log(
    `  a push of ${PUSHED_FILES} files afterwards: ${number(after.spend.fresh)} tokens, ${(ratio * 100).toFixed(1)} % of the first review, ${(seenShare(after.draft) * 100).toFixed(2)} % of the lines seen`,
  );
};

/** In a process of its own, so that only this work is measured. */
const planHuge = async (folder: string, base: string, head: string): Promise<void> =>
  inRepository(folder, async (revisions) => {
    const startedMs = performance.now();
    const request = { head: CommitSha.parse(head), targetHead: CommitSha.parse(base), openThreads: [], previous: null };
    const packet = await buildPacket(request, { revisions, limits: HUGE_LIMITS, signal });
    const builtMs = performance.now();
    const agent = Agent.parse({});
    const parts = reviewPartsOf(packet, agent);
    const price = priceOf(PRICES, agent.reviewer.model);
    if (price === null) throw new Error('the model has no price');
    const fit = fitReview(parts, agent, { price, budget: budgetLimitsOf(ModelBudgets.parse({})).run });
    const plannedMs = performance.now();
    const peak = process.resourceUsage().maxRSS * 1024;
    const found = { files: packet.diff.files.length, parts: parts.length, chosen: fit.chosen.length };
    console.log(
      JSON.stringify({ ...found, packetS: (builtMs - startedMs) / 1000, planS: (plannedMs - builtMs) / 1000, peak }),
    );
  });

const benchPlan = (folder: string): void => {
  const { base, head } = makeLargeChange(folder, HUGE);
  const script = new URL(import.meta.url).pathname;
  const child = spawnSync(process.execPath, [...process.execArgv, script, 'plan', folder, base, head], {
    encoding: 'utf8',
  });
  const text = child.stdout.trim().split('\n').at(-1) ?? '';
  if (text === '') throw new Error(child.stderr);
  const { files, parts, chosen, packetS, planS, peak } = JSON.parse(text);
  if (files !== HUGE.files) throw new Error(`only ${files} files were read`);
  const seconds = packetS + planS;
  console.log(`\nHuge change: ${number(files)} files in ${parts} parts, of which the default budgets admit ${chosen}`);
  console.log(
    `  planned in ${seconds.toFixed(1)} s (goal ${PLAN_GOAL_S} s: ${say(seconds <= PLAN_GOAL_S)}): reading it ${packetS.toFixed(1)} s, the plan ${planS.toFixed(2)} s`,
  );
  console.log(`  peak memory ${number(peak / 1024 ** 2)} MiB (goal 1 GiB: ${say(peak <= MEMORY_GOAL)})`);
};

export const benchLarge = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'));
  try {
    await benchCost(join(folder, 'large'));
    benchPlan(join(folder, 'huge'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const [mode, folder, base, head] = process.argv.slice(2);
if (mode === 'plan' && folder !== undefined && base !== undefined && head !== undefined)
  await planHuge(folder, base, head);
