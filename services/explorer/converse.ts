/** One conversation of an explorer or a verifier, which another execution can continue. */
import type { BoundaryOf } from '../../shared/agent/boundary.ts';
import { compactAtTokens } from '../../shared/agent/model/context-window.ts';
import { DEFAULT_MODEL_RETRY } from '../../shared/agent/model/retrying-model.ts';
import type { TextBlock } from '../../shared/agent/model/model.ts';
import type { Outcome } from '../../shared/agent/outcome.ts';
import { createPresent, createProtect, type Protect } from '../../shared/agent/present-result.ts';
import { type AgentEvent, runTurns } from '../../shared/agent/run-turns.ts';
import type { Tool } from '../../shared/agent/tool.ts';
import { createBashTool } from '../../shared/agent/tools/bash.ts';
import { createGlobTool } from '../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../shared/agent/tools/grep.ts';
import { createReadTool } from '../../shared/agent/tools/read.ts';
import { createReferencesTool } from '../../shared/agent/tools/references.ts';
import { createWorkspaceFiles, type WorkspaceFiles } from '../../shared/agent/tools/workspace-files.ts';
import { type ConversationStart, startTranscript, type Transcript } from '../../shared/agent/transcript.ts';
import type { Agent } from '../../shared/config/agent-settings.ts';
import type { ConnectedModel, Payer } from '../../shared/runtime/connect-model.ts';
import type { SpendingRole } from '../../shared/vocabulary/spending-role.ts';
import { NOTHING_SPENT, type Spent } from '../../shared/vocabulary/spent.ts';
import type { Transcripts } from '../../shared/store/transcripts.ts';
import type { Redactor } from '../../shared/text/redact.ts';
import type { BashRunner } from '../../shared/workspace/bash/bash-runner.ts';
import type { Tree } from '../../shared/workspace/tree/tree.ts';

/** `agent`: its settings for the role (`agentFor`). */
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

export type Asking = {
  /** The question's id; its transcript is stored under it. */
  readonly id: string;
  readonly tree: Tree;
  /** Runs commands on the same tree and its history; null if there is no cage, so that the model has no Bash. */
  readonly bash: BashRunner | null;
  readonly payer: Payer;
  readonly maxTurns: number;
  readonly maxRuntimeS: number;
  readonly isSuperseded: () => Promise<boolean>;
};

export type Part = {
  readonly role: 'explorer' | 'verifier';
  /** Under which role its cost is recorded. */
  readonly spendingRole: SpendingRole;
  readonly model: string;
  readonly system: readonly TextBlock[];
  /** Contract: called once per question, by the execution that begins it. */
  readonly opening: (boundary: string, protect: Protect) => Promise<readonly TextBlock[]>;
  /** The tools in addition to the tools that read the tree. */
  readonly closing: (files: WorkspaceFiles) => Tool;
};

const SUPERSEDED_EVERY_MS = 2_000;

/** `outcome` is null if the run was superseded. @throws the same errors as `runTurns`; the transcript is kept. */
export const converse = async (
  explorer: ModelExplorer,
  { asking, part }: { readonly asking: Asking; readonly part: Part },
  signal: AbortSignal,
): Promise<{ readonly outcome: Outcome | null; readonly spent: Spent; readonly protect: Protect }> => {
  const { connected, transcripts, observe, checkpoint } = explorer;
  const protect = createProtect(explorer.redact);
  const tools = toolsOf(asking, part, protect);
  const transcript = await beginOrResume(explorer, { asking, part, tools, protect });
  const result = await runTurns(
    {
      transcript,
      model: connected.model,
      tools,
      present: createPresent(protect, transcript.start.boundary),
      meter: connected.meterOf(part.model, { ...asking.payer, role: part.spendingRole }),
      retry: DEFAULT_MODEL_RETRY,
      wallMs: asking.maxRuntimeS * 1000,
      clock: connected.clock,
      checkpoint: async (input, index) => {
        checkpoint('before-input');
        await transcripts.append(asking.id, index, input);
        checkpoint('after-input');
      },
      isSuperseded: asking.isSuperseded,
      supersededEveryMs: SUPERSEDED_EVERY_MS,
      observe: (event) => observe(event, asking.payer),
    },
    signal,
  );
  // The run was superseded. Such a conversation cannot end waiting for explorers, because it has no Agent tool.
  if (result.kind !== 'ended') return { outcome: null, spent: NOTHING_SPENT, protect };
  return { outcome: result.outcome, spent: result.spent, protect };
};

const toolsOf = ({ tree, bash }: Asking, { closing }: Part, protect: Protect): readonly Tool[] => {
  const files = createWorkspaceFiles(tree, protect);
  const bashTools = bash === null ? [] : [createBashTool(bash, protect)];
  return [
    createReadTool(files),
    createGlobTool(tree),
    createGrepTool(files),
    createReferencesTool(files),
    ...bashTools,
    closing(files),
  ];
};

type Beginning = {
  readonly asking: Asking;
  readonly part: Part;
  readonly tools: readonly Tool[];
  readonly protect: Protect;
};

const beginOrResume = async (
  { agent, transcripts, boundaryOf }: ModelExplorer,
  { asking, part, tools, protect }: Beginning,
): Promise<Transcript> => {
  const known = await transcripts.load(asking.id);
  if (known !== null) return known;
  const boundary = boundaryOf(asking.payer.changeRequest);
  const start: ConversationStart = {
    role: part.role,
    model: part.model,
    maxTurns: asking.maxTurns,
    maxCorrections: agent.maxCorrections,
    maxOutputTokens: agent.maxOutputTokens,
    maxExplorers: 0,
    compactAtTokens: compactAtTokens(agent, part.role === 'explorer' ? 'explorer' : 'reviewer'),
    boundary,
    system: [...part.system],
    tools: tools.map(({ schema }) => schema),
    opening: [...(await part.opening(boundary, protect))],
  };
  await transcripts.begin(asking.id, start);
  return startTranscript(start);
};
