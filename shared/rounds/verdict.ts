import { isGrave } from './blocking.ts';
import { type ExceededBudget, exceededText } from './exceeded.ts';
import type { GateResult } from './gate.ts';
import type { Coverage, Verdict } from './vocabulary.ts';

export type VerdictInput = {
  readonly coverage: Coverage;
  readonly gated: GateResult;
  /** False when the head moved on while a run that had to finish was at work. */
  readonly currentHead: boolean;
  /** More findings than the ledger holds: some may be forgotten. */
  readonly ledgerFull: boolean;
  /** The budget that ended the review before its end. */
  readonly exceeded: ExceededBudget | null;
};

export type Judgement = { readonly verdict: Verdict; readonly reasons: readonly string[] };

/**
 * The only road to `lgtm` is a complete, current, parsed review without anything that blocks. What blocks makes
 * `feedback` even when the review is incomplete: the author can act on it.
 */
export const judgeRound = ({ coverage, gated, currentHead, ledgerFull, exceeded }: VerdictInput): Judgement => {
  const blocking = blockers(gated);
  if (exceeded !== null) {
    return {
      verdict: 'inconclusive',
      reasons: [`reviewer_budget_exceeded: ${exceededText(exceeded)} is used up`, ...blocking],
    };
  }
  if (blocking.length > 0) return { verdict: 'feedback', reasons: blocking };
  const doubts = [
    ...(coverage.complete ? [] : [`${coverage.omitted.length} files were not reviewed`]),
    ...(gated.unverified.length === 0 ? [] : [`${gated.unverified.length} grave claims could not be verified`]),
    ...(currentHead ? [] : ['the head has moved on since']),
    ...(ledgerFull ? ['there are more findings than can be kept apart'] : []),
  ];
  return doubts.length > 0
    ? { verdict: 'inconclusive', reasons: doubts }
    : { verdict: 'lgtm', reasons: ['nothing blocks'] };
};

const blockers = (gated: GateResult): readonly string[] => [
  ...gated.accepted.filter(({ blocking }) => blocking).map(({ id }) => `${id} is new and blocks`),
  ...gated.handled
    .filter(({ thread, next }) => next.state !== 'resolved' && (thread.blocking || isGrave(next.severity)))
    .map(({ thread }) => `${thread.id} still blocks`),
  ...gated.unanswered
    .filter((thread) => thread.blocking || isGrave(thread.severity))
    .map(({ id }) => `${id} was not looked at and blocks`),
  ...gated.standing
    .filter((thread) => thread.state !== 'resolved' && (thread.blocking || isGrave(thread.severity)))
    .map((thread) => `${thread.id} waits for a human and blocks`),
];
