import { basename, join } from 'node:path';
import type { FindingsPacket } from '../../shared/protocol/findings-packet.ts';
import { type AgentRole, agentCommand } from './agent/agent-commands.ts';
import { type AgentOutput, errorEventsOf, previewOf, readAgentOutput } from './agent/agent-output.ts';
import type { LiveRunStateStore } from './live-state.ts';
import type { Prompts } from './task/prompts.ts';
import type { Repository } from './worktree/repository.ts';
import { buildReviewerContext } from './task/reviewer-context.ts';
import type { Talk } from './protocol-talk.ts';
import { retryAfterSeconds } from './agent/retry-after.ts';
import { type AgentEnded, runAgent } from './agent/run-agent.ts';
import { addressByMessages, type MessagesRunDeps, reviewByMessages } from './run-messages.ts';
import type { AgentChoice, LoopSettings } from './settings/settings.ts';
import { decideSlot, type SlotEvent, type SlotOutcome, type SlotState, STARTED } from './slot-machine.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { hasStopMarker } from './settings/stop-marker.ts';
import { pickedBead, type Task } from './task/task.ts';
import { taskPrompt } from './task/task-words.ts';
import { readVerdict, type ReadVerdict } from './verdict.ts';
import type { SlotTree } from './worktree/worktree.ts';

export type SlotDeps = {
  readonly repository: Repository;
  readonly settings: LoopSettings;
  readonly prompts: Prompts;
  readonly live: LiveRunStateStore;
  readonly logFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type SlotWork = {
  readonly slot: number;
  readonly task: Task | null;
  readonly tree: SlotTree;
};

type Slot = SlotDeps &
  SlotWork & {
    readonly signal: AbortSignal;
    runs: number;
    task: Task | null;
    lastOutput: string;
    /** Seconds that the provider of the last agent asked to wait. Null when the provider did not ask. */
    retryAfterS: number | null;
    /** The findings of a reviewer that uses messages, for a fixer that uses messages too. */
    packet: FindingsPacket | null;
  };

const choiceOf = ({ settings }: Slot, role: AgentRole): AgentChoice =>
  role === 'reviewer' ? settings.reviewer : settings.developer;

const runProgram = async (slot: Slot, role: AgentRole, prompt: string): Promise<AgentEnded> => {
  const { settings, live } = slot;
  slot.runs += 1;
  const { reasoningEffort, yolo } = settings;
  const ended = await runAgent(
    {
      command: agentCommand({ choice: choiceOf(slot, role), role, prompt, reasoningEffort, yolo }),
      cwd: slot.tree.path,
      env: slot.env,
      timeoutMs: settings.agentTimeout * 1000,
      logFile: join(slot.logFolder, `${String(slot.runs).padStart(2, '0')}-${role}.log`),
      onLine: (line) => {
        const shown = settings.showRaw ? line : previewOf(line);
        if (shown !== null) live.addLine(slot.slot, shown);
      },
    },
    slot.signal,
  );
  slot.retryAfterS = retryAfterSeconds(`${errorEventsOf(ended.stdout)}\n${ended.stderr}`);
  return ended;
};

type Ran = { readonly output: AgentOutput; readonly failed: string | null };

const run = async (slot: Slot, role: AgentRole, prompt: string): Promise<Ran> => {
  const ended = await runProgram(slot, role, prompt);
  const output = readAgentOutput(ended.stdout);
  slot.live.addUsage(output.usage);
  return { output, failed: ended.failed ?? output.error };
};

const speaksMessages = (slot: Slot, role: AgentRole): boolean => choiceOf(slot, role).provider === 'messages';

const messagesOf = (slot: Slot, role: AgentRole): MessagesRunDeps => ({
  repository: slot.repository,
  cwd: slot.tree.path,
  signal: slot.signal,
  run: async (input) => {
    const ended = await runProgram(slot, role, input);
    slot.lastOutput = ended.stdout;
    return ended;
  },
});

const talkOf = ({ slot, tree }: Slot, what: Talk['what'], round: number): Talk => ({
  name: basename(tree.path),
  branch: tree.branch,
  slot,
  round,
  what,
  nowUtc: `${new Date().toISOString().slice(0, 19)}Z`,
});

/** An agent that uses messages cannot print a stop marker, so `stop` is always false. */
const implementByMessages = async (slot: Slot, task: Task): Promise<SlotEvent> => {
  const what = { title: task.title, text: task.description };
  const failed = await addressByMessages(messagesOf(slot, 'implementer'), talkOf(slot, 'task', 1), what);
  return { kind: 'implemented', failed, stop: false, picked: true };
};

const implement = async (slot: Slot): Promise<SlotEvent> => {
  if (speaksMessages(slot, 'implementer')) {
    if (slot.task !== null) return implementByMessages(slot, slot.task);
    return { kind: 'implemented', failed: 'the agent cannot choose a task by itself', stop: false, picked: false };
  }
  const words = taskPrompt(slot.task, slot.settings.topLevelTask);
  const { output, failed } = await run(slot, 'implementer', `${slot.prompts.developer}\n\n${words}`);
  slot.lastOutput = output.lastMessage;
  const picked = pickedBead(output.commands);
  if (slot.task === null && picked !== null) {
    slot.task = { id: picked, title: picked, description: '', status: null, priority: null };
  }
  const stop = hasStopMarker(output.said, slot.settings.stopMarkers);
  return { kind: 'implemented', failed, stop, picked: slot.task !== null };
};

/** Returns null when the diff cannot be read. The review then continues without a diff. */
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

const contextOf = (slot: Slot, { fixAttempts, demands }: SlotState, snapshot: Snapshot | null): string => {
  const { reviewMaxFixAttempts: maxAttempts, parallel } = slot.settings;
  const followUps = demands.map(({ followUpPrompt }) => followUpPrompt);
  return buildReviewerContext({
    task: slot.task ?? { id: 'unknown', title: '', description: '', status: null, priority: null },
    output: slot.lastOutput,
    diff: snapshot?.diff ?? null,
    parallelAgents: parallel,
    fix: fixAttempts === 0 ? null : { attempt: fixAttempts, maxAttempts, followUps },
  });
};

type Read = { readonly failed: string | null; readonly read: ReadVerdict };

const askReviewer = async (slot: Slot, state: SlotState, snapshot: Snapshot | null): Promise<Read> => {
  const context = contextOf(slot, state, snapshot);
  if (speaksMessages(slot, 'reviewer')) {
    const summary = slot.task?.title ?? '';
    const asked = { context, summary, maxRuntimeS: slot.settings.agentTimeout };
    const answer = await reviewByMessages(
      messagesOf(slot, 'reviewer'),
      talkOf(slot, 'review', state.fixAttempts + 1),
      asked,
    );
    slot.packet = answer.packet;
    return answer;
  }
  const { output, failed } = await run(slot, 'reviewer', `${slot.prompts.reviewer ?? ''}\n\n${context}`);
  return { failed, read: readVerdict(output.lastWords) };
};

const review = async (slot: Slot, state: SlotState): Promise<SlotEvent> => {
  slot.live.setAgentReviewPhase(slot.slot, { kind: 'reviewing', taskId: slot.task?.id ?? '' });
  const before = await snapshotOf(slot);
  const { failed, read } = await askReviewer(slot, state, before);
  const after = failed === null ? await snapshotOf(slot) : before;
  const isSeen = before !== null && after !== null;
  if (!isSeen) slot.live.setNotice(`slot ${slot.slot}: cannot tell whether the reviewer changed files`);
  const touched = isSeen && before.tree !== after.tree;
  const violation = { kind: 'violation', reason: 'the reviewer changed files' } as const;
  return { kind: 'reviewed', failed, read: touched ? violation : read, tree: after?.tree ?? null };
};

const fix = async (slot: Slot, state: SlotState & { readonly phase: 'fixing' }): Promise<SlotEvent> => {
  const { reviewMaxFixAttempts: maxAttempts, stopMarkers } = slot.settings;
  slot.live.setAgentReviewPhase(slot.slot, { kind: 'fixing', attempt: state.fixAttempts, maxAttempts });
  if (speaksMessages(slot, 'fixer')) {
    const what = slot.packet ?? { title: 'The review found drift', text: state.followUpPrompt };
    const failed = await addressByMessages(messagesOf(slot, 'fixer'), talkOf(slot, 'fix', state.fixAttempts), what);
    return { kind: 'fixed', failed, stop: false };
  }
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

export type SlotEnded = {
  readonly outcome: SlotOutcome;
  readonly task: Task | null;
  /** Seconds that the provider of the failed implementer asked to wait. Null when a retry would not help. */
  readonly retryAfterS: number | null;
};

/** Runs one task until it ends. @throws `signal.reason` after an abort */
export const runSlot = async (deps: SlotDeps, work: SlotWork, signal: AbortSignal): Promise<SlotEnded> => {
  const { settings, prompts, live } = deps;
  const rules = {
    reviewEnabled: settings.reviewEnabled,
    hasReviewerPrompt: prompts.reviewer !== null,
    maxFixAttempts: settings.reviewMaxFixAttempts,
    stopWhenNotConverging: settings.stopWhenNotConverging,
  };
  const slot: Slot = { ...deps, ...work, signal, runs: 0, lastOutput: '', packet: null, retryAfterS: null };
  try {
    let state: SlotState = STARTED;
    while (state.phase !== 'ended') state = decideSlot(state, await step(slot, state), rules);
    const { outcome } = state;
    const retryAfterS = outcome.failure === 'implementer_failed' ? slot.retryAfterS : null;
    return { outcome, task: slot.task, retryAfterS };
  } finally {
    live.clearAgentReviewPhase(work.slot);
  }
};
