import { createNameMatch } from '../../shared/diff/paths/glob-names.ts';
import { AppError } from '../../shared/errors.ts';
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import { failedContexts } from '../../shared/rounds/model/ci.ts';
import type { Run } from '../../shared/rounds/model/run.ts';
import { mustFinish } from '../../shared/rounds/model/run.ts';
import { analyzerOf } from '../../shared/vocabulary/analyzer.ts';
import { withAuthorWords, withRequests } from './author-words.ts';
import { type BriefInput, buildBrief } from './build-brief.ts';
import type { GuardForge } from './deps.ts';
import { type EffectContext, planContext, requireChangeRequest } from './effect-context.ts';
import { saveReports } from './reports/ci-reports.ts';
import { addressedBy, budgetFor, openRequests } from './tell-author.ts';

type More = Pick<BriefInput, 'issues' | 'failedChecks'>;

type Asked = { readonly forge: GuardForge; readonly facts: ChangeRequestFacts };

/** The review can run without this data, so the data is omitted if reading it fails. */
const orNothing = async <Read>(read: Promise<readonly Read[]>, signal: AbortSignal): Promise<readonly Read[]> => {
  try {
    return await read;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return [];
  }
};

/**
 * Makes no request if CI was already read or the forge has reported that nothing failed. Forges that do not report this
 * are asked once, for the first review, because the number of requests per round is limited.
 */
const fetchFailedChecks = async (context: EffectContext, { forge, facts }: Asked): Promise<readonly string[]> => {
  const { of, signal } = context;
  const { ci, history } = context.facts;
  if (ci !== null) return ci.kind === 'failed' ? ci.contexts : [];
  const { hasFailedCi = history.reviewed.length === 0 } = facts;
  if (!hasFailedCi) return [];
  const statuses = await forge.read.fetchStatuses(of, facts.head, signal);
  const isIgnored = createNameMatch(planContext(context).policy.gate.ignoreContexts);
  return failedContexts(statuses.filter(({ context: name, elsewhere }) => elsewhere !== true && !isIgnored(name)));
};

const fetchMore = async (context: EffectContext, asked: Asked): Promise<More> => {
  const { of, signal } = context;
  const { forge, facts } = asked;
  const [issues, failedChecks] = await Promise.all([
    orNothing(forge.issues?.fetchClosedIssues(of, facts, signal) ?? Promise.resolve([]), signal),
    orNothing(fetchFailedChecks(context, asked), signal),
  ]);
  return { issues, failedChecks };
};

/** An answer to people needs only the reports of analyzers that have a thread. */
const fetchReports = async ({ deps, of, facts, signal }: EffectContext, forge: GuardForge, run: Run): Promise<void> => {
  const { ciAnalyzers: analyzers = [], ciReports: store, keys } = deps;
  if (store === undefined || analyzers.length === 0) return;
  const { runId, head } = run;
  const rules = facts.history.threads.flatMap(({ rule, alsoRules = [] }) => [rule, ...alsoRules]);
  const only = run.kind === 'review' ? null : new Set(rules.flatMap((rule) => analyzerOf(rule) ?? []));
  await saveReports({ analyzers, store, keys }, { forge, of, head, runId, only, signal });
};

/** Queue priority of a new review: lower than that of a review that continues with its explorers' answers. */
export const NEW_REVIEW = 2;

export const sendReview = async (context: EffectContext, run: Run): Promise<void> => {
  const { deps, of, signal } = context;
  const facts = requireChangeRequest(context);
  const forge = deps.forges.get(of.forge);
  if (forge === undefined) return;
  const [git, comments] = await Promise.all([forge.read.locateGit(of, signal), forge.read.fetchComments(of, signal)]);
  const { history, botIds, answers } = context.facts;
  const { policy } = planContext(context);
  const more = run.kind === 'review' ? await fetchMore(context, { forge, facts }) : {};
  const own = buildBrief({ run, facts, history, policy, git, comments, botIds, answers, ...more });
  const placed = { of, path: facts.projectPath };
  const accounts = await addressedBy(deps.authorsOutside, placed, history.reviewsDone);
  const requests = await openRequests(deps.authorsOutside, placed, facts.sourceBranch);
  const heads = [run.head, ...history.reviewed.map(({ head }) => head)];
  const brief = withAuthorWords(withRequests(own, requests), accounts, heads);
  await deps.briefs.save(deps.keys.ofRun(run.runId, 'brief'), brief);
  await fetchReports(context, forge, run);
  deps.checkpoint('after-reports');
  const { runId, head, review, attempt } = run;
  const kind = run.kind === 'reply' ? 'reply' : 'review';
  await deps.board?.runs.add(of, { runId, kind, review, attempt, head }, deps.nowMs());
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
  await deps.nameProject?.(of, facts.webUrl);
  if (history.spent !== null) await deps.seedBudget?.(of, runId, history.spent);
  await deps.enqueue('review', job, { jobId: `review-${runId}`, priority: NEW_REVIEW });
};
