/** From the end of a conversation with a model to a draft: the built-in rules beside it, whoever called the model. */
import type { Outcome } from '../../shared/agent/outcome.ts';
import type { Spent } from '../../shared/rounds/vocabulary.ts';
import { failedBy } from './failed-by.ts';
import { answersWithoutModel, mergeAnswers, mergeFindings, mergeFixes } from './merge-rules.ts';
import { diffSourcesOf, type ModelReview } from './model-review.ts';
import { runRules } from './run-rules.ts';
import type { RunnerDraft, RunnerResult } from './runner.ts';
import { showDiff } from './show-diff.ts';

type Ended<O extends Outcome> = { readonly outcome: O; readonly spent: Spent };

export const concludeReview = async (
  review: ModelReview,
  { outcome, spent }: Ended<Outcome>,
  signal: AbortSignal,
): Promise<Exclude<RunnerResult, { readonly kind: 'waits' | 'superseded' }>> => {
  if (outcome.kind !== 'submitted' && outcome.kind !== 'budget_exceeded') return failedBy(outcome);
  return { kind: 'draft', draft: await draftOf(review, { outcome, spent }, signal) };
};

const draftOf = async (
  review: ModelReview,
  { outcome, spent }: Ended<Outcome & { readonly kind: 'submitted' | 'budget_exceeded' }>,
  signal: AbortSignal,
): Promise<RunnerDraft> => {
  const { packet, duplicateThreshold } = review;
  const rules = await runRules(packet, signal);
  // Another execution may have built the prompt.
  const { notShown } = await showDiff(diffSourcesOf(review), signal);
  if (outcome.kind === 'budget_exceeded') {
    const answers = answersWithoutModel(rules, packet.openThreads);
    const omitted = [...rules.omitted, ...notShown];
    const { findings, fixed, silent } = rules;
    return { summary: CUT_SHORT, findings, answers, fixed, silent, omitted, spent, exceeded: outcome.exceeded };
  }
  const { submission } = outcome;
  return {
    summary: submission.summary,
    findings: mergeFindings(rules.findings, submission.findings, duplicateThreshold),
    answers: mergeAnswers(submission.answers, rules, packet.openThreads),
    fixed: mergeFixes(submission.fixed ?? [], rules),
    refuted: submission.refuted ?? [],
    silent: rules.silent,
    omitted: [...rules.omitted, ...notShown, ...submission.omitted],
    spent,
    exceeded: null,
  };
};

const CUT_SHORT =
  'The review ended before it was complete. Only what the built-in rules found stands here; it says nothing about the rest.';
