/** The current state of the loop, for the views. States are immutable: each change replaces the whole state. */
import { addUsage, NO_USAGE, type TokenUsage } from './agent/agent-output.ts';

export type AgentReviewPhase =
  | { readonly kind: 'reviewing'; readonly taskId: string }
  | { readonly kind: 'fixing'; readonly attempt: number; readonly maxAttempts: number };

export type LiveAgent = {
  readonly slot: number;
  readonly taskId: string | null;
  readonly title: string;
  readonly status: 'running' | 'passed' | 'unreviewed' | 'unchanged' | 'failed';
  /** Null while the agent implements, and after the agent ended. */
  readonly reviewPhase: AgentReviewPhase | null;
  /** Output of implementer and fixer, newest last. */
  readonly lines: readonly string[];
  /** Output of the current or last reviewer, newest last. */
  readonly reviewLines: readonly string[];
  readonly note: string | null;
};

export const shownLines = ({ reviewPhase, lines, reviewLines }: LiveAgent): readonly string[] =>
  reviewPhase?.kind === 'reviewing' ? reviewLines : lines;

export type LiveRunState = {
  readonly iteration: number;
  readonly iterations: number;
  readonly agents: readonly LiveAgent[];
  readonly usage: TokenUsage;
  readonly passed: number;
  readonly failed: number;
  readonly paused: string | null;
  /** Something unexpected that the user should know, such as a missing task list, or null. */
  readonly notice: string | null;
};

export type LiveRunStateStore = {
  readonly get: () => LiveRunState;
  /** Contract: calls the listener after every change. The returned function unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly startIteration: (iteration: number) => void;
  readonly startAgent: (slot: number, task: { readonly id: string | null; readonly title: string }) => void;
  readonly addLine: (slot: number, line: string) => void;
  readonly addUsage: (usage: TokenUsage) => void;
  readonly setAgentReviewPhase: (slot: number, phase: AgentReviewPhase) => void;
  /** Contract: the caller that set a phase always clears it, even after an error. */
  readonly clearAgentReviewPhase: (slot: number) => void;
  readonly endAgent: (slot: number, status: Exclude<LiveAgent['status'], 'running'>, note: string | null) => void;
  readonly pause: (reason: string | null) => void;
  /** The notice stays until it is set to null. */
  readonly setNotice: (notice: string | null) => void;
};

const MAX_LINES = 50;
const MAX_LINE_CHARACTERS = 400;

const BEFORE_THE_FIRST: Omit<LiveRunState, 'iterations'> = {
  iteration: 0,
  agents: [],
  usage: NO_USAGE,
  passed: 0,
  failed: 0,
  paused: null,
  notice: null,
};

export const createLiveRunStateStore = (iterations: number): LiveRunStateStore => {
  const listeners = new Set<() => void>();
  let state: LiveRunState = { ...BEFORE_THE_FIRST, iterations };
  const set = (change: Partial<LiveRunState>): void => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  const setAgent = (slot: number, change: (agent: LiveAgent) => Partial<LiveAgent>): void => {
    set({ agents: state.agents.map((agent) => (agent.slot === slot ? { ...agent, ...change(agent) } : agent)) });
  };
  return {
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    startIteration: (iteration) => set({ iteration, agents: [], paused: null }),
    startAgent: (slot, { id, title }) => {
      const started = { status: 'running', reviewPhase: null, lines: [], reviewLines: [], note: null } as const;
      const agent: LiveAgent = { slot, taskId: id, title, ...started };
      set({ agents: [...state.agents, agent].toSorted((one, other) => one.slot - other.slot) });
    },
    addLine: (slot, line) => {
      setAgent(slot, (agent) => {
        const lines = [...shownLines(agent), line.slice(0, MAX_LINE_CHARACTERS)].slice(-MAX_LINES);
        return agent.reviewPhase?.kind === 'reviewing' ? { reviewLines: lines } : { lines };
      });
    },
    addUsage: (usage) => set({ usage: addUsage(state.usage, usage) }),
    setAgentReviewPhase: (slot, reviewPhase) =>
      setAgent(slot, () => (reviewPhase.kind === 'reviewing' ? { reviewPhase, reviewLines: [] } : { reviewPhase })),
    clearAgentReviewPhase: (slot) => setAgent(slot, () => ({ reviewPhase: null })),
    endAgent: (slot, status, note) => {
      setAgent(slot, () => ({ status, note, reviewPhase: null }));
      if (status === 'failed') set({ failed: state.failed + 1 });
      else if (status !== 'unchanged') set({ passed: state.passed + 1 });
    },
    pause: (paused) => set({ paused }),
    setNotice: (notice) => {
      if (notice !== state.notice) set({ notice });
    },
  };
};
