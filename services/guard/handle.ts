import type { Handler, JobContext } from '../../shared/queue/worker.ts';
import { type InboxEvent, isBotNoise } from '../../shared/rounds/model/events.ts';
import { isTimerOver } from '../../shared/rounds/decide/decision.ts';
import type { Facts } from '../../shared/rounds/model/facts.ts';
import type { Policy } from '../../shared/rounds/model/policy.ts';
import { withRepositoryCap } from '../../shared/rounds/model/repository-rules.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import { isHandedOver } from '../../shared/rounds/memory/is-handed-over.ts';
import { reconcile, withCounts } from '../../shared/rounds/memory/reconcile.ts';
import type { GuardState } from '../../shared/rounds/model/state.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { Lease } from '../../shared/store/lease.ts';
import { addWakeUp } from '../../shared/queue/add-wake-up.ts';
import type { InboxReading } from '../../shared/queue/inbox.ts';
import { inSpan } from '../../shared/tracing/tracing.ts';
import { runEffects } from './run-effects.ts';
import { fetchDraft, withCi } from './ready-run.ts';
import type { GuardDeps, GuardForge, KnownForge, ProjectRules } from './deps.ts';
import { fetchFacts } from './facts.ts';
import { countDecision, type Decided } from './numbers/count-decision.ts';
import { followTiming } from './numbers/follow-timing.ts';
import { recordsOf, tellDecision } from './numbers/tell-decision.ts';
import { countReactions } from './learning/count-reactions.ts';
import { decideWithReports } from './reports/decide-with-reports.ts';
import { beginLook, isReportedBy, readOnce } from './one-reading.ts';
import { sendPlan } from './send-plan.ts';
import { isHeld, stopForOtherVersion } from './stops/record-stop.ts';
import { underDeathWatch } from './stops/set-aside.ts';
import { withdrawUnvouched } from './stops/withdraw-unvouched.ts';
import type { Sweep } from './sweep/sweep.ts';
import { isOffer, releaseSlot, wake } from './wake.ts';

/** How long a worker waits before it again tries to get a lease that another worker holds. */
const CONTENTION_DELAY_MS = 200;

/** Nothing can be posted before a poster runs, so waiting for a poster delays no post. */
const IDENTITY_DELAY_MS = 1_000;

export const createGuardHandler =
  (deps: GuardDeps, sweep: Sweep): Handler<'guard'> =>
  async (job, context) => {
    if (job.kind === 'sweep') return sweep({ ...context, jobId: context.job.id ?? '' });
    if (job.kind === 'wake_all') {
      await Promise.all(job.wakeUps.map(async (each) => addWakeUp(deps.enqueue, each)));
      return { kind: 'done' };
    }
    if (job.kind === 'event') {
      const { changeRequest, event } = job;
      if (isTimerOver(await deps.states.load(changeRequest), event, deps.nowMs())) return { kind: 'done' };
      await deps.inbox.notify(changeRequest, event);
    }
    return handleChangeRequest(deps, job.changeRequest, context);
  };

const handleChangeRequest = async (
  deps: GuardDeps,
  of: ChangeRequest,
  context: JobContext,
): ReturnType<Handler<'guard'>> => {
  const configured = deps.forges.get(of.forge);
  if (configured === undefined) {
    context.log.warn({ forge: of.forge }, 'event of a forge that is not configured');
    return { kind: 'done' };
  }
  const [held, forge] = await Promise.all([isHeld(deps, of, context), withIdentity(deps, of.forge, configured)]);
  if (held) return { kind: 'done' };
  if (forge === null) {
    context.log.warn({ forge: of.forge }, 'waiting for a poster to publish the posting account');
    return { kind: 'defer', delayMs: IDENTITY_DELAY_MS };
  }
  const { log } = context;
  const stops = {
    ...deps,
    policyOf: (path: string | undefined): Policy => deps.rulesOf?.(of.forge, path).policy ?? deps.policy,
    sendPlan: async (plan: PostPlan) => sendPlan(deps, plan),
    releaseSlot: async () => releaseSlot(deps, of),
  };
  const done = await deps.underLease(of, context.signal, async (lease, leased) =>
    underDeathWatch(stops, { forge, of, lease, log, signal: leased }, async (signal) => {
      const stopped = {
        of,
        lease,
        log,
        releaseSlot: stops.releaseSlot,
        withdraw: async (state: GuardState | null) => withdrawUnvouched(stops, { forge, of, state, signal }),
      };
      await handleUnderLease({ deps, forge, of, lease, signal, log }).catch(async (error: unknown) =>
        stopForOtherVersion(deps, stopped, error),
      );
    }),
  );
  return done?.result === 'done' ? { kind: 'done' } : { kind: 'defer', delayMs: CONTENTION_DELAY_MS };
};

/** Without the posting account, guard could not recognise the bot's own markers and would start over. */
const withIdentity = async (deps: GuardDeps, id: string, forge: GuardForge): Promise<KnownForge | null> => {
  const writer = await deps.identities.load(id);
  if (writer === null) return null;
  return { ...forge, botIds: new Set([...forge.botIds, writer.id]), mention: forge.mention ?? writer.login };
};

type GuardPass = {
  readonly deps: GuardDeps;
  readonly forge: KnownForge;
  readonly of: ChangeRequest;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  readonly log: JobContext['log'];
};

/** Bot events are dropped before any request to the forge, so that they cost nothing. */
const isNoise = (event: InboxEvent, { botIds, otherBots }: KnownForge): boolean =>
  event.source === 'forge' && (isBotNoise(event, botIds) || isBotNoise(event, otherBots.ignored));

/** The decision belongs to the trace of the newest event, and is linked to those of the others. */
const handleUnderLease = async (pass: GuardPass): Promise<void> => {
  const { forge, projectId, number } = pass.of;
  const { inbox, states } = pass.deps;
  const [reading, stored] = await Promise.all([inbox.read(pass.of), states.load(pass.of)]);
  const { traces = [] } = reading;
  const [newest, ...others] = [...new Set(traces.toReversed())];
  const attributes = {
    'fixpoint.forge': forge,
    'fixpoint.project': projectId,
    'fixpoint.change_request': number,
    'fixpoint.events': reading.events.length,
  };
  const parent = newest === undefined ? {} : { parent: newest };
  const wish = { name: 'decide', kind: 'internal', attributes, links: others, ...parent } as const;
  await inSpan(wish, async () => handleReading(pass, reading, stored));
};

const handleReading = async (pass: GuardPass, reading: InboxReading, stored: GuardState | null): Promise<void> => {
  const { deps, of, lease, signal } = pass;
  const events = reading.events.filter((event) => !isNoise(event, pass.forge));
  if (events.length > 0 || (stored?.outbox.length ?? 0) > 0) {
    const { markerSecrets, policy, rulesOf } = deps;
    const policyOf = (path: string | undefined): Policy => rulesOf?.(of.forge, path).policy ?? policy;
    const [forge, hand, remembered] = await Promise.all([
      withOneReading(pass, events),
      beginLook(deps.readings, of),
      deps.summaries.load(deps.keys.ofChangeRequest(of, 'summary')),
    ]);
    const hasAuthorOutside = (path: string | undefined): boolean => deps.authorsOutside.namesOf(of, path).length > 0;
    const seenCommands = stored?.seenCommands ?? null;
    const asked = {
      forge,
      of,
      events,
      seenCommands,
      remembered,
      markerSecrets,
      policy,
      policyOf,
      hasAuthorOutside,
      signal,
    };
    const facts = await fetchFacts({ ...asked, isUnknown: stored === null });
    await remember(pass, facts);
    await noteHead(pass, facts, stored);
    await noteForOthers(pass, facts);
    const forges = new Map([[of.forge, forge]]);
    const handLook = async (plan: PostPlan): Promise<void> => hand(forge.read, plan, signal);
    const rules = rulesFor(pass, facts);
    const capped = withRepositoryCap(rules.policy, facts.history);
    const tightened = { ...pass, deps: { ...deps, ...rules, forges, handLook, policy: capped } };
    const state = await finishLeftovers(tightened, facts, reconcile(stored, facts.history));
    const history = withCounts(facts.history, state);
    const draft = await fetchDraft(deps, { state, events });
    const usesSlot = await decideAndDo({ ...tightened, forge }, { facts: { ...facts, history, draft }, events, state });
    // Otherwise nobody would take the slot before the next review of the project ends.
    if (!usesSlot && events.some(isOffer)) await releaseSlot(tightened.deps, of);
    await countAtEnd({ ...pass, forge }, facts);
  }
  deps.checkpoint('before-trim');
  if (reading.entries > 0) await deps.inbox.trim(of, reading.entries, lease);
  // The wake-ups of these events are used up if their project was paused.
  if (reading.isPart === true) await wake(deps, of);
};

/** A change request that the forge no longer shows needs no rules of its own, because nothing is done for it. */
const rulesFor = ({ deps, of }: GuardPass, { changeRequest }: Facts): ProjectRules => {
  const { rulesOf, policy, runningPerProject, reviewBudget, fixBudget, ciAnalyzers } = deps;
  const own = changeRequest === null ? undefined : rulesOf?.(of.forge, changeRequest.projectPath);
  return own ?? { policy, runningPerProject, reviewBudget, fixBudget, ciAnalyzers };
};

/** `take` removes what the poster has read even if it is not used, because every later event is newer than that reading. */
const withOneReading = async ({ deps, forge, of }: GuardPass, events: readonly InboxEvent[]): Promise<KnownForge> => {
  const handed = await deps.readings.take(of);
  const isFresh = handed !== null && isReportedBy(events, handed);
  return { ...forge, read: readOnce(forge.read, of, isFresh ? handed : null) };
};

/** Reactions are counted last, because reading them may take many requests and nothing waits for them. */
const countAtEnd = async ({ deps, forge, of, log, signal }: GuardPass, { changeRequest }: Facts): Promise<void> => {
  const { reactions, markerSecrets } = deps;
  const { thumbs, botIds, otherBots, read } = forge;
  if (reactions === undefined || thumbs === undefined || changeRequest === null || changeRequest.state === 'open')
    return;
  const fetchComments = async () => read.fetchComments(of, signal);
  const known = { thumbs, botIds, ignored: otherBots.ignored };
  await countReactions(reactions, { of, forge: known, fetchComments, markerSecrets, log, signal });
};

/** Stores the most recent summary ever seen, and keeps it even if it is edited or deleted on the forge. */
const remember = async ({ deps, of }: GuardPass, { history: { summary } }: Facts): Promise<void> => {
  const authorId = summary?.comment.author?.id;
  if (summary === null || authorId === undefined) return;
  const seen = { marker: summary.marker, body: summary.comment.body, authorId };
  await deps.summaries.save(deps.keys.ofChangeRequest(of, 'summary'), seen);
};

/** What other services must know without asking the forge. */
const noteForOthers = async (
  { deps: { authorsOutside, paths }, of }: GuardPass,
  { changeRequest, hasAuthorOutside }: Facts,
): Promise<void> => {
  const path = changeRequest?.projectPath;
  if (path !== undefined) await paths?.save(of, path);
  if (hasAuthorOutside === true) await authorsOutside.branches.save(of, changeRequest?.sourceBranch ?? '');
};

/** Registers the head, so that events that name only a commit are found. A wake event replaces events that arrived before that. */
const noteHead = async (
  { deps, of }: GuardPass,
  { changeRequest }: Facts,
  stored: GuardState | null,
): Promise<void> => {
  if (changeRequest?.state !== 'open' || changeRequest.statusPlace === undefined) return;
  const { head } = changeRequest;
  if (stored?.firstSeen?.head === head || !(await deps.heads.add(of, head))) return;
  const event = { source: 'wake', id: `missed-${head}`, atMs: deps.nowMs() } as const;
  await deps.inbox.notify(of, event);
};

/** Carries out the effects that a crash left undone, in their order, before anything else. */
const finishLeftovers = async (pass: GuardPass, facts: Facts, state: GuardState): Promise<GuardState> => {
  if (state.outbox.length === 0) return state;
  const { deps, of, signal } = pass;
  const { slot } = await runEffects({ deps, of, facts, counts: state, signal }, state.outbox);
  return { ...state, outbox: [], slotHeld: slot ?? state.slotHeld };
};

type Observed = { readonly facts: Facts; readonly events: readonly InboxEvent[]; readonly state: GuardState };

/**
 * Makes at most two passes: the second starts the run for which the first got a slot. Returns whether the change request
 * holds a slot or waits for one.
 */
const decideAndDo = async (pass: GuardPass, observed: Observed): Promise<boolean> => {
  const { deps, forge, of, lease, signal } = pass;
  const { policy, ciAnalyzers: analyzers = [], startedAtMs = 0 } = deps;
  const asked = { ...observed, policy, nowMs: deps.nowMs(), startedAtMs, freshRunId: deps.newRunId() };
  const input = await withCi(deps, asked, { forge, of, signal });
  const decision = await decideWithReports(input, { analyzers, forge, of, signal });
  const { timing, ended } = followTiming(decision.state, { events: observed.events, nowMs: input.nowMs });
  const decided: GuardState = { ...decision.state, timing };
  deps.checkpoint('before-save');
  await deps.states.save(of, decided, lease, recordsOf(observed, decision.steps, deps.nowMs()));
  deps.checkpoint('after-save');
  tellDecision({ of, log: pass.log, metrics: deps.metrics }, observed, decision.steps);
  const counting = countNumbers(pass, observed, { before: observed.state, after: decided, ended });
  const isSwept = observed.events.length > 0 && observed.events.every(({ source }) => source === 'sweep');
  const context = { deps, of, facts: input.facts, counts: decided, isSwept, signal };
  const [{ slot }] = await Promise.all([runEffects(context, decided.outbox), counting]);
  const done: GuardState = { ...decided, outbox: [], slotHeld: slot ?? decided.slotHeld };
  deps.checkpoint('after-commands');
  // The facts are older than what this pass has remembered.
  const seenCommands = done.seenCommands ?? observed.facts.seenCommands;
  const facts = { ...input.facts, seenCommands };
  // The second pass saves the state. If the process ends before that, the effects of the first are carried out again.
  if (slot === true) return decideAndDo(pass, { facts, events: [], state: done });
  await deps.states.save(of, done, lease);
  await deps.board?.note(of, { facts: observed.facts, state: done });
  return done.slotHeld || slot !== null;
};

/** Numbers for the operator. A failure to count is not a failure to decide. */
const countNumbers = async (
  { deps, of, log }: GuardPass,
  { facts, events }: Observed,
  change: Pick<Decided, 'before' | 'after' | 'ended'>,
): Promise<void> => {
  const loadPlan = async (planId: string) => deps.plans.load(deps.keys.plan(planId));
  try {
    await countDecision({ ...deps, loadPlan }, { of, facts, events, ...change });
    await deps.handoffs?.note(of, isHandedOver(facts), deps.nowMs());
  } catch (err) {
    log.warn({ err }, 'a decision could not be counted');
  }
};
