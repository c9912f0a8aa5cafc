/** Uses a model behind the Messages API as the author. The model changes an overlay in memory; the checkout stays unchanged. */
import type { BoundaryOf } from '../../../shared/agent/boundary.ts';
import type { Outcome } from '../../../shared/agent/outcome.ts';
import { createPresent, createProtect, type Protect } from '../../../shared/agent/present-result.ts';
import { authorOpening } from '../../../shared/agent/prompt/author-opening.ts';
import { protectTexts } from '../../../shared/agent/prompt/protect-texts.ts';
import { authorSystem } from '../../../shared/agent/prompt/system.ts';
import { compactAtTokens } from '../../../shared/agent/model/context-window.ts';
import { DEFAULT_MODEL_RETRY } from '../../../shared/agent/model/retrying-model.ts';
import { type AgentEvent, runTurns } from '../../../shared/agent/run-turns.ts';
import type { Tool } from '../../../shared/agent/tool.ts';
import { createAddressedTool } from '../../../shared/agent/tools/addressed.ts';
import { createDeclineTool } from '../../../shared/agent/tools/decline.ts';
import { createEditTool } from '../../../shared/agent/tools/edit.ts';
import { createGlobTool } from '../../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../../shared/agent/tools/grep.ts';
import { createOverlayFiles, type OverlayFiles } from '../../../shared/agent/tools/overlay-files.ts';
import { createReadTool } from '../../../shared/agent/tools/read.ts';
import { createValidateTool, type Trial } from '../../../shared/agent/tools/validate.ts';
import { createWorkspaceFiles } from '../../../shared/agent/tools/workspace-files.ts';
import { createWriteNotesTool } from '../../../shared/agent/tools/write-notes.ts';
import { createWriteTool } from '../../../shared/agent/tools/write.ts';
import { type ConversationStart, startTranscript } from '../../../shared/agent/transcript.ts';
import type { Agent } from '../../../shared/config/agent-settings.ts';
import type { ConnectedModel, Payer } from '../../../shared/runtime/connect-model.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import { openTreeIn } from '../../../shared/workspace/tree/caged-tree.ts';
import type { Tree } from '../../../shared/workspace/tree/tree.ts';
import type { FixAgent, FixOutcome, FixTask } from '../change/agent.ts';
import type { AuthorFile } from '../change/decide-change.ts';

export type ModelAgentSettings = {
  readonly connected: Pick<ConnectedModel, 'model' | 'clock' | 'meterOf'>;
  readonly agent: Agent;
  readonly maxFileCharacters: number;
  /** The cage in which files are opened for the model; null if no cage is available. */
  readonly cage: Cage | null;
  readonly redact: Redactor;
  readonly boundaryOf: BoundaryOf;
  readonly observe: (event: AgentEvent, of: Payer) => void;
};

const SUPERSEDED_EVERY_MS = 60_000;

type Desk = {
  readonly tools: readonly Tool[];
  readonly overlay: OverlayFiles;
  readonly declined: ReadonlyMap<FindingId, string>;
  readonly addressed: ReadonlySet<FindingId>;
};

/**
 * The changes are only in memory, so they are lost if the run is killed. The next attempt starts over and shares the
 * same budgets.
 */
export const createModelAgent = (settings: ModelAgentSettings): FixAgent => ({
  name: 'agent',
  work: async (task, signal) => {
    const protect = createProtect(settings.redact);
    const tree = openTreeIn(settings.cage, task);
    try {
      return await workAt(
        settings,
        { task, requestStore: layDesk(settings, { ...task, tree }, protect), protect },
        signal,
      );
    } finally {
      await tree.close();
    }
  },
});

const workAt = async (settings: ModelAgentSettings, work: Beginning, signal: AbortSignal): Promise<FixOutcome> => {
  const { task, requestStore, protect } = work;
  const start = await openingOf(settings, work, signal);
  const { connected } = settings;
  const payer = { runId: task.runId, changeRequest: task.changeRequest };
  let spent = NOTHING_SPENT;
  const run = runTurns(
    {
      transcript: startTranscript(start),
      model: connected.model,
      tools: requestStore.tools,
      present: createPresent(protect, start.boundary),
      meter: connected.meterOf(start.model, { ...payer, role: 'author' }),
      retry: DEFAULT_MODEL_RETRY,
      wallMs: task.limits.maxRuntimeMs,
      clock: connected.clock,
      // Only the cost of the conversation is stored, even if the conversation fails.
      checkpoint: async (input) => {
        spent = addSpent(spent, input.spent);
      },
      // This is not checked during the work: the head is checked before the push, and the budget limits the cost until then.
      isSuperseded: async () => false,
      supersededEveryMs: SUPERSEDED_EVERY_MS,
      observe: (event) => settings.observe(event, payer),
    },
    signal,
  );
  try {
    const result = await run;
    if (result.kind === 'ended') return outcomeOf(result.outcome, requestStore, spent);
    return { kind: 'failed', code: 'AUTHOR_MODEL_FAILED', spent };
  } catch (error) {
    return { kind: 'interrupted', error, spent };
  }
};

const layDesk = (
  { maxFileCharacters }: ModelAgentSettings,
  task: FixTask & { readonly tree: Tree },
  protect: Protect,
): Desk => {
  const { tree, paths, findings } = task;
  const { whyNotNew } = task;
  const rules = { paths: new Set(paths), maxCharacters: maxFileCharacters, ...(whyNotNew ? { whyNotNew } : {}) };
  const overlay = createOverlayFiles(createWorkspaceFiles(tree, protect), { protect, rules });
  const declined = new Map<FindingId, string>();
  const addressed = new Set<FindingId>();
  const ids = findings.map(({ id }) => id);
  const tools = [
    createReadTool(overlay),
    createGlobTool(tree),
    createGrepTool(overlay),
    createEditTool(overlay),
    createWriteTool(overlay, { mayAdd: whyNotNew !== undefined }),
    ...validateTools(task, overlay),
    createAddressedTool(ids, (named) => named.forEach((id) => addressed.add(id))),
    createDeclineTool(ids, (id, reason) => void declined.set(id, reason)),
    createWriteNotesTool(),
  ];
  return { tools, overlay, declined, addressed };
};

const validateTools = ({ validate, limits }: FixTask, overlay: OverlayFiles): readonly Tool[] => {
  if (validate === undefined) return [];
  const run = async (signal: AbortSignal): Promise<Trial> => validate(changesOf(overlay), signal);
  return [createValidateTool({ run, timeoutMs: limits.maxRuntimeMs })];
};

type Beginning = { readonly task: FixTask; readonly requestStore: Desk; readonly protect: Protect };

const openingOf = async (
  { agent, boundaryOf }: ModelAgentSettings,
  { task, requestStore, protect }: Beginning,
  signal: AbortSignal,
): Promise<ConversationStart> => {
  const boundary = boundaryOf(task.changeRequest);
  const canAdd = task.whyNotNew !== undefined;
  const { findings, paths } = await protectTexts({ findings: task.findings, paths: task.paths }, protect, signal);
  return {
    role: 'author',
    model: agent.reviewer.model,
    maxTurns: task.limits.maxTurns,
    maxCorrections: agent.maxCorrections,
    maxOutputTokens: agent.maxOutputTokens,
    maxExplorers: 0,
    compactAtTokens: compactAtTokens(agent, 'reviewer'),
    boundary,
    system: [...authorSystem({ canValidate: task.validate !== undefined, canAdd })],
    tools: requestStore.tools.map(({ schema }) => schema),
    opening: [...authorOpening({ findings, paths, canAdd }, boundary)],
  };
};

/** Only a completed conversation counts as finished, because a partial fix is useless. */
const outcomeOf = (outcome: Outcome, { overlay, declined, addressed }: Desk, spent: Spent): FixOutcome => {
  if (outcome.kind === 'budget_exceeded') return { kind: 'failed', code: 'AUTHOR_BUDGET_EXCEEDED', spent };
  if (outcome.kind === 'model_failed') return { kind: 'failed', code: outcome.code, spent };
  if (outcome.kind !== 'explored') return { kind: 'failed', code: 'AUTHOR_MODEL_FAILED', spent };
  const work = {
    changes: changesOf(overlay),
    addressed: addressed.size === 0 ? null : [...addressed],
    declines: [...declined].map(([findingId, reason]) => ({ findingId, reason })),
    summary: outcome.notes.slice(0, 4_000),
    spent,
  };
  return { kind: 'done', work };
};

const changesOf = (overlay: OverlayFiles): readonly AuthorFile[] =>
  [...overlay.changes()].map(([path, text]) => ({ kind: 'write', path, content: Buffer.from(text, 'utf8') }));
