import type { Run } from '../../shared/rounds/model/run.ts';
import { mustFinish } from '../../shared/rounds/model/run.ts';
import { withAuthorWords, withRequests } from './author-words.ts';
import { buildBrief } from './build-brief.ts';
import { type EffectContext, planContext, requireChangeRequest } from './effect-context.ts';
import { addressedBy, budgetFor, openRequests } from './tell-author.ts';

/** Queue priority of a new review: lower than that of a review that continues with its explorers' answers. */
const NEW_REVIEW = 2;

export const sendReview = async (context: EffectContext, run: Run): Promise<void> => {
  const { deps, of, signal } = context;
  const facts = requireChangeRequest(context);
  const forge = deps.forges.get(of.forge);
  if (forge === undefined) return;
  const [git, comments] = await Promise.all([forge.read.locateGit(of, signal), forge.read.fetchComments(of, signal)]);
  const { history, botIds, answers } = context.facts;
  const { policy } = planContext(context);
  const own = buildBrief({ run, facts, history, policy, git, comments, botIds, answers });
  const accounts = await addressedBy(deps.authorsOutside, of, history.reviewsDone);
  const requests = await openRequests(deps.authorsOutside, of, facts.sourceBranch);
  const heads = [run.head, ...history.reviewed.map(({ head }) => head)];
  const brief = withAuthorWords(withRequests(own, requests), accounts, heads);
  await deps.briefs.save(deps.keys.ofRun(run.runId, 'brief'), brief);
  const { runId, head, review, attempt } = run;
  const job = {
    v: 1 as const,
    changeRequest: of,
    runId,
    head,
    review,
    attempt,
    mustFinish: mustFinish(run),
    budget: budgetFor(requests, deps.reviewBudget),
  };
  if (history.spent !== null) await deps.seedBudget?.(of, runId, history.spent);
  await deps.enqueue('review', job, { jobId: `review-${runId}`, priority: NEW_REVIEW });
};
