import type { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import { Rounds } from '../../../shared/config/schema.ts';
import type { CheckedFinding } from '../../../shared/rounds/model/draft.ts';
import { IGNORED } from '../../../shared/rounds/model/repository-rules.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import { LEDGER_MAX_FINDINGS } from '../../../shared/rounds/memory/merge-ledgers.ts';
import type { GatedDraft } from '../../../shared/rounds/gate/gate-judge.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import { type Judgement, judgeReview } from '../../../shared/rounds/gate/verdict.ts';
import type { Coverage } from '../../../shared/vocabulary/coverage.ts';
import type { Spent } from '../../../shared/vocabulary/spent.ts';
import { roundsPolicy } from '../../guard/policy.ts';
import type { Reviewed, ReviewOutput } from './review-output.ts';
import { VERSION } from '../../../shared/version.ts';

/** The defaults of the settings, and a thread for every finding. */
export const ROUNDS = roundsPolicy(Rounds.parse({}), LEDGER_MAX_FINDINGS);

export type LocalDraft = GatedDraft &
  Pick<ReviewDraft, 'refutedClaims'> & {
    readonly summary: string;
    readonly coverage: Coverage;
    readonly spent: Spent;
  };

/** `failure` says in words why the model's part is missing. It is null when the review is complete. */
export const outputOf = (of: Reviewed, draft: LocalDraft, failure: string | null = null): ReviewOutput => {
  const history = rebuildHistory({ comments: [], key: 'local', botIds: new Set(), secrets: [] });
  const gated = gate(draft, history, { rounds: ROUNDS });
  const { coverage, exceeded, spent } = draft;
  const judged = judgeReview({ coverage, gated, currentHead: true, ledgerFull: false, exceeded });
  const { verdict, reasons } = failure === null ? judged : unfinished(judged, failure);
  return {
    version: VERSION,
    ...of,
    verdict,
    summary: `${draft.summary.trimEnd()}\nVerdict ${verdict}: ${reasons.join('; ')}.`,
    findings: gated.accepted.map(({ id, finding, blocking }) => ({ id, blocking, ...printed(finding) })),
    unverified: gated.unverified.map(({ finding }) => printed(finding)),
    ...refutedIn(draft),
    coverage,
    ignored: gated.dropped.filter(({ reason }) => reason === IGNORED).length,
    exceeded,
    notes: [...(draft.repository?.notes ?? [])],
    spent,
  };
};

export const refutedIn = ({ refutedClaims }: Pick<ReviewDraft, 'refutedClaims'>): Pick<ReviewOutput, 'refuted'> =>
  refutedClaims === undefined ? {} : { refuted: [...refutedClaims] };

/** Blocking findings are still listed, but an incomplete review has no verdict. */
const unfinished = ({ verdict, reasons }: Judgement, failure: string): Judgement => ({
  verdict: 'inconclusive',
  reasons: [failure, ...(verdict === 'lgtm' ? [] : reasons)],
});

const printed = ({ claim }: CheckedFinding): ReviewOutput['unverified'][number] => ({
  severity: claim.severity,
  relation: claim.relation,
  path: claim.path,
  side: claim.side,
  startLine: claim.startLine,
  line: claim.line,
  title: claim.title,
  body: claim.body,
  evidence: claim.evidence,
  suggestion: claim.suggestion,
  rule: claim.rule,
});
