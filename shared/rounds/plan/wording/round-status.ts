import type { ReviewDraft } from '../../model/draft.ts';
import type { PlannedStatus } from '../../model/post-plan.ts';
import { completeButNoPass, type Judgement } from '../../gate/verdict.ts';
import type { Verdict } from '../../../vocabulary/finding.ts';
import type { Coverage } from '../../../vocabulary/coverage.ts';

const DESCRIPTIONS: Readonly<Record<Verdict, string>> = {
  lgtm: 'nothing blocks',
  feedback: 'needs work',
  inconclusive: 'no verdict',
};

const STATES: Readonly<Record<Verdict, PlannedStatus['state']>> = {
  lgtm: 'success',
  feedback: 'failure',
  inconclusive: 'error',
};

export const statusOf = (verdict: Verdict, reasons: readonly string[], round: number): PlannedStatus => {
  const count = reasons.length === 1 ? '1 reason' : `${reasons.length} reasons`;
  return statusSaying(verdict, round, verdict === 'lgtm' ? '' : ` (${count})`);
};

export const statusSaying = (verdict: Verdict, round: number, more: string): PlannedStatus => ({
  state: STATES[verdict],
  description: cutStatusText(`Round ${round}: ${DESCRIPTIONS[verdict]}${more}`),
});

/** Every forge accepts 140 characters. */
export const cutStatusText = (text: string): string => text.slice(0, 140);

/** The status text when only an operator's setting prevents a pass, else null. People can change the code or the setting. */
export const heldBySetting = (coverage: Coverage, { verdict, reasons }: Judgement): string | null => {
  const held = completeButNoPass(coverage);
  if (verdict !== 'inconclusive' || held.length === 0 || held.length < reasons.length) return null;
  return `: ${held.join('; ').replaceAll('`', '')}`;
};

export const statusOfRound = (draft: Pick<ReviewDraft, 'coverage' | 'round'>, judgement: Judgement): PlannedStatus => {
  const held = heldBySetting(draft.coverage, judgement);
  const { verdict, reasons } = judgement;
  return held === null ? statusOf(verdict, reasons, draft.round) : statusSaying(verdict, draft.round, held);
};
