import type { Handler, JobContext } from '../../shared/queue/worker.ts';
import { isBotNoise } from '../../shared/rounds/bot-events.ts';
import { decide } from '../../shared/rounds/decide.ts';
import type { Step } from '../../shared/rounds/decision.ts';
import type { InboxEvent } from '../../shared/rounds/events.ts';
import type { Facts } from '../../shared/rounds/facts.ts';
import { withRepositoryCap } from '../../shared/rounds/repository-rules.ts';
import type { PostPlan } from '../../shared/rounds/post-plan.ts';
import { reconcile } from '../../shared/rounds/reconcile.ts';
import type { GuardState } from '../../shared/rounds/state.ts';
import type { ChangeRequest } from '../../shared/rounds/vocabulary.ts';
import { meaningOf } from '../../shared/store/inbox.ts';
import type { Lease } from '../../shared/store/lease.ts';
import { carryOut } from './carry-out.ts';
import { fetchCi } from './ci-facts.ts';
import type { GuardDeps, GuardForge, KnownForge } from './deps.ts';
import { fetchFacts } from './facts.ts';
import { beginLook, isReportedBy, readOnce } from './one-reading.ts';
import type { Sweep } from './sweep.ts';

/** How long a worker that finds the lock taken waits before it looks again. */
const CONTENTION_DELAY_MS = 200;

/** Nothing can be announced before a poster runs, so nothing is lost by waiting for one. */
const IDENTITY_DELAY_MS = 1_000;

export const createGuardHandler =
  (deps: GuardDeps, sweep: Sweep): Handler<'guard'> =>
  async (job, context) => {
    if (job.kind === 'sweep') return sweep({ ...context, jobId: context.job.id ?? '' });
    if (job.kind === 'event') {
      const { changeRequest, event } = job;
      await deps.inbox.deliver({ changeRequest, event, meaning: meaningOf(changeRequest, event.id), deliveryId: null });
    }
    return attend(deps, job.changeRequest, context);
  };

const attend = async (deps: GuardDeps, of: ChangeRequest, context: JobContext): ReturnType<Handler<'guard'>> => {
  const configured = deps.forges.get(of.forge);
  if (configured === undefined) {
    context.log.warn({ forge: of.forge }, 'event of a forge that is not configured');
    return { kind: 'done' };
  }
  const forge = await withIdentity(deps, of.forge, configured);
  if (forge === null) {
    context.log.warn({ forge: of.forge }, 'waiting for a poster to publish the posting account');
    return { kind: 'defer', delayMs: IDENTITY_DELAY_MS };
  }
  const held = await deps.underLease(of, context.signal, async (lease, signal) =>
    attendUnderLease({ deps, forge, of, lease, signal, log: context.log }),
  );
  return held === null ? { kind: 'defer', delayMs: CONTENTION_DELAY_MS } : { kind: 'done' };
};

/** Without it guard would take the bot's own markers for a stranger's and start over. */
const withIdentity = async (deps: GuardDeps, id: string, forge: GuardForge): Promise<KnownForge | null> => {
  const writer = await deps.identities.load(id);
  if (writer === null) return null;
  return { ...forge, botIds: new Set([...forge.botIds, writer.id]), mention: forge.mention ?? writer.login };
};

type Attendance = {
  readonly deps: GuardDeps;
  readonly forge: KnownForge;
  readonly of: ChangeRequest;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  readonly log: JobContext['log'];
};

/** What bots say is dropped before any call of the forge: it must not cost anything. */
const isNoise = (event: InboxEvent, { botIds, otherBots }: KnownForge): boolean =>
  event.source === 'forge' && (isBotNoise(event, botIds) || isBotNoise(event, otherBots.ignored));

const attendUnderLease = async (attendance: Attendance): Promise<void> => {
  const { deps, of, lease, signal } = attendance;
  const reading = await deps.inbox.read(of);
  const events = reading.events.filter((event) => !isNoise(event, attendance.forge));
  const stored = await deps.states.load(of);
  if (events.length > 0 || (stored?.outbox.length ?? 0) > 0) {
    const { markerSecrets, policy } = deps;
    const forge = await withOneReading(attendance, events);
    const hand = await beginLook(deps.readings, of);
    const hasAuthorOutside = deps.authorsOutside.namesOf(of).length > 0;
    const heard = stored?.heard ?? null;
    const remembered = await deps.summaries.load(deps.keys.ofChangeRequest(of, 'summary'));
    const asked = { forge, of, events, heard, remembered, markerSecrets, policy, hasAuthorOutside, signal };
    const facts = await fetchFacts(asked);
    await remember(attendance, facts);
    await noteHead(attendance, facts, stored);
    if (hasAuthorOutside) await deps.authorsOutside.branches.save(of, facts.changeRequest?.sourceBranch ?? '');
    const forges = new Map([[of.forge, forge]]);
    const handLook = async (plan: PostPlan): Promise<void> => hand(forge.read, plan, signal);
    const capped = withRepositoryCap(policy, facts.history);
    const tightened = { ...attendance, deps: { ...deps, forges, handLook, policy: capped } };
    const state = await finishLeftovers(tightened, facts, reconcile(stored, facts.history));
    const ci = await fetchCi(tightened.deps, { forge, of, state, facts, events, signal });
    await decideAndDo(tightened, { facts: { ...facts, ci }, events, state });
  }
  deps.checkpoint('before-trim');
  if (reading.entries > 0) await deps.inbox.trim(of, reading.entries, lease);
};

/** A reading that is not used is gone: whatever happens next is newer than it. */
const withOneReading = async ({ deps, forge, of }: Attendance, events: readonly InboxEvent[]): Promise<KnownForge> => {
  const handed = await deps.readings.take(of);
  const isFresh = handed !== null && isReportedBy(events, handed);
  return { ...forge, read: readOnce(forge.read, of, isFresh ? handed : null) };
};

/** The furthest one that was ever seen, whatever becomes of it on the forge. */
const remember = async ({ deps, of }: Attendance, { history: { summary } }: Facts): Promise<void> => {
  const authorId = summary?.comment.author?.id;
  if (summary === null || authorId === undefined) return;
  const seen = { marker: summary.marker, body: summary.comment.body, authorId };
  await deps.summaries.save(deps.keys.ofChangeRequest(of, 'summary'), seen);
};

/** Events that name the commit alone find it now; one that came before is made up for. */
const noteHead = async (
  { deps, of }: Attendance,
  { changeRequest }: Facts,
  stored: GuardState | null,
): Promise<void> => {
  if (changeRequest?.state !== 'open' || changeRequest.statusPlace === undefined) return;
  const { head } = changeRequest;
  if (stored?.firstSeen?.head === head || !(await deps.heads.add(of, head))) return;
  const event = { source: 'wake', id: `missed-${head}`, atMs: deps.nowMs() } as const;
  await deps.inbox.deliver({ changeRequest: of, event, meaning: meaningOf(of, event.id), deliveryId: null });
};

/** What a crash left undone comes first, in its old order. */
const finishLeftovers = async (attendance: Attendance, facts: Facts, state: GuardState): Promise<GuardState> => {
  if (state.outbox.length === 0) return state;
  const { deps, of, signal } = attendance;
  const { slot } = await carryOut(deps, { of, facts, counts: state, signal }, state.outbox);
  return { ...state, outbox: [], slotHeld: slot ?? state.slotHeld };
};

type Matter = { readonly facts: Facts; readonly events: readonly InboxEvent[]; readonly state: GuardState };

/** At most two passes: the second one starts the run for which the first one got a slot. */
const decideAndDo = async (attendance: Attendance, matter: Matter): Promise<void> => {
  const { deps, of, lease, signal } = attendance;
  const { policy } = deps;
  const { startedAtMs = 0 } = deps;
  const input = { ...matter, policy, nowMs: deps.nowMs(), startedAtMs, freshRunId: deps.newRunId() };
  const decision = decide(input);
  deps.checkpoint('before-save');
  await deps.states.save(of, decision.state, lease);
  deps.checkpoint('after-save');
  await record(attendance, matter, decision.steps);
  const { slot } = await carryOut(
    deps,
    { of, facts: matter.facts, counts: decision.state, signal },
    decision.state.outbox,
  );
  const done: GuardState = { ...decision.state, outbox: [], slotHeld: slot ?? decision.state.slotHeld };
  deps.checkpoint('after-commands');
  await deps.states.save(of, done, lease);
  if (slot === true) await decideAndDo(attendance, { ...matter, events: [], state: done });
};

const record = async (
  { deps, of, log }: Attendance,
  { facts, events }: Matter,
  steps: readonly Step[],
): Promise<void> => {
  const head = facts.changeRequest?.head ?? null;
  const bindings = { forge: of.forge, project: of.projectId, changeRequest: of.number, headSha: head };
  for (const { command, reason } of steps) {
    deps.metrics.decisions.inc({ command });
    log.info({ ...bindings, command, reason }, 'decided');
  }
  const kinds = events.map((event) => ('kind' in event ? `${event.source}:${event.kind}` : event.source));
  const atMs = deps.nowMs();
  await deps.decisions.append(
    of,
    steps.map(({ command, reason }) => ({ atMs, command, reason, head, events: kinds })),
  );
};
