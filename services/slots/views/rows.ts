/** The content of both screens, as rows of styled text. Pure. Escapes all text of agents for the terminal. */
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { type AgentReviewPhase, type LiveAgent, type LiveRunState, shownLines } from '../live-state.ts';

export type Style = 'plain' | 'dim' | 'bold' | 'red' | 'green' | 'badge_review' | 'badge_fix';
export type Segment = { readonly text: string; readonly style: Style };
export type Row = readonly Segment[];

const plain = (text: string, style: Style = 'plain'): Segment => ({ text, style });

export const badgeOf = (phase: AgentReviewPhase): Segment => {
  switch (phase.kind) {
    case 'reviewing':
      return plain(` REVIEW ${escapeForTerminalLine(phase.taskId)} `, 'badge_review');
    case 'fixing':
      return plain(` FIX ${phase.attempt}/${phase.maxAttempts} `, 'badge_fix');
    default:
      return phase satisfies never;
  }
};

const STATUS: Readonly<Record<LiveAgent['status'], Segment>> = {
  running: plain('running'),
  passed: plain('passed', 'green'),
  unreviewed: plain('done, not reviewed', 'green'),
  unchanged: plain('nothing was changed'),
  failed: plain('failed', 'red'),
};

const statusOf = ({ status, reviewPhase }: LiveAgent): Segment => {
  if (reviewPhase !== null) return badgeOf(reviewPhase);
  return status === 'running' ? plain('implementing') : STATUS[status];
};

const agentRows = (agent: LiveAgent, preview: number): readonly Row[] => {
  const name = escapeForTerminalLine(agent.taskId === null ? agent.title : `${agent.taskId}  ${agent.title}`);
  const head: Row = [plain(`slot ${agent.slot}  `, 'bold'), statusOf(agent), plain(`  ${name}`)];
  const note: readonly Row[] = agent.note === null ? [] : [[plain(`  ${escapeForTerminalLine(agent.note)}`, 'red')]];
  const shown = agent.status === 'running' && preview > 0 ? shownLines(agent).slice(-preview) : [];
  return [head, ...note, ...shown.map((line): Row => [plain(`  ${escapeForTerminalLine(line)}`, 'dim')])];
};

const thousands = (count: number): string => (count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`);

const headRow = ({ iteration, iterations, passed, failed, usage }: LiveRunState): Row => [
  plain(`fixpoint loop  iteration ${iteration} of ${iterations}`, 'bold'),
  plain(`  ${passed} done`, 'green'),
  plain(`  ${failed} failed`, failed > 0 ? 'red' : 'dim'),
  plain(`  ${thousands(usage.inputTokens)} tokens in, ${thousands(usage.outputTokens)} out`, 'dim'),
  ...(usage.costUsd > 0 ? [plain(`  $${usage.costUsd.toFixed(2)}`, 'dim')] : []),
];

export const rowsOf = (state: LiveRunState, preview: number): readonly Row[] => [
  headRow(state),
  ...(state.notice === null ? [] : [[plain(escapeForTerminalLine(state.notice), 'red')]]),
  ...state.agents.flatMap((agent) => agentRows(agent, preview)),
  ...(state.paused === null ? [] : [[plain(state.paused, 'dim')]]),
];
