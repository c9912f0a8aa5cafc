/** A model reviews, the built-in rules beside it. */
import type { Outcome } from '../../../shared/agent/outcome.ts';
import { createProtect, type Protect } from '../../../shared/agent/present-result.ts';
import { reviewOpening } from '../../../shared/agent/prompt/review-opening.ts';
import { reviewerSystem } from '../../../shared/agent/prompt/system.ts';
import type { AgentEvent } from '../../../shared/agent/run-turns.ts';
import { createExploreTool } from '../../../shared/agent/tools/explore.ts';
import { createGlobTool } from '../../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../../shared/agent/tools/grep.ts';
import { createReadTool } from '../../../shared/agent/tools/read.ts';
import { createSubmitReviewTool, type SubmitReviewOptions } from '../../../shared/agent/tools/submit-review.ts';
import { createWorkspaceFiles } from '../../../shared/agent/tools/workspace-files.ts';
import { createWriteNotesTool } from '../../../shared/agent/tools/write-notes.ts';
import type { Tool } from '../../../shared/agent/tool.ts';
import type { ConversationStart } from '../../../shared/agent/transcript.ts';
import type { Agent } from '../../../shared/config/agent-settings.ts';
import { readRepositorySettings } from '../../../shared/config/read-repository-settings.ts';
import type { ConnectedModel, Payer } from '../../../shared/connect-model.ts';
import type { ChangeRequest } from '../../../shared/rounds/vocabulary.ts';
import type { Transcripts } from '../../../shared/store/transcripts.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import { createCheckout } from '../../../shared/workspace/checkout.ts';
import { isEvidenced } from '../check-draft.ts';
import { converse, type Talked } from '../converse.ts';
import { failedBy } from '../failed-by.ts';
import { guidelineOf, readGuidelines } from '../guidelines.ts';
import { answersWithoutModel, mergeAnswers, mergeFindings } from '../merge-rules.ts';
import type { Packet } from '../packet.ts';
import { buildReviewPrompt } from '../prompt.ts';
import { runRules } from '../run-rules.ts';
import { type DiffSources, showDiff } from '../show-diff.ts';
import type { Runner, RunnerDraft, RunnerInput, RunnerResult } from '../runner.ts';

export type AgentRunnerDeps = {
  readonly connected: ConnectedModel;
  readonly agent: Agent;
  readonly duplicateThreshold: number;
  readonly transcripts: Transcripts;
  /** Checkouts are made and removed below this folder. */
  readonly checkoutFolder: string;
  readonly redact: Redactor;
  /** Contract: what a run noted last, for the next run of the same change request. */
  readonly saveNotes: (of: ChangeRequest, notes: string) => Promise<void>;
  /** Random, 16 to 64 lower-case letters and digits. */
  readonly newBoundary: () => string;
  /** Contract: as in `TurnsRun`. */
  readonly observe: (event: AgentEvent, of: Payer) => void;
  readonly checkpoint: (step: string) => void;
};

/** About four bytes make a token: the diff takes at most half of what a conversation holds before it is compacted. */
const DIFF_BYTES_PER_TOKEN = 2;

const MAX_CHANGED_PATHS = 200;

type Reviewing = RunnerInput & { readonly deps: AgentRunnerDeps; readonly protect: Protect };

export const createAgentRunner = (deps: AgentRunnerDeps): Runner => ({
  name: 'agent',
  run: async (input, signal) => {
    const reviewing: Reviewing = { ...input, deps, protect: createProtect(deps.redact) };
    const talked = await talk(reviewing, signal);
    if (talked.kind !== 'ended') return talked;
    await deps.saveNotes(input.scope.changeRequest, talked.notes);
    return resultOf(reviewing, talked, signal);
  },
});

const talk = async (reviewing: Reviewing, signal: AbortSignal): Promise<Talked> => {
  const { deps, scope, packet, protect } = reviewing;
  const { connected, agent, transcripts, observe, checkpoint } = deps;
  const tree = createTree(reviewing);
  try {
    return await converse(
      {
        runId: scope.runId,
        model: connected.model,
        meter: connected.meterOf(agent.reviewer.model, scope),
        clock: connected.clock,
        transcripts,
        start: async (waiting) => startOf(reviewing, waiting),
        tools: async (waiting) => toolsOf(reviewing, await tree.root(waiting)),
        protect,
        explorers: scope.explorers,
        changedPaths: changedPathsOf(packet).slice(0, MAX_CHANGED_PATHS),
        wallMs: scope.maxRuntimeS * 1000,
        isSuperseded: scope.isSuperseded,
        observe: (event) => observe(event, scope),
        checkpoint,
      },
      signal,
    );
  } finally {
    await tree.dispose();
  }
};

/** One checkout per execution, made when a tool may need it. */
const createTree = ({ deps, revisions, packet }: Reviewing) => {
  let made: ReturnType<typeof createCheckout> | null = null;
  return {
    root: async (signal: AbortSignal): Promise<string> => {
      made ??= createCheckout({ revisions, folder: deps.checkoutFolder }, packet.head, signal);
      return (await made).root;
    },
    dispose: async (): Promise<void> => {
      if (made === null) return;
      const checkout = await made.catch(() => null);
      await checkout?.dispose();
    },
  };
};

const rulesOfSubmission = ({ packet, deps }: Reviewing): SubmitReviewOptions => ({
  openThreads: packet.openThreads.map(({ id, severity, legalActions, title, words = '', place, now, citedText }) => ({
    id,
    severity,
    legalActions,
    claim: { place: now ?? place, title, body: words, citedCode: citedText },
  })),
  duplicateThreshold: deps.duplicateThreshold,
  isEvidenced: async (finding) => isEvidenced(finding, packet, deps.redact),
});

const toolsOf = (reviewing: Reviewing, root: string): readonly Tool[] => {
  const { deps, protect } = reviewing;
  const files = createWorkspaceFiles(root, protect);
  const { maxExplorers } = deps.agent;
  return [
    createReadTool(files),
    createGlobTool(root),
    createGrepTool(files),
    createWriteNotesTool(),
    ...(maxExplorers === 0 ? [] : [createExploreTool(maxExplorers)]),
    createSubmitReviewTool(rulesOfSubmission(reviewing)),
  ];
};

const startOf = async (reviewing: Reviewing, signal: AbortSignal): Promise<ConversationStart> => {
  const { deps, scope, packet, task, revisions, protect } = reviewing;
  const { agent } = deps;
  const boundary = deps.newBoundary();
  const changedPaths = changedPathsOf(packet);
  const target = packet.targetHead;
  const { settings } = await readRepositorySettings(revisions, { target, redact: deps.redact }, signal);
  const files = await readGuidelines(revisions, { target, changedPaths }, signal);
  const guidelines = [...guidelineOf(settings), ...files];
  const shown = await showDiff(diffSources(reviewing), signal);
  const prompt = await buildReviewPrompt({ packet, task, guidelines, shown, protect }, signal);
  return {
    role: 'reviewer',
    model: agent.reviewer.model,
    maxTurns: scope.maxTurns,
    maxCorrections: agent.maxCorrections,
    maxOutputTokens: agent.maxOutputTokens,
    maxExplorers: agent.maxExplorers,
    compactAtTokens: agent.compactAtTokens,
    boundary,
    system: [...reviewerSystem('change')],
    // The schemas need no tree, and the tools of every later execution have the same ones.
    tools: toolsOf(reviewing, '').map(({ schema }) => schema),
    opening: [...reviewOpening(prompt, boundary)],
  };
};

const changedPathsOf = ({ reviewable }: Packet): readonly string[] => reviewable.map(({ newPath }) => newPath);

const diffSources = ({ packet, deps, protect }: Reviewing): DiffSources => ({
  packet,
  protect,
  maxDiffBytes: deps.agent.compactAtTokens * DIFF_BYTES_PER_TOKEN,
});

const resultOf = async (
  reviewing: Reviewing,
  talked: Talked & { readonly kind: 'ended' },
  signal: AbortSignal,
): Promise<RunnerResult> => {
  const { outcome } = talked;
  if (outcome.kind !== 'submitted' && outcome.kind !== 'budget_exceeded') return failedBy(outcome);
  return { kind: 'draft', draft: await draftOf(reviewing, { ...talked, outcome }, signal) };
};

type WithDraft = Talked & {
  readonly kind: 'ended';
  readonly outcome: Outcome & { readonly kind: 'submitted' | 'budget_exceeded' };
};

const draftOf = async (
  reviewing: Reviewing,
  { outcome, spent }: WithDraft,
  signal: AbortSignal,
): Promise<RunnerDraft> => {
  const { packet, deps } = reviewing;
  const rules = await runRules(packet, signal);
  // Another execution may have built the prompt.
  const { notShown } = await showDiff(diffSources(reviewing), signal);
  if (outcome.kind === 'budget_exceeded') {
    const answers = answersWithoutModel(rules, packet.openThreads);
    const omitted = [...rules.omitted, ...notShown];
    return { summary: CUT_SHORT, findings: rules.findings, answers, omitted, spent, exceeded: outcome.exceeded };
  }
  const { submission } = outcome;
  return {
    summary: submission.summary,
    findings: mergeFindings(rules.findings, submission.findings, deps.duplicateThreshold),
    answers: mergeAnswers(submission.answers, rules, packet.openThreads),
    omitted: [...rules.omitted, ...notShown, ...submission.omitted],
    spent,
    exceeded: null,
  };
};

const CUT_SHORT =
  'The review ended before it was complete. Only what the built-in rules found stands here; it says nothing about the rest.';
