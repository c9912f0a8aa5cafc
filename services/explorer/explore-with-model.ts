import type { BoundaryOf } from '../../shared/agent/boundary.ts';
import { explorerAnswer } from '../../shared/agent/explorer-answer.ts';
import type { Outcome } from '../../shared/agent/outcome.ts';
import { createPresent, createProtect, type Protect } from '../../shared/agent/present-result.ts';
import { explorerOpening } from '../../shared/agent/prompt/explorer-opening.ts';
import { protectTexts } from '../../shared/agent/prompt/protect-texts.ts';
import { explorerSystem } from '../../shared/agent/prompt/system.ts';
import { compactAtTokens } from '../../shared/agent/model/context-window.ts';
import { DEFAULT_MODEL_RETRY } from '../../shared/agent/model/retrying-model.ts';
import { type AgentEvent, runTurns } from '../../shared/agent/run-turns.ts';
import type { Tool } from '../../shared/agent/tool.ts';
import { createBashTool } from '../../shared/agent/tools/bash.ts';
import { createGlobTool } from '../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../shared/agent/tools/grep.ts';
import { createReferencesTool } from '../../shared/agent/tools/references.ts';
import { createReadTool } from '../../shared/agent/tools/read.ts';
import { createWorkspaceFiles } from '../../shared/agent/tools/workspace-files.ts';
import { createWriteNotesTool } from '../../shared/agent/tools/write-notes.ts';
import { type ConversationStart, startTranscript, type Transcript } from '../../shared/agent/transcript.ts';
import type { Agent } from '../../shared/config/agent-settings.ts';
import type { ConnectedModel, Payer } from '../../shared/runtime/connect-model.ts';
import type { Notes, Question } from '../../shared/vocabulary/question.ts';
import { NOTHING_SPENT } from '../../shared/vocabulary/spent.ts';
import type { Transcripts } from '../../shared/store/transcripts.ts';
import { cutPoint } from '../../shared/text/cut.ts';
import type { Redactor } from '../../shared/text/redact.ts';
import type { BashRunner } from '../../shared/workspace/bash/bash-runner.ts';
import type { Tree } from '../../shared/workspace/tree/tree.ts';

export type ModelExplorer = {
  readonly connected: ConnectedModel;
  readonly agent: Agent;
  readonly transcripts: Transcripts;
  readonly redact: Redactor;
  readonly boundaryOf: BoundaryOf;
  /** Contract: the same as `observe` of `TurnsRun`. */
  readonly observe: (event: AgentEvent, of: Payer) => void;
  readonly checkpoint: (step: string) => void;
};

export type Exploration = {
  /** The question's id; its transcript is stored under it. */
  readonly id: string;
  readonly question: Question & { readonly kind: 'explore' };
  readonly tree: Tree;
  /** Runs commands on the same tree and its history; null if there is no cage, so that the model has no Bash. */
  readonly bash: BashRunner | null;
  readonly payer: Payer;
  readonly maxTurns: number;
  readonly maxRuntimeS: number;
  readonly isSuperseded: () => Promise<boolean>;
};

const MAX_NOTES = 50_000;
const SUPERSEDED_EVERY_MS = 2_000;

/** @throws the same errors as `runTurns`; the transcript is kept, so another execution can continue it. */
export const exploreWithModel = async (
  explorer: ModelExplorer,
  exploration: Exploration,
  signal: AbortSignal,
): Promise<Notes> => {
  const { connected, agent, transcripts, observe, checkpoint } = explorer;
  const protect = createProtect(explorer.redact);
  const tools = explorerTools(exploration, protect);
  const transcript = await beginOrResume(explorer, { exploration, tools, protect }, signal);
  const result = await runTurns(
    {
      transcript,
      model: connected.model,
      tools,
      present: createPresent(protect, transcript.start.boundary),
      meter: connected.meterOf(agent.explorer.model, exploration.payer),
      retry: DEFAULT_MODEL_RETRY,
      wallMs: exploration.maxRuntimeS * 1000,
      clock: connected.clock,
      checkpoint: async (input, index) => {
        checkpoint('before-input');
        await transcripts.append(exploration.id, index, input);
        checkpoint('after-input');
      },
      isSuperseded: exploration.isSuperseded,
      supersededEveryMs: SUPERSEDED_EVERY_MS,
      observe: (event) => observe(event, exploration.payer),
    },
    signal,
  );
  // The run was superseded. An exploration cannot end waiting for explorers, because it has no Agent tool.
  if (result.kind !== 'ended') return { v: 1, outcome: 'failed', text: '', spent: NOTHING_SPENT };
  return { ...(await notesOf(result.outcome, protect, signal)), spent: result.spent };
};

const explorerTools = ({ tree, bash }: Exploration, protect: Protect): readonly Tool[] => {
  const files = createWorkspaceFiles(tree, protect);
  const bashTools = bash === null ? [] : [createBashTool(bash, protect)];
  return [
    createReadTool(files),
    createGlobTool(tree),
    createGrepTool(files),
    createReferencesTool(files),
    ...bashTools,
    createWriteNotesTool(),
  ];
};

type Beginning = { readonly exploration: Exploration; readonly tools: readonly Tool[]; readonly protect: Protect };

const beginOrResume = async (
  { agent, transcripts, boundaryOf }: ModelExplorer,
  { exploration, tools, protect }: Beginning,
  signal: AbortSignal,
): Promise<Transcript> => {
  const known = await transcripts.load(exploration.id);
  if (known !== null) return known;
  const boundary = boundaryOf(exploration.payer.changeRequest);
  const { question, files, changedPaths } = await protectTexts(exploration.question, protect, signal);
  const start: ConversationStart = {
    role: 'explorer',
    model: agent.explorer.model,
    maxTurns: exploration.maxTurns,
    maxCorrections: agent.maxCorrections,
    maxOutputTokens: agent.maxOutputTokens,
    maxExplorers: 0,
    compactAtTokens: compactAtTokens(agent, 'explorer'),
    boundary,
    system: [...explorerSystem({ hasHistory: exploration.bash !== null })],
    tools: tools.map(({ schema }) => schema),
    opening: [...explorerOpening({ question, files, changedPaths }, boundary)],
  };
  await transcripts.begin(exploration.id, start);
  return startTranscript(start);
};

const OUTCOMES = {
  found: 'answered',
  nothing_found: 'nothing_found',
  failed: 'failed',
  budget_exceeded: 'budget_exceeded',
} as const;

const notesOf = async (outcome: Outcome, protect: Protect, signal: AbortSignal): Promise<Omit<Notes, 'spent'>> => {
  const answer = explorerAnswer('', outcome);
  const text = await protect(answer.notes, signal);
  return { v: 1, outcome: OUTCOMES[answer.outcome], text: text.slice(0, cutPoint(text, MAX_NOTES)) };
};
