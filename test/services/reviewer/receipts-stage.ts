/** Whole reviews of one change by the built-in rules, or with a model that was shown everything and finds nothing. */
import { reviewOnce } from '../../../services/reviewer/review.ts';
import { modelLook } from '../../../services/reviewer/packet/looked.ts';
import type { PacketLimits, PacketRequest } from '../../../services/reviewer/packet/packet.ts';
import type { AnalyzeFiles } from '../../../services/reviewer/rules/analyze-packet.ts';
import { runRules } from '../../../services/reviewer/rules/run-rules.ts';
import type { Runner } from '../../../services/reviewer/run/runner.ts';
import { createRulesRunner } from '../../../services/reviewer/runners/rules.ts';
import type { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { judgeReview, type Judgement } from '../../../shared/rounds/gate/verdict.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { runId } from '../../shared/rounds/builders.ts';
import { request, type ReviewWorld, SCOPE, TASK } from './review-world.ts';

/** The rules beside a model that says nothing. */
export const silentModel: Runner = {
  name: 'agent',
  run: async ({ packet }, signal) => {
    const rules = await runRules(packet, signal);
    const { findings, answers, fixed, omitted } = rules;
    const looked = { rules, model: modelLook([]) };
    const draft = { summary: 'Seen.', findings, answers, fixed, omitted, looked, spent: NOTHING_SPENT, exceeded: null };
    return { kind: 'draft', draft };
  },
};

export type Reviewed = { readonly draft: ReviewDraft; readonly judgement: Judgement };

export type Asked = {
  readonly base: CommitSha;
  readonly head: CommitSha;
  readonly runner?: Runner;
  readonly limits?: Partial<PacketLimits>;
  readonly more?: Partial<PacketRequest>;
  readonly analyze?: AnalyzeFiles;
};

export const reviewBy = async (
  world: ReviewWorld,
  { base, head, runner = createRulesRunner(), limits = {}, more = {}, analyze }: Asked,
): Promise<Reviewed> => {
  const result = await reviewOnce({
    identity: { runId: runId('run'), review: 1, attempt: 1 },
    request: request(base, head, more),
    task: TASK,
    scope: SCOPE,
    source: world.source({ maxFileBytes: 1024 * 1024, ...limits }),
    runner,
    redact: createRedactor([]),
    operatorRules: '',
    analyze,
  });
  if (result.kind !== 'draft') throw new Error(result.kind);
  return { draft: result.draft, judgement: judge(result.draft) };
};

const ROUNDS = {
  max: 3,
  maxRuns: 6,
  maxSilent: 9,
  maxCarried: 9,
  maxComments: 20,
  attempts: 2,
  threadCount: 2,
  duplicateThreshold: 0.6,
};

const judge = (draft: ReviewDraft): Judgement => {
  const history = rebuildHistory({ comments: [], key: 'local', botIds: new Set(), secrets: [] });
  const gated = gate(draft, history, { rounds: ROUNDS });
  const { coverage, exceeded } = draft;
  return judgeReview({ coverage, gated, currentHead: true, ledgerFull: false, exceeded });
};

export const rulesOf = ({ draft }: Reviewed): readonly string[] =>
  draft.findings.map(({ claim }) => `${claim.path}:${claim.line} ${claim.rule}`).toSorted();

export const omittedOf = ({ draft }: Pick<Reviewed, 'draft'>): readonly string[] =>
  draft.coverage.omitted.map(({ path, reason }) => `${path}: ${reason}`);
