/** Uses the Claude Code CLI as the author: it reads and writes in the checkout, runs no commands, and calls the model itself. */
import { randomUUID } from 'node:crypto';
import { redactBoundary } from '../../../shared/agent/boundary.ts';
import { createProtect, type Protect } from '../../../shared/agent/present-result.ts';
import { protectTexts } from '../../../shared/agent/prompt/protect-texts.ts';
import { type SessionResult, type SessionDeps, runSession } from '../../../shared/claude-code/run-session.ts';
import { type CliHome, inCliHome } from '../../../shared/claude-code/home.ts';
import type { CliSettings } from '../../../shared/claude-code/settings.ts';
import { type CliBooks, openBooks } from '../../../shared/claude-code/spending.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';
import { absentRemark } from '../../../shared/workspace/tree/absent-files.ts';
import type { FixAgent, FixOutcome, FixTask, FixWork } from '../change/agent.ts';
import { type SubmittedAccount, accountSchema, readAccount } from './claude-code/account.ts';
import { type CliWorktree, openCliWorktree, takeBack } from './claude-code/worktree.ts';
import { authorPermissions } from './claude-code/permissions.ts';
import { authorCorrectionPrompt, openingText, authorSystemPrompt } from './claude-code/prompts.ts';

export type ClaudeCodeAgentSettings = CliSettings & {
  readonly scratchFolder: string;
};

const SUPERSEDED_EVERY_MS = 60_000;

type Working = {
  readonly settings: ClaudeCodeAgentSettings;
  readonly task: FixTask;
  readonly protect: Protect;
  readonly cliWorktree: CliWorktree;
};

/**
 * If a fix is killed, its checkout is removed with all changes. The next attempt starts over and shares the same
 * budgets.
 */
export const createClaudeCodeAgent = (settings: ClaudeCodeAgentSettings): FixAgent => ({
  name: 'claude-code',
  work: async (task, signal) => {
    const protect = createProtect(settings.redact);
    const cliWorktree = await openCliWorktree(task.root, protect, signal);
    if (cliWorktree === 'too_many') return { kind: 'failed', code: 'AUTHOR_TREE_TOO_LARGE', spent: NOTHING_SPENT };
    return work({ settings, task, protect, cliWorktree }, signal);
  },
});

const work = async (working: Working, signal: AbortSignal): Promise<FixOutcome> => {
  const { access, connected, agent } = working.settings;
  const { runId, changeRequest } = working.task;
  const model = agent.reviewer.model;
  const { maxOutputTokens } = agent;
  const meter = connected.meterOf(model, { runId, changeRequest, role: 'author' });
  const subscription = access.subscription !== undefined;
  const books = openBooks({ meter, model, maxOutputTokens, subscription });
  const startedAtMs = connected.clock.nowMs();
  const spent = (): Spent => {
    const wallMs = Math.round(connected.clock.nowMs() - startedAtMs);
    return addSpent(books.spent, { ...NOTHING_SPENT, wallMs });
  };
  try {
    const result = await resultOf(working, books, signal);
    if (typeof result === 'string') return { kind: 'failed', code: result, spent: spent() };
    return { kind: 'done', work: { ...result, spent: spent() } };
  } catch (error) {
    return { kind: 'interrupted', error, spent: spent() };
  }
};

const resultOf = async (
  working: Working,
  books: CliBooks,
  signal: AbortSignal,
): Promise<Omit<FixWork, 'spent'> | string> => {
  const powers = authorPermissions(alteredOf(working));
  const ended = await inCliHome(working.settings.scratchFolder, powers, async (at) =>
    runSession(await conversingOf(working, { at, books, tools: powers.tools }, signal), signal),
  );
  const account = accountIn(ended);
  if (typeof account === 'string') return account;
  const taken = await takeBack(working.cliWorktree, signal);
  switch (taken.kind) {
    case 'too_many':
      return 'AUTHOR_TREE_TOO_LARGE';
    case 'redacted':
      return 'AUTHOR_REDACTED_FILE';
    case 'changes':
      return { ...account, changes: taken.changes };
    default:
      return taken satisfies never;
  }
};

/** Paths that a fix may need to change but cannot, because the model sees a redacted or marked copy of them. */
const alteredOf = ({ task, cliWorktree }: Pick<Working, 'task' | 'cliWorktree'>): readonly string[] =>
  task.paths.filter((path) => cliWorktree.cleaned.altered.has(path));

const canAddIn = ({ task }: Pick<Working, 'task'>): boolean => task.whyNotNew !== undefined;

type With = { readonly at: CliHome; readonly books: CliBooks; readonly tools: readonly string[] };

const conversingOf = async (
  working: Working,
  { at, books, tools }: With,
  signal: AbortSignal,
): Promise<SessionDeps<SubmittedAccount>> => {
  const { program, access, connected, agent, runUsd } = working.settings;
  const { root, findings, limits, changeRequest } = working.task;
  const boundary = working.settings.boundaryOf(changeRequest);
  const { maxOutputTokens, maxCorrections } = agent;
  return {
    run: {
      place: { ...at, program, workspace: root, access: { ...access, maxOutputTokens } },
      books,
      clock: connected.clock,
      // Not checked while the CLI works. The head is checked before the push, and until then the budget limits the
      // cost.
      isSuperseded: async () => false,
      supersededEveryMs: SUPERSEDED_EVERY_MS,
    },
    call: {
      model: agent.reviewer.model,
      tools,
      systemPrompt: authorSystemPrompt({ canAdd: canAddIn(working) }),
      schema: accountSchema(findings),
      maxUsd: runUsd,
    },
    session: { id: randomUUID(), resumes: false },
    opening: await openingOf(working, boundary, signal),
    read: async (given) => readAccount(redactBoundary(given, boundary), findings),
    correction: authorCorrectionPrompt,
    // A partial fix is useless, so there is no final call when the turns are used up.
    lastCall: null,
    maxTurns: limits.maxTurns,
    maxCorrections,
    wallMs: limits.maxRuntimeMs,
  };
};

const openingOf = async (working: Working, boundary: string, signal: AbortSignal): Promise<string> => {
  const { task, protect } = working;
  const prompt = { findings: task.findings, paths: task.paths, altered: alteredOf(working) };
  const texts = await protectTexts(prompt, protect, signal);
  const remark = absentRemark(task.absent);
  return openingText({ ...texts, canAdd: canAddIn(working), remark }, boundary);
};

/** Returns the `FixAccount`, or an error code. Only a completed conversation counts as finished. */
const accountIn = (ended: SessionResult<SubmittedAccount>): NonNullable<SubmittedAccount> | string => {
  switch (ended.kind) {
    case 'answered':
      return ended.answer ?? 'AUTHOR_BAD_ANSWER';
    case 'unreadable':
      return 'AUTHOR_BAD_ANSWER';
    case 'exceeded':
      return 'AUTHOR_BUDGET_EXCEEDED';
    case 'failed':
      return ended.code;
    case 'refusal':
    case 'superseded':
    case 'session_lost':
      return 'AUTHOR_MODEL_FAILED';
    default:
      return ended satisfies never;
  }
};
