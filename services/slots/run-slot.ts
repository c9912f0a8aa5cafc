/** Carries out what `slot-machine.ts` decides, for one task in one work tree. */
import { join } from 'node:path';
import { type AgentRole, agentCommand } from './agent-commands.ts';
import { type AgentOutput, previewOf, readAgentOutput } from './agent-output.ts';
import type { LiveRunStateStore } from './live-state.ts';
import type { Prompts } from './prompts.ts';
import type { Repository } from './repository.ts';
import { buildReviewerContext } from './reviewer-context.ts';
import { runAgent } from './run-agent.ts';
import type { LoopSettings } from './settings.ts';
import { decideSlot, type SlotEvent, type SlotOutcome, type SlotState, STARTED } from './slot-machine.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { hasStopMarker } from './stop-marker.ts';
import { pickedBead, type Task } from './task.ts';
import { readVerdict } from './verdict.ts';
import type { SlotTree } from './worktree.ts';

export type SlotDeps = {
  readonly repository: Repository;
  readonly settings: LoopSettings;
  readonly prompts: Prompts;
  readonly live: LiveRunStateStore;
  /** A folder for the log files of this slot; each run of an agent gets one. */
  readonly logFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type SlotWork = {
  readonly slot: number;
  /** Null: the agent chooses by itself. */
  readonly task: Task | null;
  readonly tree: SlotTree;
};

type Ran = { readonly output: AgentOutput; readonly failed: string | null };

type Slot = SlotDeps & SlotWork & { readonly signal: AbortSignal; runs: number; task: Task | null; lastOutput: string };

const run = async (slot: Slot, role: AgentRole, prompt: string): Promise<Ran> => {
  const { settings } = slot;
  slot.runs += 1;
  const choice = role === 'reviewer' ? settings.reviewer : settings.developer;
  const { reasoningEffort, yolo } = settings;
  const ended = await runAgent(
    {
      command: agentCommand({ choice, role, prompt, reasoningEffort, yolo }),
      cwd: slot.tree.path,
      env: slot.env,
      timeoutMs: settings.agentTimeout * 1000,
      logFile: join(slot.logFolder, `${String(slot.runs).padStart(2, '0')}-${role}.log`),
      onLine: (line) => {
        const shown = previewOf(line);
        if (shown !== null) slot.live.addLine(slot.slot, shown);
      },
    },
    slot.signal,
  );
  const output = readAgentOutput(ended.stdout);
  slot.live.addUsage(output.usage);
  return { output, failed: ended.failed ?? output.error };
};

const taskPrompt = (task: Task | null): string => {
  if (task === null) return 'Choose one task that is ready (`bd ready`), say which, and do it.';
  const text = task.description === '' ? '' : `\n\n${task.description}`;
  return `# Your task\n\n${task.id}: ${task.title}${text}`;
};

const implement = async (slot: Slot): Promise<SlotEvent> => {
  const { output, failed } = await run(slot, 'implementer', `${slot.prompts.developer}\n\n${taskPrompt(slot.task)}`);
  slot.lastOutput = output.lastMessage;
  const picked = pickedBead(output.commands);
  if (slot.task === null && picked !== null) {
    slot.task = { id: picked, title: picked, description: '', status: null, priority: null };
  }
  const stop = hasStopMarker(output.said, slot.settings.stopMarkers);
  return { kind: 'implemented', failed, stop, picked: slot.task !== null };
};

/** A reviewer who cannot be shown the diff still sees output and tree. */
const snapshotOf = async (slot: Slot): Promise<Snapshot | null> => {
  const { repository, tree, signal } = slot;
  try {
    return await takeSnapshot(repository, { cwd: tree.path, base: tree.base }, signal);
  } catch (cause) {
    signal.throwIfAborted();
    slot.live.addLine(slot.slot, `the diff is unavailable: ${cause instanceof Error ? cause.message : 'unknown'}`);
    return null;
  }
};

const reviewPrompt = (slot: Slot, state: SlotState, snapshot: Snapshot | null): string => {
  const { fixAttempts, lastVerdict } = state;
  const { reviewMaxFixAttempts: maxAttempts, parallel } = slot.settings;
  const context = buildReviewerContext({
    task: slot.task ?? { id: 'unknown', title: '', description: '', status: null, priority: null },
    output: slot.lastOutput,
    diff: snapshot?.diff ?? null,
    parallelAgents: parallel,
    fix:
      fixAttempts === 0
        ? null
        : { attempt: fixAttempts, maxAttempts, previousFollowUp: lastVerdict?.followUpPrompt ?? '' },
  });
  return `${slot.prompts.reviewer ?? ''}\n\n${context}`;
};

const review = async (slot: Slot, state: SlotState): Promise<SlotEvent> => {
  slot.live.setAgentReviewPhase(slot.slot, { kind: 'reviewing', taskId: slot.task?.id ?? '' });
  const before = await snapshotOf(slot);
  const { output, failed } = await run(slot, 'reviewer', reviewPrompt(slot, state, before));
  const after = failed === null ? await snapshotOf(slot) : before;
  const tree = after?.tree ?? '';
  const touched = before !== null && after !== null && before.tree !== after.tree;
  const read = touched
    ? ({ kind: 'violation', reason: 'the reviewer changed files' } as const)
    : readVerdict(output.lastMessage);
  return { kind: 'reviewed', failed, read, tree };
};

const fix = async (slot: Slot, state: SlotState & { readonly phase: 'fixing' }): Promise<SlotEvent> => {
  const { reviewMaxFixAttempts: maxAttempts, stopMarkers } = slot.settings;
  slot.live.setAgentReviewPhase(slot.slot, { kind: 'fixing', attempt: state.fixAttempts, maxAttempts });
  const { output, failed } = await run(slot, 'fixer', state.followUpPrompt);
  slot.lastOutput = output.lastMessage;
  return { kind: 'fixed', failed, stop: hasStopMarker(output.said, stopMarkers) };
};

const step = (slot: Slot, state: Exclude<SlotState, { readonly phase: 'ended' }>): Promise<SlotEvent> => {
  switch (state.phase) {
    case 'implementing':
      return implement(slot);
    case 'reviewing':
      return review(slot, state);
    case 'fixing':
      return fix(slot, state);
    default:
      return state satisfies never;
  }
};

export type SlotEnded = { readonly outcome: SlotOutcome; readonly task: Task | null };

/** One task to its end. @throws `signal.reason` after an abort */
export const runSlot = async (deps: SlotDeps, work: SlotWork, signal: AbortSignal): Promise<SlotEnded> => {
  const { settings, prompts, live } = deps;
  const rules = {
    reviewEnabled: settings.reviewEnabled,
    hasReviewerPrompt: prompts.reviewer !== null,
    maxFixAttempts: settings.reviewMaxFixAttempts,
    stopWhenNotConverging: settings.stopWhenNotConverging,
  };
  const slot: Slot = { ...deps, ...work, signal, runs: 0, lastOutput: '' };
  try {
    let state: SlotState = STARTED;
    while (state.phase !== 'ended') state = decideSlot(state, await step(slot, state), rules);
    return { outcome: state.outcome, task: slot.task };
  } finally {
    live.clearAgentReviewPhase(work.slot);
  }
};
