/**
 * The Claude Code CLI reviews, the built-in rules beside it. It works in a checkout without secrets, with reading tools
 * alone, and calls the model by itself; what it hands in is read, judged and merged like any other model's review.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createProtect } from '../../../shared/agent/present-result.ts';
import { reviewOpening } from '../../../shared/agent/prompt/review-opening.ts';
import { createSubmitReviewTool } from '../../../shared/agent/tools/submit-review.ts';
import type { Agent } from '../../../shared/config/agent-settings.ts';
import type { ConnectedModel } from '../../../shared/connect-model.ts';
import { addSpent, NOTHING_SPENT } from '../../../shared/rounds/spent.ts';
import type { ChangeRequest, Spent } from '../../../shared/rounds/vocabulary.ts';
import type { CliSession as KeptSession } from '../../../shared/store/cli-session.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import { createCheckout } from '../../../shared/workspace/checkout.ts';
import { concludeReview } from '../conclude-review.ts';
import { type ModelReview, promptOf, submissionRulesOf } from '../model-review.ts';
import type { Runner, RunScope } from '../runner.ts';
import { cleanTree } from './claude-code/clean-tree.ts';
import { BROKE, type Held, type Holding, holdReview } from './claude-code/hold-review.ts';
import { CLI_SETTINGS, type CliAccess, type CliSession } from './claude-code/invocation.ts';
import { answerSchema, systemPrompt } from './claude-code/say.ts';
import { dropSession, keepSession, restoreSession, sessionFolderIn, type SessionPlace } from './claude-code/session.ts';
import { type CliBooks, openBooks } from './claude-code/spending.ts';

export type ClaudeCodeDeps = {
  /** Absolute path of the CLI, from the operator's configuration. */
  readonly program: string;
  readonly access: Omit<CliAccess, 'maxOutputTokens'>;
  readonly connected: Pick<ConnectedModel, 'clock' | 'meterOf'>;
  readonly agent: Agent;
  /** US dollars of one run. */
  readonly runUsd: number;
  readonly duplicateThreshold: number;
  /** Checkouts are made and removed below this folder. */
  readonly checkoutFolder: string;
  /** Homes are made and removed below it, and conversations kept. */
  readonly stateFolder: string;
  readonly redact: Redactor;
  readonly loadSession: (of: ChangeRequest) => Promise<KeptSession | null>;
  readonly saveSession: (of: ChangeRequest, session: KeptSession) => Promise<void>;
  /** Contract: what a run noted last, for the next run of the same change request. */
  readonly saveNotes: (of: ChangeRequest, notes: string) => Promise<void>;
  /** Random, 16 to 64 lower-case letters and digits. */
  readonly newBoundary: () => string;
};

type Reviewing = ModelReview & { readonly scope: RunScope; readonly deps: ClaudeCodeDeps };

const SUPERSEDED_EVERY_MS = 2_000;

export const createClaudeCodeRunner = (deps: ClaudeCodeDeps): Runner => ({
  name: 'claude-code',
  run: async (input, signal) => {
    const { agent, duplicateThreshold, redact } = deps;
    const reviewing = { ...input, deps, agent, duplicateThreshold, redact, protect: createProtect(redact) };
    const known = await deps.loadSession(input.scope.changeRequest);
    if (known !== null && known.runId === input.scope.runId) {
      return concludeReview(reviewing, known.ended, signal);
    }
    const reviewed = await inOwnPlace(reviewing, known, signal);
    if (reviewed.kind !== 'ended') return reviewed;
    return concludeReview(reviewing, reviewed, signal);
  },
});

type Reviewed =
  | { readonly kind: 'superseded' }
  | (Pick<Held & { readonly kind: 'ended' }, 'kind' | 'outcome'> & { readonly spent: Spent });

/** A checkout and a home for this execution alone; both are gone afterwards. */
const inOwnPlace = async (reviewing: Reviewing, known: KeptSession | null, signal: AbortSignal): Promise<Reviewed> => {
  const { deps, revisions, packet } = reviewing;
  await mkdir(deps.stateFolder, { recursive: true, mode: 0o700 });
  const home = await mkdtemp(path.join(deps.stateFolder, 'home-'));
  try {
    await mkdir(path.join(home, 'tmp'));
    await writeFile(settingsFileOf(home), JSON.stringify(CLI_SETTINGS));
    const checkout = await createCheckout({ revisions, folder: deps.checkoutFolder }, packet.head, signal);
    try {
      await cleanTree(checkout.root, reviewing.protect, signal);
      const place = { folder: sessionFolderIn(deps.stateFolder), home, workspace: checkout.root };
      return await review(reviewing, { place, known }, signal);
    } finally {
      await checkout.dispose();
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

const settingsFileOf = (home: string): string => path.join(home, 'settings.json');

type Placed = { readonly place: SessionPlace; readonly known: KeptSession | null };

const review = async (reviewing: Reviewing, { place, known }: Placed, signal: AbortSignal): Promise<Reviewed> => {
  const { deps, scope } = reviewing;
  const { changeRequest, runId } = scope;
  const startedAtMs = deps.connected.clock.nowMs();
  const books = openBooks({
    meter: deps.connected.meterOf(deps.agent.reviewer.model, scope),
    model: deps.agent.reviewer.model,
    maxOutputTokens: deps.agent.maxOutputTokens,
  });
  const { held, session } = await holdOrBeginAnew(reviewing, { place, books, known }, signal);
  if (held.kind === 'superseded') return held;
  const wallMs = Math.round(deps.connected.clock.nowMs() - startedAtMs);
  const spent = addSpent(books.spent, { ...NOTHING_SPENT, wallMs });
  // Nobody goes on with a conversation that broke; and what was noted before it still holds.
  if (held.outcome.kind === 'model_failed') await dropSession(place, changeRequest);
  else await keepSession(place, changeRequest, session.id);
  if (held.notes !== '') await deps.saveNotes(changeRequest, held.notes);
  await deps.saveSession(changeRequest, {
    v: 1,
    id: session.id,
    runId,
    ended: { outcome: held.outcome, spent },
  });
  return { kind: 'ended', outcome: held.outcome, spent };
};

type Beginning = Placed & { readonly books: CliBooks };
type Begun = { readonly held: Exclude<Held, { readonly kind: 'session_lost' }>; readonly session: CliSession };

/** Goes on with the conversation of the last round; without it a new one begins, with what was noted. */
const holdOrBeginAnew = async (
  reviewing: Reviewing,
  { place, books, known }: Beginning,
  signal: AbortSignal,
): Promise<Begun> => {
  const { changeRequest } = reviewing.scope;
  if (known !== null && (await restoreSession(place, changeRequest, known.id))) {
    const session = { id: known.id, resumes: true };
    const held = await holdReview(await holdingOf(reviewing, { place, books, session }, signal), signal);
    if (held.kind !== 'session_lost') return { held, session };
  }
  const session = { id: randomUUID(), resumes: false };
  const held = await holdReview(await holdingOf(reviewing, { place, books, session }, signal), signal);
  return { held: held.kind === 'session_lost' ? BROKE : held, session };
};

type With = { readonly place: SessionPlace; readonly books: CliBooks; readonly session: CliSession };

const holdingOf = async (
  reviewing: Reviewing,
  { place, books, session }: With,
  signal: AbortSignal,
): Promise<Holding> => {
  const { deps, scope } = reviewing;
  const { program, agent, access, connected } = deps;
  const { maxOutputTokens, maxCorrections } = agent;
  const rules = submissionRulesOf(reviewing);
  const { home, workspace } = place;
  return {
    run: {
      place: { program, workspace, home, settingsFile: settingsFileOf(home), access: { ...access, maxOutputTokens } },
      books,
      clock: connected.clock,
      isSuperseded: scope.isSuperseded,
      supersededEveryMs: SUPERSEDED_EVERY_MS,
    },
    call: {
      model: agent.reviewer.model,
      systemPrompt: systemPrompt(),
      schema: answerSchema(rules),
      maxUsd: deps.runUsd,
    },
    session,
    opening: await openingOf(reviewing, session, signal),
    submit: createSubmitReviewTool(rules),
    maxTurns: scope.maxTurns,
    maxCorrections,
    wallMs: scope.maxRuntimeS * 1000,
  };
};

/** A conversation that goes on knows what it noted. */
const openingOf = async (reviewing: Reviewing, { resumes }: CliSession, signal: AbortSignal): Promise<string> => {
  const { task } = reviewing;
  const asked = resumes ? { ...task, earlierNotes: null } : task;
  const prompt = await promptOf({ ...reviewing, task: asked }, signal);
  return reviewOpening(prompt, reviewing.deps.newBoundary())
    .map(({ text }) => text)
    .join('\n\n');
};
