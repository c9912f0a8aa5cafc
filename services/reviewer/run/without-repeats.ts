import { repeatedThread, type SubmissionRules } from '../../../shared/agent/submission/read-submission.ts';
import type { Submission } from '../../../shared/agent/submission/submission.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';

/**
 * The findings that no open thread already reports. The gate alone would not recognise a repeat of a thread whose lines
 * were replaced. If the model resolves the thread that it repeats, the gate must see this contradiction.
 */
export const withoutRepeats = (
  { findings, answers }: Pick<Submission, 'findings' | 'answers'>,
  rules: SubmissionRules,
): readonly DraftFinding[] => {
  const resolved = new Set(answers.flatMap(({ findingId, action }) => (action === 'resolve' ? [findingId] : [])));
  return findings.filter((finding) => {
    const thread = repeatedThread(finding, rules);
    return thread === undefined || resolved.has(thread.id);
  });
};
