/** Runs a review with an external reviewer, using only messages: one request and one answer per run; no slot is held meanwhile. */
import type { Agent } from '../../../shared/config/agent-settings.ts';
import { createProtect } from '../../../shared/agent/present-result.ts';
import type { ReviewRequestStore } from '../../../shared/mailbox/review-request-store.ts';
import type { PendingReview, OutsideAnswer } from '../../../shared/protocol/pending-review.ts';
import { draftOfPacket } from '../../../shared/protocol/draft-of-packet.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import { answersWithoutModel, mergeAnswers, mergeFindings, mergeFixes } from '../rules/merge-rules.ts';
import { diffSourcesOf, type ModelReview } from '../run/model-review.ts';
import { modelLook } from '../packet/looked.ts';
import { runRules } from '../rules/run-rules.ts';
import type { Runner, RunnerDraft, RunnerInput } from '../run/runner.ts';
import { showDiff } from '../packet/show-diff.ts';
import { storedRequestOf } from './messages-request.ts';

export type MessagesRunnerDeps = {
  readonly requestStore: Pick<ReviewRequestStore, 'ask' | 'find' | 'end'>;
  /** Contract: asked again each time a run continues, because the project may have moved. */
  readonly reviewerOf: (of: ChangeRequest) => Promise<string | null>;
  readonly ownName: string;
  /** The settings whose size limits also apply to what an external reviewer is shown. */
  readonly agent: Agent;
  readonly maxRounds: number;
  readonly duplicateThreshold: number;
  readonly redact: Redactor;
  readonly nowMs: () => number;
  readonly checkpoint: (step: string) => void;
};

/** An answer normally wakes the run at once. This delay covers an answer that arrives just as the run goes to sleep. */
const FIRST_LOOK_MS = 1_000;
/** This delay covers a lost wake-up and a newer head. */
const LATER_LOOK_MS = 30_000;

export const createMessagesRunner = (deps: MessagesRunnerDeps): Runner => ({
  name: 'messages',
  run: async (input, signal) => {
    const { changeRequest, runId } = input.scope;
    const reviewer = await deps.reviewerOf(changeRequest);
    if (reviewer === null) return { kind: 'failed', code: 'OUTSIDE_REVIEWER_MISSING', rawText: null };
    const asked =
      (await deps.requestStore.find(changeRequest, runId)) ?? (await ask(deps, { ...input, reviewer }, signal));
    // The project belongs to another reviewer now: the next attempt asks that one.
    if (asked.reviewer !== reviewer) return { kind: 'failed', code: 'OUTSIDE_REVIEWER_MISSING', rawText: null };
    const { answer } = asked;
    if (answer !== null) return { kind: 'draft', draft: await draftOf(deps, input, { ...asked, answer }, signal) };
    const delayMs = delayOf(asked, deps.nowMs());
    return delayMs === null
      ? { kind: 'failed', code: 'OUTSIDE_REVIEWER_SILENT', rawText: null }
      : { kind: 'sleeps', delayMs };
  },
  sleepsFor: async (changeRequest, runId) => {
    const asked = await deps.requestStore.find(changeRequest, runId);
    if (asked === null || asked.answer !== null) return null;
    return asked.reviewer === (await deps.reviewerOf(changeRequest)) ? delayOf(asked, deps.nowMs()) : null;
  },
  leave: async (changeRequest, runId) => deps.requestStore.end(changeRequest, runId),
});

const delayOf = ({ askedAtMs, expiresAtMs }: PendingReview, nowMs: number): number | null => {
  if (nowMs >= expiresAtMs) return null;
  const lookMs = nowMs - askedAtMs < FIRST_LOOK_MS ? FIRST_LOOK_MS : LATER_LOOK_MS;
  return Math.min(lookMs, expiresAtMs - nowMs);
};

const reviewOf = (
  { agent, duplicateThreshold, redact }: MessagesRunnerDeps,
  { packet, task, revisions }: RunnerInput,
): ModelReview => ({
  packet,
  task,
  revisions,
  agent,
  duplicateThreshold,
  redact,
  protect: createProtect(redact),
  // The claims of an external reviewer are not verified.
  verifyMax: null,
});

type Asking = RunnerInput & { readonly reviewer: string };

const ask = async (deps: MessagesRunnerDeps, input: Asking, signal: AbortSignal): Promise<PendingReview> => {
  const { ownName, maxRounds, nowMs, checkpoint, requestStore } = deps;
  const { scope, reviewer } = input;
  const request = await storedRequestOf(
    { review: reviewOf(deps, input), scope, from: ownName, to: reviewer, maxRounds, nowMs: nowMs() },
    signal,
  );
  checkpoint('before-request');
  const asked = await requestStore.ask(scope.changeRequest, { reviewer, ...request });
  checkpoint('after-request');
  return asked;
};

type Answered = PendingReview & { readonly answer: OutsideAnswer };

const draftOf = async (
  deps: MessagesRunnerDeps,
  input: RunnerInput,
  { answer, packet: request, askedAtMs }: Answered,
  signal: AbortSignal,
): Promise<RunnerDraft> => {
  const { packet, scope } = input;
  const rules = await runRules(packet, signal);
  const { notShown } = await showDiff(diffSourcesOf(reviewOf(deps, input)), signal);
  const outside = draftOfPacket(answer, { ...request, maxTurns: scope.maxTurns });
  const answers =
    outside.exceeded === null ? outside.answers : [...outside.answers, ...unansweredByRules(outside, rules, packet)];
  return {
    summary: deps.redact(outside.summary).text,
    findings: mergeFindings(rules.findings, outside.findings, deps.duplicateThreshold),
    answers: mergeAnswers(answers, rules, packet.openThreads),
    fixed: mergeFixes(outside.fixed, rules),
    silent: rules.silent,
    omitted: [...rules.omitted, ...outside.omitted],
    looked: { rules, model: modelLook(notShown) },
    // Fixpoint does not know the external reviewer's cost; the run counts one turn and the time until the answer.
    spent: { ...NOTHING_SPENT, turns: 1, wallMs: Math.max(0, answer.atMs - askedAtMs) },
    exceeded: outside.exceeded,
  };
};

/** If the reviewer ran out of budget, a rule may still resolve its own thread. */
const unansweredByRules = (
  { answers }: Pick<RunnerDraft, 'answers'>,
  rules: Parameters<typeof answersWithoutModel>[0],
  { openThreads }: RunnerInput['packet'],
): RunnerDraft['answers'] =>
  answersWithoutModel(rules, openThreads).filter(
    ({ findingId }) => !answers.some((answer) => answer.findingId === findingId),
  );
