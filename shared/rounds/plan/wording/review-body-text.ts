/**
 * Writes the body of a review with inline comments, the only part of the review that the forge sends as a whole by
 * email.
 */
import type { Verdict } from '../../../vocabulary/finding.ts';
import { asksForSomething, type GateResult } from '../../model/gate-result.ts';

/** The body is the first line of the summary, followed by what to do. */
export const reviewBodyText = (summary: string, gated: GateResult, verdict: Verdict): string => {
  const [headline = ''] = summary.split('\n');
  return `${headline}\n\n${asksForSomething(gated) && verdict !== 'lgtm' ? `${WHAT_TO_DO} ${ALL}` : ALL}`;
};

const WHAT_TO_DO = 'Change the code, or answer in the thread of a finding. The next push is reviewed automatically.';
const ALL = 'The summary lists all findings.';
