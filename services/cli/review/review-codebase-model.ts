/**
 * The model conversation of an audit. It uses the same loop and tools as a review, but for a tree instead of a diff.
 */
import { compactAtTokens } from '../../../shared/agent/model/context-window.ts';
import type { Outcome } from '../../../shared/agent/outcome.ts';
import { createProtect, type Protect } from '../../../shared/agent/present-result.ts';
import { protectTexts } from '../../../shared/agent/prompt/protect-texts.ts';
import { reviewOpening, type ReviewPrompt } from '../../../shared/agent/prompt/review-opening.ts';
import { reviewerSystem } from '../../../shared/agent/prompt/system.ts';
import { createExploreTool } from '../../../shared/agent/tools/explore.ts';
import { createGlobTool } from '../../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../../shared/agent/tools/grep.ts';
import { createReadTool } from '../../../shared/agent/tools/read.ts';
import { createReferencesTool } from '../../../shared/agent/tools/references.ts';
import { type ClaimFault, createSubmitReviewTool } from '../../../shared/agent/tools/submit-review.ts';
import { createWorkspaceFiles } from '../../../shared/agent/tools/workspace-files.ts';
import { createWriteNotesTool } from '../../../shared/agent/tools/write-notes.ts';
import type { Tool } from '../../../shared/agent/tool.ts';
import type { ConversationStart } from '../../../shared/agent/transcript.ts';
import type { ExceededBudget } from '../../../shared/vocabulary/exceeded.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import { openTreeIn } from '../../../shared/workspace/tree/caged-tree.ts';
import type { Tree } from '../../../shared/workspace/tree/tree.ts';
import { runConversation } from '../../reviewer/run/run-conversation.ts';
import { failedBy } from '../../reviewer/run/failed-by.ts';
import type { RunnerResult } from '../../reviewer/run/runner.ts';
import { createLocalExplorers } from './review-explorers.ts';
import type { LocalModel } from './review-model.ts';
import { openedPaths } from './files-read.ts';
import { ROUNDS } from './review-result.ts';
import { LOCAL_PAYER, RUN_ID } from './local-runners.ts';
import type { AuditTree } from './review-tree.ts';

export type Audit = {
  readonly tree: AuditTree;
  readonly model: LocalModel;
  /** The cage in which the tree's files are opened; null when none is available. */
  readonly cage: Cage | null;
  readonly name: string;
  /** Contract: returns what is wrong with a finding's file or quotation, in words, or null. */
  readonly faultOf: (finding: DraftFinding) => Promise<ClaimFault | null>;
};

export type Audited = {
  readonly kind: 'audited';
  readonly summary: string;
  readonly findings: readonly DraftFinding[];
  readonly omitted: readonly OmittedFile[];
  readonly opened: ReadonlySet<string>;
  readonly exceeded: ExceededBudget | null;
};

type Answer = Audited | Exclude<RunnerResult, { readonly kind: 'draft' }>;

/** @throws the errors of `runConversation` */
export const auditWithModel = async (audit: Audit, signal: AbortSignal): Promise<Answer> => {
  const { root, omitted } = audit.tree;
  const opened = openTreeIn(audit.cage, { root, absent: { files: omitted, cutAfter: null } });
  try {
    return await talk(audit, opened, signal);
  } finally {
    await opened.close();
  }
};

/** Bash is not offered, because it only reads history, and a plain folder has no history. */
const talk = async (audit: Audit, opened: Tree, signal: AbortSignal): Promise<Answer> => {
  const { model } = audit;
  const protect = createProtect(model.redact);
  const tools = toolsOf(audit, opened, protect);
  const place = { tree: opened, bash: null };
  const talked = await runConversation(
    {
      ...model,
      runId: RUN_ID,
      model: model.connected.model,
      meter: model.connected.meterOf(model.agent.reviewer.model, { ...LOCAL_PAYER, role: 'reviewer' }),
      clock: model.connected.clock,
      start: async (waiting) => startOf(audit, { tools, protect }, waiting),
      tools: async () => tools,
      protect,
      explorers: createLocalExplorers({ model, payer: LOCAL_PAYER, place: async () => place }),
      changedPaths: [],
      wallMs: model.agent.reviewer.maxRuntimeS * 1000,
      isSuperseded: async () => false,
    },
    signal,
  );
  return talked.kind === 'ended' ? auditedBy(talked.outcome, model) : talked;
};

const auditedBy = (
  outcome: Outcome,
  { transcripts }: LocalModel,
): Audited | (RunnerResult & { readonly kind: 'failed' }) => {
  if (outcome.kind !== 'submitted' && outcome.kind !== 'budget_exceeded') return failedBy(outcome);
  const opened = openedPaths(transcripts.all());
  if (outcome.kind === 'submitted') {
    const { notReviewed = [], ...submission } = outcome.submission;
    const omitted = [...submission.omitted, ...notReviewed];
    return { kind: 'audited', ...submission, omitted, opened, exceeded: null };
  }
  return { kind: 'audited', summary: CUT_SHORT, findings: [], omitted: [], opened, exceeded: outcome.exceeded };
};

const CUT_SHORT =
  'The audit ended before it was complete. Only findings of the built-in rules are shown; the model did not finish its review.';

const toolsOf = ({ model, faultOf }: Audit, opened: Tree, protect: Protect): readonly Tool[] => {
  const files = createWorkspaceFiles(opened, protect);
  const { maxExplorers } = model.agent;
  return [
    createReadTool(files),
    createGlobTool(opened),
    createGrepTool(files),
    createReferencesTool(files),
    createWriteNotesTool(),
    ...(maxExplorers === 0 ? [] : [createExploreTool(maxExplorers)]),
    createSubmitReviewTool({ openThreads: [], duplicateThreshold: ROUNDS.duplicateThreshold, faultOf }),
  ];
};

type Means = { readonly tools: readonly Tool[]; readonly protect: Protect };

const startOf = async (audit: Audit, { tools, protect }: Means, signal: AbortSignal): Promise<ConversationStart> => {
  const { agent, boundaryOf } = audit.model;
  const boundary = boundaryOf(LOCAL_PAYER.changeRequest);
  return {
    role: 'reviewer',
    model: agent.reviewer.model,
    maxTurns: agent.reviewer.maxTurns,
    maxCorrections: agent.maxCorrections,
    maxOutputTokens: agent.maxOutputTokens,
    maxExplorers: agent.maxExplorers,
    compactAtTokens: compactAtTokens(agent, 'reviewer'),
    boundary,
    system: [...reviewerSystem('codebase')],
    tools: tools.map(({ schema }) => schema),
    opening: [...reviewOpening(await promptOf(audit, protect, signal), boundary)],
  };
};

const promptOf = async (
  { tree, name, model }: Audit,
  protect: Protect,
  signal: AbortSignal,
): Promise<ReviewPrompt> => ({
  header: { mode: 'codebase', ...(await protectTexts({ name }, protect, signal)) },
  guidelines: [],
  diff: null,
  size: { files: tree.files.length, changedLines: tree.files.reduce((sum, { lines }) => sum + lines, 0) },
  omitted: [],
  delta: null,
  openThreads: [],
  closedThreads: [],
  comments: [],
  earlierNotes: null,
  instructions: null,
  review: 1,
  stage: 'open',
  explorers: model.agent.maxExplorers > 0,
});
