import { alsoWithoutBoundary } from '../../../shared/agent/boundary.ts';
import type { Outcome } from '../../../shared/agent/outcome.ts';
import { isGrave } from '../../../shared/rounds/model/blocking.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';
import type { Spent } from '../../../shared/vocabulary/spent.ts';
import { type ModelLook, modelLook } from '../packet/looked.ts';
import { sortNotReviewed } from '../check/not-reviewed.ts';
import { failedBy } from './failed-by.ts';
import { answersWithoutModel, mergeAnswers, mergeFindings, mergeFixes, withoutRules } from '../rules/merge-rules.ts';
import { diffSourcesOf, type ModelReview, submissionRulesOf } from './model-review.ts';
import { runRules } from '../rules/run-rules.ts';
import { settleVerified } from './settle-verified.ts';
import { withoutRepeats } from './without-repeats.ts';
import type { RunnerDraft, RunnerResult } from './runner.ts';
import { showDiff } from '../packet/show-diff.ts';

type Ended<O extends Outcome> = {
  readonly outcome: O;
  readonly spent: Spent;
  readonly read?: ModelLook['read'];
  readonly boundaries: readonly string[];
  readonly tookOver?: readonly string[];
  /** Set for a review in parts. If absent, it is computed: the files that did not fit into the prompt. */
  readonly notShown?: readonly OmittedFile[];
  readonly unanswered?: readonly FindingId[];
};

export const concludeReview = async (
  review: ModelReview,
  ended: Ended<Outcome>,
  signal: AbortSignal,
): Promise<Exclude<RunnerResult, { readonly kind: 'waits' | 'superseded' }>> => {
  const { outcome } = ended;
  if (outcome.kind !== 'submitted' && outcome.kind !== 'budget_exceeded') return failedBy(outcome);
  return { kind: 'draft', draft: await draftOf(review, { ...ended, outcome }, signal) };
};

type Finished = Ended<Outcome & { readonly kind: 'submitted' | 'budget_exceeded' }>;

const draftOf = async (review: ModelReview, ended: Finished, signal: AbortSignal): Promise<RunnerDraft> => {
  const { outcome, spent, read, boundaries, tookOver = [], unanswered = [] } = ended;
  const { packet } = review;
  const rules = await runRules(packet, signal);
  // This is computed again, because another execution may have built the prompt.
  const notShown = ended.notShown ?? (await showDiff(diffSourcesOf(review), signal)).notShown;
  const common = {
    looked: { rules, model: modelLook(notShown, read) },
    silent: rules.silent,
    boundaries,
    spent,
    tookOver,
  };
  if (outcome.kind === 'submitted') {
    const submitted = await submittedIn(review, { rules, boundaries }, outcome);
    return { ...common, ...withUnanswered(submitted, { unanswered, rules, packet }) };
  }
  const { findings, fixed, omitted } = rules;
  const answers = answersWithoutModel(rules, packet.openThreads);
  return { ...common, summary: CUT_SHORT, findings, answers, fixed, omitted, exceeded: outcome.exceeded };
};

type Rules = Awaited<ReturnType<typeof runRules>>;

type Unanswered = Pick<ModelReview, 'packet'> & { readonly unanswered: readonly FindingId[]; readonly rules: Rules };

/** A rule may resolve its own thread even in a part that was not reviewed. */
const withUnanswered = <Submitted extends Pick<RunnerDraft, 'answers'>>(
  submitted: Submitted,
  { unanswered, rules, packet }: Unanswered,
): Submitted & Pick<RunnerDraft, 'unanswered'> => {
  if (unanswered.length === 0) return submitted;
  const asked = packet.openThreads.filter(({ id }) => unanswered.includes(id));
  const byRules = answersWithoutModel(rules, asked);
  const answered = new Set(byRules.map(({ findingId }) => findingId));
  return {
    ...submitted,
    answers: [...submitted.answers, ...byRules],
    unanswered: unanswered.filter((id) => !answered.has(id)),
  };
};

const submittedIn = async (
  review: ModelReview,
  { rules, boundaries }: { readonly rules: Rules; readonly boundaries: readonly string[] },
  { submission, verified }: Outcome & { readonly kind: 'submitted' },
): Promise<Omit<RunnerDraft, 'looked' | 'silent' | 'boundaries' | 'spent' | 'tookOver'>> => {
  const { packet, duplicateThreshold } = review;
  const settled = await settleVerified(submission, verified, {
    packet,
    redact: boundaries.reduce(alsoWithoutBoundary, review.redact),
  });
  const { answers } = submission;
  const own = withoutRepeats({ findings: [...settled.findings], answers }, submissionRulesOf(review));
  const left = sortNotReviewed(submission.notReviewed ?? [], packet.diff);
  const isSaid = ({ path, severity }: DraftFinding): boolean => isGrave(severity) || !packet.quiet.has(path);
  const said = own.filter(isSaid);
  // A finding that no verifier confirmed must not raise the severity of a rule's finding, which needs no confirmation.
  const isDoubted = (finding: DraftFinding): boolean => settled.doubted.has(finding);
  const isKnown = (finding: DraftFinding): boolean => !isDoubted(finding);
  return {
    summary: submission.summary,
    ...(submission.walkthrough === undefined ? {} : { walkthrough: submission.walkthrough }),
    findings: [
      ...mergeFindings(rules.findings, said.filter(isKnown), duplicateThreshold),
      ...withoutRules(rules.findings, said.filter(isDoubted), duplicateThreshold),
    ],
    ...(settled.doubted.size === 0 ? {} : { doubted: settled.doubted }),
    ...(settled.refutedClaims.length === 0 ? {} : { refutedClaims: settled.refutedClaims }),
    ...(settled.verifiedFixes.size === 0 ? {} : { verifiedFixes: settled.verifiedFixes }),
    answers: mergeAnswers(answers, rules, packet.openThreads),
    fixed: mergeFixes(submission.fixed ?? [], rules),
    refuted: submission.refuted ?? [],
    omitted: [...rules.omitted, ...submission.omitted, ...left.omitted],
    ...(left.notOfChange.length === 0 ? {} : { notOfChange: left.notOfChange }),
    exceeded: null,
  };
};

const CUT_SHORT =
  'The review ended before it was complete. Only findings of the built-in rules are shown; the model did not finish its review.';
