import { completeButNoPass, type Judgement } from '../../gate/verdict.ts';
import type { Coverage } from '../../../vocabulary/coverage.ts';
import { counted } from './counted.ts';
import { cutStatusText, inShort } from './status-words.ts';
import { plainReason } from './headline.ts';
import type { PlannedStatus } from '../../model/posting/post-plan.ts';
import type { Verdict } from '../../../vocabulary/finding.ts';

const STATES: Readonly<Record<Verdict, PlannedStatus['state']>> = {
  lgtm: 'success',
  feedback: 'failure',
  inconclusive: 'error',
};

/** `reasons` is empty if the reasons are no longer known. */
export const statusOf = (verdict: Verdict, reasons: readonly string[]): PlannedStatus => ({
  state: STATES[verdict],
  description: cutStatusText(descriptionOf(verdict, reasons)),
});

const descriptionOf = (verdict: Verdict, reasons: readonly string[]): string => {
  const [other] = reasons.filter((reason) => !/^F-\d/.test(reason));
  switch (verdict) {
    case 'lgtm':
      return 'Nothing blocks merging';
    case 'feedback':
      if (reasons.length === 0) return 'Problems to fix before merging';
      return other === undefined
        ? `${counted(reasons.length, 'problem')} to fix before merging`
        : `Not ready to merge: ${other}`;
    case 'inconclusive':
      return other === undefined ? 'No verdict: see the summary' : `No verdict: ${shortReason(other)}`;
    default:
      return verdict satisfies never;
  }
};

const shortReason = (reason: string): string => {
  const plain = plainReason(reason);
  return plain === reason ? reason : inShort(plain);
};

/** The status for a verdict that was carried from another head. `how`: why the verdict also applies here. */
export const carriedStatus = (verdict: Verdict, how: string): PlannedStatus => ({
  state: STATES[verdict],
  description: cutStatusText(`${descriptionOf(verdict, [])} (${how})`),
});

/** True if only an operator's setting prevents a pass, so people can change either the code or the setting. */
export const isHeldBySetting = (coverage: Coverage, { verdict, reasons }: Judgement): boolean => {
  const held = completeButNoPass(coverage);
  return verdict === 'inconclusive' && held.length > 0 && held.length >= reasons.length;
};
