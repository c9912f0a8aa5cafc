/** The short loop that does what `decide` ordered. Every command may be carried out twice: ids make the second one void. */
import { AppError } from '../../shared/errors.ts';
import type { ChangeRequestFacts } from '../../shared/forge/port.ts';
import { buildAnnouncePlan, buildCapPlan, buildRoundPlan, type PlanContext } from '../../shared/rounds/build-plan.ts';
import { buildAcknowledgePlan } from '../../shared/rounds/acknowledge-plan.ts';
import type { PostJob } from '../../shared/queue/contracts.ts';
import { buildCarriedPlan } from '../../shared/rounds/carried-plan.ts';
import { buildClosedPlans } from '../../shared/rounds/closed-plan.ts';
import { buildOutagePlan } from '../../shared/rounds/outage-plan.ts';
import type { InboxEvent } from '../../shared/rounds/events.ts';
import type { Facts } from '../../shared/rounds/facts.ts';
import { buildAnswerPlan } from '../../shared/rounds/answer-plan.ts';
import { withGrants } from '../../shared/rounds/grants.ts';
import { buildStatusPlan } from '../../shared/rounds/follow-place.ts';
import { gate, gateTalk } from '../../shared/rounds/gate.ts';
import { type RepositoryRules, withDraftCap } from '../../shared/rounds/repository-rules.ts';
import type { PostPlan } from '../../shared/rounds/post-plan.ts';
import type { Command, Fix, GuardState, Run } from '../../shared/rounds/state.ts';
import type { ChangeRequest } from '../../shared/rounds/vocabulary.ts';
import { buildFixAnnouncePlan, buildFixEndPlan, buildFixRefusalPlan } from '../../shared/rounds/fix-plan.ts';
import { buildTalkAnnouncePlan, buildTalkPlan } from '../../shared/rounds/talk-plan.ts';
import { buildWithdrawPlan } from '../../shared/rounds/withdraw-approval.ts';
import { meaningOf } from '../../shared/store/inbox.ts';
import { withAuthorWords, withRequests } from './author-words.ts';
import { buildBrief } from './build-brief.ts';
import type { GuardDeps } from './deps.ts';
import { planToGiveUp } from './give-up.ts';
import { loadDraft } from './load-draft.ts';
import { sendFix } from './send-fix.ts';
import { addressedBy, budgetFor, openRequests, tellAuthor } from './tell-author.ts';

export type Errand = {
  readonly of: ChangeRequest;
  readonly facts: Facts;
  /** As decided, whether the forge shows it already or not. */
  readonly counts: Pick<GuardState, 'granted' | 'pauses'>;
  readonly signal: AbortSignal;
};

/** Whether a slot was asked for and granted; null when none was asked for. */
export type Outcome = { readonly slot: boolean | null };

export const carryOut = async (deps: GuardDeps, errand: Errand, commands: readonly Command[]): Promise<Outcome> => {
  let slot: boolean | null = null;
  for (const command of slotFirst(commands)) {
    errand.signal.throwIfAborted();
    deps.checkpoint(`before-${command.kind}`);
    if (command.kind === 'acquire_slot')
      slot = await deps.slots.acquire(errand.of, deps.runningPerProject, deps.nowMs());
    else if (!(slot === true && isMereStatus(command))) await carryOutOne(deps, errand, command);
  }
  return { slot };
};

const slotFirst = (commands: readonly Command[]): readonly Command[] => {
  const isSlot = ({ kind }: Command): boolean => kind === 'acquire_slot';
  return [...commands.filter(isSlot), ...commands.filter((command) => !isSlot(command))];
};

/** With a slot the run is announced at once, which says more than that the trigger was seen. A reaction is still due. */
const isMereStatus = (command: Command): boolean => command.kind === 'acknowledge' && command.noteId === null;

const carryOutOne = async (
  deps: GuardDeps,
  errand: Errand,
  command: Exclude<Command, { kind: 'acquire_slot' }>,
): Promise<void> => {
  if (isPlanned(command)) return sendPlans(deps, plansOf(planContext(deps, errand), command));
  switch (command.kind) {
    case 'review':
      return sendReview(deps, errand, command.run);
    case 'post_round':
      return sendRound(deps, errand, command);
    case 'give_up':
      return giveUp(deps, errand, command);
    case 'fix':
      return sendFix(deps, { fix: command.fix, ...planContext(deps, errand) }, errand.signal);
    case 'tell_fix':
      return tellFix(deps, errand, command.fix);
    case 'schedule':
      return deliver(deps, errand.of, command.event, command.delayMs);
    case 'resume_review':
      return deps.resumeReview(command.runId);
    case 'tell_author':
      return tellAuthor(deps.authorsOutside, planContext(deps, errand), command);
    case 'release_slot':
      return releaseSlot(deps, errand.of);
    default:
      return command satisfies never;
  }
};

/** Commands that are plans, made of nothing but what the forge shows. */
const PLANNED = [
  'acknowledge',
  'announce',
  'post_cap',
  'post_closed',
  'withdraw_approval',
  'write_status',
  'announce_fix',
  'refuse_fix',
  'answer',
  'tell_outage',
] as const;
type Planned = Extract<Command, { readonly kind: (typeof PLANNED)[number] }>;

const isPlanned = (command: Command): command is Planned => PLANNED.some((kind) => kind === command.kind);

const plansOf = (context: PlanContext, command: Planned): readonly PostPlan[] => {
  switch (command.kind) {
    case 'acknowledge':
      return [buildAcknowledgePlan(context, command)];
    case 'announce':
      return [announcement(context, command)];
    case 'post_cap':
      return [buildCapPlan(context, command)];
    case 'post_closed':
      return buildClosedPlans(context, command);
    case 'withdraw_approval':
      return [buildWithdrawPlan(context, command)];
    case 'write_status':
      return [buildStatusPlan(context, command)];
    case 'announce_fix':
      return [buildFixAnnouncePlan(context, command.fix)];
    case 'refuse_fix':
      return [buildFixRefusalPlan(context, command)];
    case 'answer':
      return [buildAnswerPlan(context, command)];
    case 'tell_outage':
      return [buildOutagePlan(context, command)];
    default:
      return command satisfies never;
  }
};

const sendPlans = async (deps: GuardDeps, plans: readonly PostPlan[]): Promise<void> => {
  for (const plan of plans) await sendPlan(deps, plan);
};

const announcement = (context: PlanContext, command: Command & { readonly kind: 'announce' }): PostPlan =>
  command.run.talk === undefined ? buildAnnouncePlan(context, command) : buildTalkAnnouncePlan(context, command);

const requireFacts = ({ facts, of }: Errand): ChangeRequestFacts => {
  if (facts.changeRequest === null) throw new ChangeRequestGoneError(of);
  return facts.changeRequest;
};

export class ChangeRequestGoneError extends AppError {
  constructor(of: ChangeRequest) {
    super({
      code: 'CHANGE_REQUEST_GONE',
      message: 'the forge no longer shows this change request',
      disposition: { kind: 'drop' },
      fields: { forge: of.forge, project: of.projectId, changeRequest: of.number },
    });
  }
}

const planContext = (deps: GuardDeps, errand: Errand, read?: RepositoryRules): PlanContext => ({
  facts: requireFacts(errand),
  mention: errand.facts.mention,
  history: errand.facts.history,
  policy: withGrants(withDraftCap(deps.policy, read), errand.counts.granted),
  counts: errand.counts,
});

/** Every planned part is one write; a part whose outcome was unknown may cost a few more. */
const WRITES_PER_PART = 5;
const POST_RUNTIME_S = 600;

const postBudget = (plan: PostPlan): PostJob['budget'] => ({
  maxWrites:
    WRITES_PER_PART * (plan.inline.length + plan.replies.length + plan.closures.length + plan.notices.length + 2),
  maxRuntimeS: POST_RUNTIME_S,
});

/** A plan that was made once is not made again: the forge may show half of it already. */
const sendPlan = async (deps: GuardDeps, plan: PostPlan): Promise<void> => {
  const key = deps.keys.plan(plan.planId);
  if ((await deps.plans.load(key)) === null) {
    await deps.plans.save(key, plan);
    await deps.handLook?.(plan);
  }
  const { changeRequest, runId, planId } = plan;
  await deps.enqueue(
    'post',
    { v: 1, changeRequest, runId, planId, budget: postBudget(plan) },
    { jobId: `post-${planId}` },
  );
};

/** Behind those that resume with their explorers' answers. */
const NEW_REVIEW = 2;

const sendReview = async (deps: GuardDeps, errand: Errand, run: Run): Promise<void> => {
  const facts = requireFacts(errand);
  const forge = deps.forges.get(errand.of.forge);
  if (forge === undefined) return;
  const [git, comments] = await Promise.all([
    forge.read.locateGit(errand.of, errand.signal),
    forge.read.fetchComments(errand.of, errand.signal),
  ]);
  const { history, botIds, answers } = errand.facts;
  const { policy } = planContext(deps, errand);
  const own = buildBrief({ run, facts, history, policy, git, comments, botIds, answers });
  const accounts = await addressedBy(deps.authorsOutside, errand.of, history.roundsDone);
  const requests = await openRequests(deps.authorsOutside, errand.of, facts.sourceBranch);
  const brief = withAuthorWords(withRequests(own, requests), accounts, [
    run.head,
    ...history.reviewed.map(({ head }) => head),
  ]);
  await deps.briefs.save(deps.keys.ofRun(run.runId, 'brief'), brief);
  const { runId, head, round, attempt, mustFinish } = run;
  const job = {
    v: 1 as const,
    changeRequest: errand.of,
    runId,
    head,
    round,
    attempt,
    mustFinish,
    budget: budgetFor(requests, deps.reviewBudget),
  };
  if (history.spent !== null) await deps.seedBudget?.(errand.of, runId, history.spent);
  await deps.enqueue('review', job, { jobId: `review-${runId}`, priority: NEW_REVIEW });
};

const tellFix = async (deps: GuardDeps, errand: Errand, fix: Fix): Promise<void> => {
  const report = await deps.fixReports.load(deps.keys.ofRun(fix.runId, 'fix-report'));
  return sendPlan(deps, buildFixEndPlan(planContext(deps, errand), fix, report));
};

/** A draft that breaks the protocol, or is gone, is a failed attempt: nothing of it is posted. */
const sendRound = async (
  deps: GuardDeps,
  errand: Errand,
  { run, ci }: Command & { readonly kind: 'post_round' },
): Promise<void> => {
  const context = planContext(deps, errand);
  if (run.carried !== undefined) {
    const plan = buildCarriedPlan(context, { run, carried: run.carried, ci });
    return plan === null ? failPlan(deps, errand, run, 'NOTHING_TO_CARRY') : sendPlan(deps, plan);
  }
  const draft = await loadDraft(deps, run);
  if (draft === null) return failPlan(deps, errand, run, 'DRAFT_MISSING');
  const { history, policy } = context;
  const { talk } = run;
  const now = planContext(deps, errand, draft.repository);
  const gated =
    talk === undefined ? gate(draft, history, policy, now.policy) : gateTalk(draft, history, { policy, talk });
  if (gated.violations.length > 0) return failPlan(deps, errand, run, 'PROTOCOL_VIOLATION');
  const outcome = { run, draft, gated, ci };
  return sendPlan(
    deps,
    talk === undefined ? buildRoundPlan({ ...now, ...outcome }) : buildTalkPlan({ ...context, ...outcome }),
  );
};

const giveUp = async (deps: GuardDeps, errand: Errand, command: Command & { readonly kind: 'give_up' }) =>
  sendPlan(
    deps,
    await planToGiveUp(deps, { context: planContext(deps, errand), answers: errand.facts.answers, command }),
  );

const failPlan = async (deps: GuardDeps, errand: Errand, run: Run, code: string): Promise<void> => {
  const planId = `${run.runId}-round`;
  const id = `failed-${planId}`;
  await deliver(deps, errand.of, {
    source: 'post',
    id,
    atMs: deps.nowMs(),
    runId: run.runId,
    planId,
    outcome: 'failed',
    code,
  });
};

const releaseSlot = async (deps: GuardDeps, of: ChangeRequest): Promise<void> => {
  const next = await deps.slots.release(of);
  if (next !== null) await wake(deps, next);
};

/** The slot is free for `next`: it looks again and takes it. */
export const wake = async (deps: GuardDeps, next: ChangeRequest): Promise<void> => {
  const nowMs = deps.nowMs();
  await deliver(deps, next, { source: 'wake', id: `slot-${nowMs}`, atMs: nowMs });
};

const deliver = async (deps: GuardDeps, of: ChangeRequest, event: InboxEvent, delayMs?: number): Promise<void> => {
  const delivery = { changeRequest: of, event, meaning: meaningOf(of, event.id), deliveryId: null };
  await deps.inbox.deliver(delayMs === undefined ? delivery : { ...delivery, delayMs });
};
