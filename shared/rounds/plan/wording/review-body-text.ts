/** The body of a review with inline comments: the only text of the review that is sent by mail as a whole. */
import { asksForSomething, type GateResult } from '../../model/gate-result.ts';
import type { Judgement } from '../../gate/verdict.ts';

export type ReviewTextInput = {
  readonly round: number;
  readonly gated: GateResult;
  readonly judgement: Judgement;
};

/** The verdict, then what to do. */
export const reviewBodyText = ({ round, gated, judgement: { verdict, reasons } }: ReviewTextInput): string =>
  `**Review ${round}: ${LEADS[verdict]}** (${reasons.join('; ')}).\n\n${whatToDo(gated)}`;

const LEADS = { lgtm: 'nothing blocks this change', feedback: 'needs work', inconclusive: 'no verdict' } as const;

const whatToDo = (gated: GateResult): string =>
  asksForSomething(gated)
    ? 'Change the code, or answer in the thread of a finding. The next push is reviewed by itself. The summary lists all findings.'
    : 'The summary lists all findings.';
