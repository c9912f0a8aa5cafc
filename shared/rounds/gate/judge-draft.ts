/** Computes the verdict of a draft that passed the gate, and what the markers store of that verdict. */
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { CiReading } from '../model/ci.ts';
import type { ReviewDraft } from '../model/draft.ts';
import type { GateResult } from '../model/gate-result.ts';
import type { History, ReviewedInput } from '../model/history.ts';
import { type Ledger, ledgerAfter } from '../memory/ledger.ts';
import { rememberedCommands } from '../model/validations.ts';
import { isClear, type Judgement, judgeReview, type VerdictInput } from './verdict.ts';

export type DraftInput = {
  readonly facts: Pick<ChangeRequestFacts, 'head'>;
  readonly history: History;
  readonly draft: ReviewDraft;
  readonly gated: GateResult;
  /** The CI result of this head when the review was ready. Absent or null if CI does not matter. */
  readonly ci?: CiReading | null;
};

export type JudgedDraft = {
  readonly judgement: Judgement;
  readonly ledger: Ledger;
  readonly remembered: Pick<ReviewedInput, 'verdict' | 'clear' | 'onlyCi' | 'onlyChecks' | 'exceeded' | 'commands'>;
};

export const judgeDraft = ({ facts, history, draft, gated, ci = null }: DraftInput): JudgedDraft => {
  const ledger = ledgerAfter(history, draft, gated);
  const currentHead = facts.head === draft.head;
  const judged = {
    coverage: draft.coverage,
    gated,
    currentHead,
    ledgerFull: ledger.full,
    exceeded: draft.exceeded,
    ci,
    validations: draft.validations,
  };
  const judgement = judgeReview(judged);
  return {
    judgement,
    ledger,
    remembered: {
      verdict: judgement.verdict,
      ...(isClear(judged) ? { clear: true } : {}),
      ...heldBackBy(judged, judgement),
      ...(draft.exceeded === null ? {} : { exceeded: true }),
      ...rememberedCommands(draft.validations),
    },
  };
};

/** CI and validations can later pass without another review, so the marker records that they alone prevented a pass. */
const heldBackBy = (judged: VerdictInput, { verdict }: Judgement): Pick<ReviewedInput, 'onlyCi' | 'onlyChecks'> => {
  if (verdict === 'lgtm') return {};
  if (judgeReview({ ...judged, ci: null }).verdict === 'lgtm') return { onlyCi: true };
  return judgeReview({ ...judged, ci: null, validations: [] }).verdict === 'lgtm' ? { onlyChecks: true } : {};
};
