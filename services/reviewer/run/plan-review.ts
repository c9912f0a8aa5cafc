/** Plans a review in parts, and decides which parts fit the remaining budget. */
import type { Amount, BudgetAccount, BudgetLedger } from '../../../shared/agent/model/budget.ts';
import type { Meter } from '../../../shared/agent/model/metered-model.ts';
import type { Transcript } from '../../../shared/agent/transcript.ts';
import { type Agent, MOST_PARTS } from '../../../shared/config/agent-settings.ts';
import { transcriptOfPart } from '../../../shared/vocabulary/question.ts';
import type { Transcripts } from '../../../shared/store/transcripts.ts';
import { BudgetScope } from '../../../shared/vocabulary/exceeded.ts';
import type { Packet } from '../packet/packet.ts';
import { type Fit, fitParts, type Fitting } from '../parts/price-parts.ts';
import { partsOf, type ReviewPart } from '../parts/review-parts.ts';
import type { LeftPart } from './merge-parts.ts';
import { maxDiffBytesOf, type ModelReview } from './model-review.ts';

/** Number of parts that are reviewed at the same time. */
export const LANES = 3;

export type PartsPlan = {
  readonly parts: readonly ReviewPart[];
  readonly chosen: readonly ReviewPart[];
  /** Those of `chosen` whose conversation was begun by an earlier execution. */
  readonly begun: ReadonlySet<ReviewPart>;
  readonly left: readonly LeftPart[];
  /** The amount that may be spent on the run. */
  readonly budget: Amount;
  /** The budget that excludes parts, if any part is left out. */
  readonly unfit: 'tokens' | 'money';
};

/** The conversations of a run: one about the whole change, or one about each part. */
export const conversationsOf = async (
  transcripts: Pick<Transcripts, 'load'>,
  runId: string,
): Promise<readonly Transcript[]> => {
  const ids = [runId, ...Array.from({ length: MOST_PARTS }, (_, index) => transcriptOfPart(runId, index + 1))];
  const loaded = await Promise.all(ids.map(async (id) => transcripts.load(id)));
  return loaded.filter((each) => each !== null);
};

/**
 * The total that may be spent on a run. It is not reduced by what the run itself has spent, so that every execution
 * makes the same plan.
 */
const budgetOf = async (ledger: BudgetLedger, account: BudgetAccount): Promise<Amount> => {
  const { limits } = ledger;
  const own = await ledger.spent('run', account);
  let budget: Amount = limits.run;
  for (const scope of BudgetScope.options) {
    const all = scope === 'run' ? own : await ledger.spent(scope, account);
    budget = {
      tokens: Math.min(budget.tokens, limits[scope].tokens - Math.max(0, all.tokens - own.tokens)),
      microUsd: Math.min(budget.microUsd, limits[scope].microUsd - Math.max(0, all.microUsd - own.microUsd)),
    };
  }
  return budget;
};

export const fitReview = (
  parts: readonly ReviewPart[],
  agent: Pick<Agent, 'maxOutputTokens' | 'maxParts'>,
  { price, budget }: Pick<Fitting, 'price' | 'budget'>,
): Fit<ReviewPart> => {
  const { maxOutputTokens, maxParts } = agent;
  return fitParts(parts, { price, budget, maxOutputTokens, maxParts, lanes: LANES });
};

/**
 * The parts of a change for this model's prompt. If there are fewer than two, the change is reviewed in one
 * conversation.
 */
export const reviewPartsOf = (packet: Packet, agent: Agent): readonly ReviewPart[] =>
  partsOf(packet, maxDiffBytesOf(agent));

type Planning = {
  readonly meter: Pick<Meter, 'ledger' | 'account' | 'price'>;
  readonly transcripts: Pick<Transcripts, 'load'>;
  readonly runId: string;
};

/** The text does not mention the budget left, so that a replay gives the same text. */
const LEFT_OUT = 'its part of the change does not fit what one review may spend (`agent.max_parts`, `[budgets.model]`)';

/**
 * Null if the change is reviewed in one conversation. A part that was begun stays in the plan, whatever was spent since
 * then.
 */
export const planReview = async (
  { packet, agent, task }: ModelReview,
  { meter, transcripts, runId }: Planning,
): Promise<PartsPlan | null> => {
  if (task.talk === true || agent.maxParts === 1) return null;
  const parts = reviewPartsOf(packet, agent);
  if (parts.length < 2 || (await transcripts.load(runId)) !== null) return null;
  const budget = await budgetOf(meter.ledger, meter.account);
  const fit = fitReview(parts, agent, { price: meter.price, budget });
  const begun = new Set<ReviewPart>();
  for (const part of parts)
    if ((await transcripts.load(transcriptOfPart(runId, part.number))) !== null) begun.add(part);
  return {
    parts,
    chosen: parts.filter((part) => fit.chosen.includes(part) || begun.has(part)),
    begun,
    left: fit.left.flatMap(({ part }) => (begun.has(part) ? [] : [{ part, reason: LEFT_OUT }])),
    budget,
    unfit: fit.left[0]?.why === 'money' ? 'money' : 'tokens',
  };
};
