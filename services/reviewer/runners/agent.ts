/** Runs a review with a model in our own agent loop, merged with the built-in rules. */
import { alsoWithoutBoundary, type BoundaryOf } from '../../../shared/agent/boundary.ts';
import { AGENT, WRITE_NOTES } from '../../../shared/agent/build-request.ts';
import { compactAtTokens } from '../../../shared/agent/model/context-window.ts';
import { createProtect } from '../../../shared/agent/present-result.ts';
import { isLargeTask, reviewOpening, type ReviewPrompt } from '../../../shared/agent/prompt/review-opening.ts';
import { reviewerSystem } from '../../../shared/agent/prompt/system.ts';
import type { AgentEvent } from '../../../shared/agent/run-turns.ts';
import { createBashTool } from '../../../shared/agent/tools/bash.ts';
import { createExploreTool } from '../../../shared/agent/tools/explore.ts';
import { createGlobTool } from '../../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../../shared/agent/tools/grep.ts';
import { createReadTool } from '../../../shared/agent/tools/read.ts';
import { createReferencesTool } from '../../../shared/agent/tools/references.ts';
import { createSubmitReviewTool } from '../../../shared/agent/tools/submit-review.ts';
import { createWorkspaceFiles } from '../../../shared/agent/tools/workspace-files.ts';
import { createWriteNotesTool } from '../../../shared/agent/tools/write-notes.ts';
import type { Tool } from '../../../shared/agent/tool.ts';
import type { ConversationStart } from '../../../shared/agent/transcript.ts';
import type { Agent } from '../../../shared/config/agent-settings.ts';
import type { ConnectedModel, Payer } from '../../../shared/runtime/connect-model.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import type { Transcripts } from '../../../shared/store/transcripts.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import type { BashRunner } from '../../../shared/workspace/bash/bash-runner.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import { openTreeIn } from '../../../shared/workspace/tree/caged-tree.ts';
import { createCheckout } from '../../../shared/workspace/tree/checkout.ts';
import { openHistory } from '../../../shared/workspace/bash/history.ts';
import { openTree, type Tree } from '../../../shared/workspace/tree/tree.ts';
import { createReadBase } from '../packet/read-base.ts';
import { concludeReview } from '../run/conclude-review.ts';
import { askFinders, type FinderResult, NO_FINDERS, wantsFinders } from '../run/finders.ts';
import { runConversation, type ConversationResult } from '../run/run-conversation.ts';
import { changedPathsOf, type ModelReview, promptOf, submissionRulesOf } from '../run/model-review.ts';
import type { MergedParts } from '../run/merge-parts.ts';
import { planReview } from '../run/plan-review.ts';
import { reviewInParts, type TalkAboutPart } from '../run/review-in-parts.ts';
import type { Runner, RunScope } from '../run/runner.ts';

export type AgentRunnerDeps = {
  readonly connected: ConnectedModel;
  readonly agent: Agent;
  readonly duplicateThreshold: number;
  readonly verifyMax: ModelReview['verifyMax'];
  /** Whether finders look at a large or risky change first. */
  readonly finders: boolean;
  readonly transcripts: Transcripts;
  readonly checkoutFolder: string;
  /** The cage in which files are opened and commands run for the model. If null, the model has no Bash. */
  readonly cage: Cage | null;
  readonly redact: Redactor;
  /** Contract: stores the last notes of a run for the next run of the same change request. */
  readonly saveNotes: (of: ChangeRequest, notes: string) => Promise<void>;
  readonly boundaryOf: BoundaryOf;
  /** Contract: the same as `observe` of `TurnsRun`. */
  readonly observe: (event: AgentEvent, of: Payer) => void;
  readonly checkpoint: (step: string) => void;
};

const MAX_CHANGED_PATHS = 200;

export type ToolTarget = { readonly tree: Tree; readonly bash: BashRunner | null };

/** A target for building the tool schemas; it opens and runs nothing. */
const nowhere = (cage: Cage | null): ToolTarget => ({
  tree: openTree(''),
  bash: cage === null ? null : () => Promise.reject(new TypeError('there is no tree')),
});

type Reviewing = ModelReview & { readonly scope: RunScope; readonly deps: AgentRunnerDeps };

export const createAgentRunner = (deps: AgentRunnerDeps): Runner => ({
  name: 'agent',
  model: deps.agent.reviewer.model,
  run: async (input, signal) => {
    const { agent, duplicateThreshold, verifyMax, redact } = deps;
    const protect = createProtect(redact);
    const reviewing: Reviewing = { ...input, deps, agent, duplicateThreshold, verifyMax, redact, protect };
    const talked = await talkOnOneTree(reviewing, signal);
    if (talked.kind !== 'ended') return talked;
    await deps.saveNotes(input.scope.changeRequest, talked.notes);
    return concludeReview(reviewing, talked, signal);
  },
});

type Shown = 'notShown' | 'unanswered';
type Talked = { readonly kind: 'ended' } & Omit<MergedParts, Shown> & Partial<Pick<MergedParts, Shown>>;

/** A change that does not fit into one prompt is reviewed in parts, each in its own conversation. */
const talkOnOneTree = async (
  reviewing: Reviewing,
  signal: AbortSignal,
): Promise<{ readonly kind: 'waits' | 'superseded' } | Talked> => {
  const { deps, scope } = reviewing;
  const { connected, agent, transcripts } = deps;
  const tree = createTree(reviewing);
  const wallMs = scope.maxRuntimeS * 1000;
  try {
    const meter = connected.meterOf(agent.reviewer.model, { ...scope, role: 'reviewer' });
    const plan = await planReview(reviewing, { meter, transcripts, runId: scope.runId });
    if (plan !== null) {
      const talkAbout: TalkAboutPart = async ({ packet, part, id, leftMs, shareOf }, waiting) => {
        const verifyMax = reviewing.verifyMax === null ? null : shareOf(reviewing.verifyMax);
        const own = { ...reviewing, packet, part, verifyMax, agent: { ...agent, maxExplorers: 0 } };
        return talk(own, { id, tree, wallMs: leftMs }, waiting);
      };
      return await reviewInParts(reviewing, { plan, runId: scope.runId, wallMs, talkAbout }, signal);
    }
    const talked = await talk(reviewing, { id: scope.runId, tree, wallMs }, signal);
    if (talked.kind !== 'ended') return { kind: talked.kind };
    return { ...talked, boundaries: [talked.boundary] };
  } finally {
    await tree.dispose();
  }
};

type Conversing = {
  /** Id of the transcript. */
  readonly id: string;
  readonly tree: ReturnType<typeof createTree>;
  readonly wallMs: number;
};

const talk = async (
  reviewing: Reviewing,
  { id, tree, wallMs }: Conversing,
  signal: AbortSignal,
): Promise<ConversationResult> => {
  const { deps, scope, packet, protect } = reviewing;
  const { connected, agent, transcripts, observe, checkpoint } = deps;
  return runConversation(
    {
      runId: id,
      model: connected.model,
      meter: connected.meterOf(agent.reviewer.model, { ...scope, role: 'reviewer' }),
      clock: connected.clock,
      transcripts,
      start: async (waiting) => startOf(reviewing, waiting),
      tools: async ({ boundary }, waiting) => toolsOf(seenWithout(boundary, reviewing), await tree.open(waiting)),
      protect,
      explorers: scope.explorers,
      changedPaths: changedPathsOf(packet).slice(0, MAX_CHANGED_PATHS),
      wallMs,
      isSuperseded: scope.isSuperseded,
      observe: (event) => observe(event, scope),
      checkpoint,
    },
    signal,
  );
};

type TreeSource = Pick<Reviewing, 'revisions'> & {
  readonly deps: Pick<AgentRunnerDeps, 'cage' | 'checkoutFolder'>;
  readonly packet: Pick<Reviewing['packet'], 'head' | 'base'>;
};

/** Creates one checkout per execution, when a tool first needs it. Contract: call `dispose` last; it removes everything. */
export const createTree = ({ deps, revisions, packet }: TreeSource) => {
  const lay = async (signal: AbortSignal) => {
    const checkout = await createCheckout({ revisions, folder: deps.checkoutFolder }, packet.head, signal);
    const { repository } = revisions;
    const at = {
      repository,
      folder: deps.checkoutFolder,
      workspace: checkout.root,
      head: packet.head,
      base: packet.base,
    };
    const history = deps.cage === null ? null : openHistory(deps.cage, at);
    return { checkout, tree: openTreeIn(deps.cage, checkout), history };
  };
  let made: ReturnType<typeof lay> | null = null;
  return {
    open: async (signal: AbortSignal): Promise<ToolTarget> => {
      made ??= lay(signal);
      const { tree, history } = await made;
      return { tree, bash: history?.run ?? null };
    },
    dispose: async (): Promise<void> => {
      const laid = await made?.catch(() => null);
      await laid?.tree.close();
      await laid?.history?.close();
      await laid?.checkout.dispose();
    },
  };
};

/** The model's quotes are compared with the files as the model saw them. */
const seenWithout = (boundary: string, reviewing: Reviewing): Reviewing => ({
  ...reviewing,
  redact: alsoWithoutBoundary(reviewing.redact, boundary),
});

const toolsOf = (reviewing: Reviewing, { tree, bash }: ToolTarget): readonly Tool[] => {
  const { agent, packet, protect } = reviewing;
  const files = createWorkspaceFiles(tree, protect);
  const { maxExplorers } = agent;
  return [
    createReadTool(files, packet.base === null ? undefined : createReadBase(packet, protect)),
    createGlobTool(tree),
    createGrepTool(files),
    createReferencesTool(files),
    ...(bash === null ? [] : [createBashTool(bash, protect)]),
    createWriteNotesTool(),
    ...(maxExplorers === 0 ? [] : [createExploreTool(maxExplorers)]),
    createSubmitReviewTool(submissionRulesOf(reviewing)),
  ];
};

const FOR_LARGE_TASKS: readonly string[] = [WRITE_NOTES, AGENT];

const offeredFor = (prompt: ReviewPrompt, tools: readonly Tool[]): readonly Tool[] =>
  isLargeTask(prompt) ? tools : tools.filter(({ schema }) => !FOR_LARGE_TASKS.includes(schema.name));

/** Returns null while finders are running. */
const startOf = async (reviewing: Reviewing, signal: AbortSignal): Promise<ConversationStart | null> => {
  const { deps, scope, agent } = reviewing;
  const boundary = deps.boundaryOf(scope.changeRequest);
  const asked = await promptOf(reviewing, signal);
  const found = await findFirst(reviewing, { prompt: asked, boundary }, signal);
  if (found === null) return null;
  const prompt = { ...asked, candidates: found.candidates, explorers: agent.maxExplorers > 0 };
  return {
    role: 'reviewer',
    model: agent.reviewer.model,
    maxTurns: scope.maxTurns,
    maxCorrections: agent.maxCorrections,
    maxOutputTokens: agent.maxOutputTokens,
    maxExplorers: agent.maxExplorers,
    compactAtTokens: compactAtTokens(agent, 'reviewer'),
    ...(found.count === 0 ? {} : { finders: { count: found.count, spent: found.spent } }),
    boundary,
    system: [...reviewerSystem('change', { examples: isLargeTask(prompt) })],
    // The schemas need no tree and are the same for every later execution.
    tools: offeredFor(prompt, toolsOf(reviewing, nowhere(deps.cage))).map(({ schema }) => schema),
    opening: [...reviewOpening(prompt, boundary)],
  };
};

type Beginning = { readonly prompt: ReviewPrompt; readonly boundary: string };

const findFirst = async (
  { deps, scope, packet, protect, part }: Reviewing,
  { prompt, boundary }: Beginning,
  signal: AbortSignal,
): Promise<FinderResult | null> => {
  const diff = prompt.diff ?? '';
  // Not for a part of a large change: each part is looked at separately anyway.
  if (!deps.finders || part !== undefined || !wantsFinders(packet, prompt)) return NO_FINDERS;
  return askFinders({ runId: scope.runId, diff, explorers: scope.explorers, protect, boundary }, signal);
};
