/**
 * Runs a review with the Claude Code CLI, in a checkout without secrets and with tools that only read. The CLI calls the
 * model itself; its review is read and merged like that of any other model.
 */
import { randomUUID } from 'node:crypto';
import { alsoWithoutBoundary } from '../../../shared/agent/boundary.ts';
import { createProtect } from '../../../shared/agent/present-result.ts';
import { reviewOpening } from '../../../shared/agent/prompt/review-opening.ts';
import { createSubmitReviewTool } from '../../../shared/agent/tools/submit-review.ts';
import { cleanTree } from '../../../shared/claude-code/clean-tree.ts';
import { BROKE, type SessionDeps, runSession } from '../../../shared/claude-code/run-session.ts';
import { type CliHome, inCliHome } from '../../../shared/claude-code/home.ts';
import type { CallSession } from '../../../shared/claude-code/invocation.ts';
import type { CliSettings } from '../../../shared/claude-code/settings.ts';
import { type CliBooks, openBooks } from '../../../shared/claude-code/spending.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import type { CliSession as KeptSession } from '../../../shared/store/cli-session.ts';
import { absentRemark } from '../../../shared/workspace/tree/absent-files.ts';
import { createCheckout } from '../../../shared/workspace/tree/checkout.ts';
import { concludeReview } from '../run/conclude-review.ts';
import { type ModelReview, promptOf, submissionRulesOf } from '../run/model-review.ts';
import type { Runner, RunScope } from '../run/runner.ts';
import { REVIEWER_PERMISSIONS } from './claude-code/permissions.ts';
import { type EndedConversation, type ReviewAnswer, readReview, reviewOf } from './claude-code/read-review.ts';
import { answerSchema, reviewerCorrectionPrompt, LAST_CALL, reviewerSystemPrompt } from './claude-code/prompts.ts';
import { dropSession, keepSession, restoreSession, sessionFolderIn, type SessionPlace } from './claude-code/session.ts';

export type ClaudeCodeDeps = CliSettings & {
  readonly duplicateThreshold: number;
  readonly checkoutFolder: string;
  readonly stateFolder: string;
  readonly loadSession: (of: ChangeRequest) => Promise<KeptSession | null>;
  readonly saveSession: (of: ChangeRequest, session: KeptSession) => Promise<void>;
  /** Contract: stores the last notes of a run for the next run of the same change request. */
  readonly saveNotes: (of: ChangeRequest, notes: string) => Promise<void>;
};

type Reviewing = ModelReview & { readonly scope: RunScope; readonly deps: ClaudeCodeDeps };

const SUPERSEDED_EVERY_MS = 2_000;

export const createClaudeCodeRunner = (deps: ClaudeCodeDeps): Runner => ({
  name: 'claude-code',
  model: deps.agent.reviewer.model,
  run: async (input, signal) => {
    const { agent, duplicateThreshold, redact } = deps;
    const protect = createProtect(redact);
    const reviewing = { ...input, deps, agent, duplicateThreshold, redact, protect, verifyMax: null };
    const known = await deps.loadSession(input.scope.changeRequest);
    if (known !== null && known.runId === input.scope.runId) {
      return concludeReview(reviewing, { ...known.ended, boundaries: [known.ended.boundary] }, signal);
    }
    const reviewed = await inOwnPlace(reviewing, known, signal);
    if (reviewed.kind !== 'ended') return reviewed;
    return concludeReview(reviewing, { ...reviewed, boundaries: [reviewed.boundary] }, signal);
  },
});

type Reviewed =
  | { readonly kind: 'superseded' }
  | {
      readonly kind: 'ended';
      readonly outcome: ReviewAnswer['outcome'];
      readonly spent: Spent;
      readonly boundary: string;
    };

const inOwnPlace = async (reviewing: Reviewing, known: KeptSession | null, signal: AbortSignal): Promise<Reviewed> => {
  const { deps, revisions, packet, protect } = reviewing;
  return inCliHome(deps.stateFolder, REVIEWER_PERMISSIONS, async (at) => {
    const checkout = await createCheckout({ revisions, folder: deps.checkoutFolder }, packet.head, signal);
    try {
      await cleanTree(checkout.root, protect, signal);
      const place = { ...at, folder: sessionFolderIn(deps.stateFolder), workspace: checkout.root };
      const remark = absentRemark(checkout.absent);
      return await review(reviewing, { place, known, remark }, signal);
    } finally {
      await checkout.dispose();
    }
  });
};

type Place = SessionPlace & CliHome;
type Placed = {
  readonly place: Place;
  readonly known: KeptSession | null;
  /** What the checkout lacks; null if it is complete. */
  readonly remark: string | null;
};

const review = async (reviewing: Reviewing, placed: Placed, signal: AbortSignal): Promise<Reviewed> => {
  const { deps, scope } = reviewing;
  const { place } = placed;
  const { changeRequest, runId } = scope;
  const startedAtMs = deps.connected.clock.nowMs();
  const books = openBooks({
    meter: deps.connected.meterOf(deps.agent.reviewer.model, { ...scope, role: 'reviewer' }),
    model: deps.agent.reviewer.model,
    maxOutputTokens: deps.agent.maxOutputTokens,
    subscription: deps.access.subscription !== undefined,
  });
  const boundary = deps.boundaryOf(changeRequest);
  const { ended, session } = await converseOrBeginAnew(reviewing, { ...placed, books, boundary }, signal);
  if (ended.kind === 'superseded') return ended;
  const { outcome, notes } = reviewOf(ended);
  const wallMs = Math.round(deps.connected.clock.nowMs() - startedAtMs);
  const spent = addSpent(books.spent, { ...NOTHING_SPENT, wallMs });
  // A failed conversation is not resumed, but notes from before the failure are kept.
  if (outcome.kind === 'model_failed') await dropSession(place, changeRequest);
  else await keepSession(place, changeRequest, session.id);
  if (notes !== '') await deps.saveNotes(changeRequest, notes);
  await deps.saveSession(changeRequest, { v: 1, id: session.id, runId, ended: { outcome, spent, boundary } });
  return { kind: 'ended', outcome, spent, boundary };
};

type Beginning = Placed & { readonly books: CliBooks; readonly boundary: string };
type Begun = {
  readonly ended: EndedConversation | { readonly kind: 'superseded' };
  readonly session: CallSession;
};

/** Resumes the conversation of the last review; if there is none, starts a new one with the earlier notes. */
const converseOrBeginAnew = async (
  reviewing: Reviewing,
  { known, ...begun }: Beginning,
  signal: AbortSignal,
): Promise<Begun> => {
  const { changeRequest } = reviewing.scope;
  if (known !== null && (await restoreSession(begun.place, changeRequest, known.id))) {
    const session = { id: known.id, resumes: true };
    const ended = await runSession(await conversingOf(reviewing, { ...begun, session }, signal), signal);
    if (ended.kind !== 'session_lost') return { ended, session };
  }
  const session = { id: randomUUID(), resumes: false };
  const ended = await runSession(await conversingOf(reviewing, { ...begun, session }, signal), signal);
  return { ended: ended.kind === 'session_lost' ? BROKE : ended, session };
};

type With = Omit<Beginning, 'known'> & { readonly session: CallSession };

const conversingOf = async (
  reviewing: Reviewing,
  { place: { workspace, home, settingsFile }, books, session, boundary, remark }: With,
  signal: AbortSignal,
): Promise<SessionDeps<ReviewAnswer>> => {
  const { deps, scope } = reviewing;
  const { program, agent, access, connected } = deps;
  const { maxOutputTokens, maxCorrections } = agent;
  const redact = alsoWithoutBoundary(reviewing.redact, boundary);
  const rules = submissionRulesOf({ ...reviewing, redact });
  return {
    run: {
      place: { program, workspace, home, settingsFile, access: { ...access, maxOutputTokens } },
      books,
      clock: connected.clock,
      isSuperseded: scope.isSuperseded,
      supersededEveryMs: SUPERSEDED_EVERY_MS,
    },
    call: {
      model: agent.reviewer.model,
      tools: REVIEWER_PERMISSIONS.tools,
      systemPrompt: reviewerSystemPrompt(),
      schema: answerSchema(),
      maxUsd: deps.runUsd,
    },
    session,
    opening: await openingOf(reviewing, { ...session, boundary, remark }, signal),
    read: readReview(createSubmitReviewTool(rules), boundary),
    correction: reviewerCorrectionPrompt,
    lastCall: LAST_CALL,
    maxTurns: scope.maxTurns,
    maxCorrections,
    wallMs: scope.maxRuntimeS * 1000,
  };
};

/** A resumed conversation already contains the notes. */
type Opening = Pick<CallSession, 'resumes'> & Pick<Beginning, 'boundary' | 'remark'>;

const openingOf = async (
  reviewing: Reviewing,
  { resumes, boundary, remark }: Opening,
  signal: AbortSignal,
): Promise<string> => {
  const { task } = reviewing;
  const asked = resumes ? { ...task, earlierNotes: null } : task;
  const prompt = await promptOf({ ...reviewing, task: asked }, signal);
  const opening = reviewOpening(prompt, boundary).map(({ text }) => text);
  return [...opening, ...(remark === null ? [] : [remark])].join('\n\n');
};
