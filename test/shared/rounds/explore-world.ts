/**
 * A small world around the reducers: guard's loop as in `services/guard/handle.ts`, a poster that writes markers, a forge
 * that remembers them. Everything that decides is production code; the world only plays who calls it.
 */
import type { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { Policy } from '../../../shared/rounds/model/policy.ts';
import type { Facts } from '../../../shared/rounds/model/facts.ts';
import type { GateResult } from '../../../shared/rounds/model/gate-result.ts';
import type { History } from '../../../shared/rounds/model/history.ts';
import { findInput, mayBeSameInput } from '../../../shared/rounds/model/input.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { Effect } from '../../../shared/rounds/model/effect.ts';
import type { Run } from '../../../shared/rounds/model/run.ts';
import { withCounts } from '../../../shared/rounds/memory/reconcile.ts';
import { type Counts, countsOf } from '../../../shared/rounds/model/counts.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { BOT_ID, changeRequest, comment, facts, KEY, NOW, policy, SECRET } from './builders.ts';
import { canonical } from './explore-canonical.ts';
import { carriedPlan } from './explore-carry.ts';
import { reportOf } from './explore-fix.ts';
import {
  argued,
  countedWrongly,
  expectedCounts,
  falselyClean,
  heardIdle,
  hungTwice,
  lastRoundUntold,
  numberedTwice,
  resolvedIdle,
  saidTwice,
} from './explore-laws.ts';
import { type Markers, numberOf, oneOf, remembering } from './explore-forge.ts';
import { FRESH, H0 } from './explore-names.ts';
import type { Reducers } from './explore-reducers.ts';
import { write } from './explore-write.ts';

export type World = {
  /** Null after a wipe, until guard looks again. */
  readonly state: GuardState | null;
  /** The markers in the bot's comments: the summary's, those of findings and answers, hand-offs. */
  readonly forge: Markers;
  readonly isOpen: boolean;
  /** The author has pushed, and has not reported it. */
  readonly fixPushed: boolean;
  /** Threads with a word that waits for the bot, and the newest such comment. */
  readonly waiting: { readonly threads: readonly string[]; readonly note: number } | null;
  /** Wipes of Redis still to come. */
  readonly faults: number;
  /** Outages that end a run, and mistakes in the configuration, still to come. */
  readonly outages: number;
  /** Grants that commanders still have in mind. */
  readonly grants: number;
};

/** What a move does that somebody pays for or reads. */
export type Costs = {
  /** Started runs, carried heads included. */
  runs: number;
  /** Reviews that are posted, silent and carried ones included. */
  reviews: number;
  /** Reviews that ask for something, while a round is left. */
  rounds: number;
  fixes: number;
  giveUps: number;
  /** Hand-offs of the present head. */
  handoffs: number;
  /** That are new on the forge, but for those that a human causes beyond every cap. */
  comments: number;
  /** Handlings of the first thread. */
  cycles: number;
  /** Attempts of a round that fail. */
  attempts: number;
  /** After which the present head is another one. */
  pushes: number;
  /** Orders of any kind to poster, reviewer or author. */
  orders: number;
  /** Events that are scheduled, but for those after a clock was set back: the deadlines of worlds are far off. */
  timers: number;
};

export const NO_COSTS: Costs = {
  runs: 0,
  reviews: 0,
  rounds: 0,
  fixes: 0,
  giveUps: 0,
  handoffs: 0,
  comments: 0,
  cycles: 0,
  attempts: 0,
  pushes: 0,
  orders: 0,
  timers: 0,
};

export type Setting = {
  readonly reducers: Reducers;
  readonly policy: Policy;
  /** At most so many findings are raised. */
  readonly threads: number;
  /** What people do beyond pushing. */
  readonly people: readonly ('answer' | 'ask' | 'close' | 'retarget')[];
  /** True: P0 and P1 are claimed without evidence as well. */
  readonly unverified: boolean;
  /** True: the poster may be killed between its comments and the summary. */
  readonly half: boolean;
  /** True: a review may have to wait for a CI job that makes a report. */
  readonly reports: boolean;
};

export type Look = {
  readonly events: readonly InboxEvent[];
  readonly nowMs?: number;
  readonly facts?: Partial<Facts>;
  /** When guard began, by the clock. */
  readonly startedAtMs?: number;
  /** False: the project's slots are taken. */
  readonly slot?: boolean;
  /** What the second pass sees, after it got a slot. Default: what the first has seen. */
  readonly factsThen?: Partial<Facts>;
};

export type Seen = {
  readonly world: World;
  readonly costs: Costs;
  /** What the reducers did that they must never do. */
  readonly broken: readonly string[];
};

export type Scope = {
  readonly threads: number;
  readonly author?: boolean;
  readonly quietMs?: number;
  readonly people?: Setting['people'];
  readonly unverified?: boolean;
  readonly half?: boolean;
  readonly reports?: boolean;
};

export const settingOf = (
  reducers: Reducers,
  rounds: Partial<Policy['rounds']>,
  { threads, author = false, quietMs = 0, people = [], unverified = false, half = false, reports = false }: Scope,
): Setting => ({
  reducers,
  threads,
  people,
  unverified,
  half,
  reports,
  policy: policy(
    { quietMs, author: { enabled: author, projects: [], labels: [], authors: [], timeoutMs: 90_000 } },
    { maxSilent: 1, maxCarried: 0, ...rounds },
  ),
});

export const freshWorld = ({ faults, grants, outages }: Pick<World, 'faults' | 'grants' | 'outages'>): World => ({
  state: null,
  forge: [],
  isOpen: true,
  fixPushed: false,
  waiting: null,
  faults,
  outages,
  grants,
});

const histories = new WeakMap<Reducers, WeakMap<Markers, History>>();

/** From signed comments, as production reads them. The same markers give the same history: remembered by reducers. */
export const historyOf = (reducers: Reducers, forge: Markers): History => {
  const known = histories.get(reducers) ?? new WeakMap<Markers, History>();
  histories.set(reducers, known);
  const of = oneOf(forge);
  const old = known.get(of);
  if (old !== undefined) return old;
  const comments = of.map((payload, index) =>
    comment(signMarker(payload, SECRET), { id: `${index + 1}`, threadId: 'id' in payload ? payload.id : null }),
  );
  const made = reducers.rebuildHistory({ comments, key: KEY, botIds: new Set([BOT_ID]), secrets: [SECRET] });
  known.set(of, made);
  return made;
};

export const factsOf = (setting: Setting, world: World): Facts => {
  const { reducers, policy } = setting;
  const history = withCounts(historyOf(reducers, world.forge), stateOf(setting, world));
  const waits = (id: string): boolean => world.waiting?.threads.includes(id) ?? false;
  return facts({
    changeRequest: changeRequest({ head: H0, state: world.isOpen ? 'open' : 'closed' }),
    history,
    fix: policy.author.enabled ? { inScope: true, branchProtected: false, approved: false, requests: [] } : null,
    answers: history.threads
      .filter(({ id, state }) => state === 'open' && waits(id))
      .map(({ id }) => ({ findingId: id, noteId: world.waiting?.note ?? 0 })),
  });
};

/** Guard's state as it would be read now. */
export const stateOf = ({ reducers }: Setting, world: World): GuardState =>
  reducers.reconcile(world.state, historyOf(reducers, world.forge));

/** Equal for equal worlds, and short. */
export const keyOfWorld = ({ forge, ...rest }: World): string => `${numberOf(forge)} ${JSON.stringify(rest)}`;

/** What guard would read next time: nothing is lost by reading it now. */
export const reread = (setting: Setting, world: World): World => ({ ...world, state: stateOf(setting, world) });

/** One attendance: at most two passes, the second one with the slot that the first one got. */
export const look = (setting: Setting, world: World, at: Look): Seen => {
  const { reducers } = setting;
  let seen: Facts = { ...factsOf(setting, world), ...at.facts };
  const costs = { ...NO_COSTS };
  const broken: string[] = [];
  let state = stateOf(setting, world);
  let forge = world.forge;
  let events = at.events;
  for (const freshRunId of FRESH) {
    const decided = reducers.decide({
      state,
      events,
      facts: seen,
      policy: setting.policy,
      nowMs: at.nowMs ?? NOW,
      startedAtMs: at.startedAtMs ?? 0,
      freshRunId,
    });
    const orders = decided.state.outbox;
    state = { ...decided.state, outbox: [] };
    for (const command of orders) forge = carryOut({ setting, seen, costs, broken }, command, forge);
    if (!orders.some(({ kind }) => kind === 'acquire_slot') || at.slot === false) break;
    state = { ...state, slotHeld: true };
    events = [];
    seen = { ...seen, ...at.factsThen };
  }
  broken.push(...slotForNothing(state));
  return { world: canonical(reread(setting, { ...world, state, forge })), costs, broken };
};

/** A slot that nothing runs in keeps other reviews of the project waiting. */
const slotForNothing = ({ slotHeld, running, fixing }: GuardState): readonly string[] =>
  slotHeld && running === null && fixing === null ? ['a slot is held although nothing runs'] : [];

export type Desk = {
  readonly setting: Setting;
  readonly seen: Facts;
  readonly costs: Costs;
  readonly broken: string[];
};

const INNER: ReadonlySet<Effect['kind']> = new Set(['acquire_slot', 'release_slot', 'schedule']);

/** What needs no answer is written at once; everything else waits for its report. */
const carryOut = (desk: Desk, command: Effect, forge: Markers): Markers => {
  const { setting, seen, costs, broken } = desk;
  if (!INNER.has(command.kind)) costs.orders += 1;
  if (command.kind === 'schedule' && !command.event.id.startsWith('clock-')) costs.timers += 1;
  const context = contextOf(setting, seen);
  const { kind } = command;
  if (kind === 'fix') costs.fixes += 1;
  if (kind === 'give_up') costs.giveUps += 1;
  if (kind === 'post_cap') return write(desk, setting.reducers.buildCapPlan(context, command), forge);
  if (kind === 'post_closed') {
    const plans = setting.reducers.buildClosedPlans(context, command);
    return plans.reduce((markers, plan) => write(desk, plan, markers), forge);
  }
  if (kind === 'review') {
    costs.runs += 1;
    broken.push(...startedWrongly(setting, historyOf(setting.reducers, forge), command.run));
  }
  return forge;
};

const startedWrongly = ({ people }: Setting, history: History, run: Run): readonly string[] => {
  const { summary, reviewed, closed } = history;
  const isAgain = run.kind === 'review' && run.full !== true;
  return [
    ...(summary?.marker.run === run.runId ? [] : ['a run that is not announced on the forge']),
    ...(isAgain && findInput(reviewed, run) !== undefined ? ['an input is reviewed twice'] : []),
    ...(isAgain && !people.includes('ask') && closed.some((known) => mayBeSameInput(known, run))
      ? ['an input is tried after its hand-off']
      : []),
  ];
};

const contextOf = ({ policy: rules }: Setting, { changeRequest: of, history }: Facts) => {
  if (of === null) throw new Error('the world has no change request');
  return { facts: of, history, policy: rules };
};

/** What `decide` makes of a draft that the run in progress hands in. */
export const resultWith = (
  setting: Setting,
  world: World,
  run: Run,
  draft: ReviewDraft,
): ReturnType<Reducers['resultOf']> =>
  setting.reducers.resultOf(run, {
    state: stateOf(setting, world),
    events: [],
    facts: { ...factsOf(setting, world), draft },
    policy: setting.policy,
    nowMs: NOW,
    freshRunId: FRESH[0] ?? run.runId,
  });

/** The poster makes the plan of the present phase true. Plans of rounds are made of the draft that was handed in. */
export const post = (setting: Setting, world: World, draft: ReviewDraft | null): Seen => {
  const seen = factsOf(setting, world);
  const { running: run, fixing } = stateOf(setting, world);
  const context = contextOf(setting, seen);
  const costs = { ...NO_COSTS };
  const desk: Desk = { setting, seen, costs, broken: [] };
  const done = (plan: PostPlan, patch: Partial<World> = {}): Seen => ({
    world: { ...world, ...patch, forge: write(desk, plan, world.forge) },
    costs,
    broken: desk.broken,
  });
  if (fixing !== null) return done(fixPlan(setting, context, fixing));
  if (run === null) return { world, costs, broken: [] };
  const { reducers } = setting;
  const counts = { run, runsUsed: world.state?.runsUsed ?? 0, supersededInRow: world.state?.supersededInRow ?? 0 };
  if (run.phase === 'announcing') {
    return done(
      run.kind === 'reply'
        ? reducers.buildRepliesAnnouncePlan(context, { ...counts, run })
        : reducers.buildAnnouncePlan(context, counts),
    );
  }
  if (run.phase === 'giving_up') return done(parkedPlan(setting, seen, world) ?? giveUpPlan(setting, seen, run));
  if (run.kind === 'review' && run.carried !== undefined) {
    costs.reviews += 1;
    return done(carriedPlan(reducers, context, run));
  }
  if (draft === null) throw new Error('a round is posted without a draft');
  return postReview(desk, world, { run, draft });
};

type Round = { readonly run: Run; readonly draft: ReviewDraft };

type Written = Pick<Seen, 'costs' | 'broken'> & { readonly forge: Markers; readonly countsAfter: Counts | undefined };

const roundsBefore = new WeakMap<ReviewDraft, ReturnType<typeof remembering<Written>>>();

/** The comments of a round without its summary: the poster was killed in between. */
export const postHalf = (setting: Setting, world: World, draft: ReviewDraft): Seen => {
  const { running: run } = stateOf(setting, world);
  if (run === null) throw new Error('no run posts');
  const desk: Desk = { setting, seen: factsOf(setting, world), costs: { ...NO_COSTS }, broken: [] };
  const { plan } = planOf(setting, world, { run, draft });
  const half = { ...plan, summary: null, status: null, replies: [], closures: [], notices: [] };
  return { world: { ...world, forge: write(desk, half, world.forge) }, costs: desk.costs, broken: desk.broken };
};

/** The same round of the same history is written in many worlds. */
const postReview = (desk: Desk, world: World, review: Round): Seen => {
  const before = roundsBefore.get(review.draft) ?? remembering<Written>();
  roundsBefore.set(review.draft, before);
  const key = `${JSON.stringify(review.run)} ${JSON.stringify(countsOf(stateOf(desk.setting, world)))}`;
  const { forge, countsAfter, ...rest } = before(world.forge, key, () => writtenReview(desk, world, review));
  const state = withCountsAfter(world.state, countsAfter);
  return { ...rest, world: { ...world, state, forge, waiting: heardIn(world, review.run) } };
};

const writtenReview = (desk: Desk, world: World, { run, draft }: Round): Written => {
  const { setting, seen, costs, broken } = desk;
  const { plan, gated, countsAfter } = planOf(setting, world, { run, draft });
  const counted = expectedCounts(seen.history, { run, gated, max: setting.policy.rounds.max });
  costs.reviews += run.kind === 'review' ? 1 : 0;
  costs.rounds += counted.roundsUsed - seen.history.roundsUsed;
  const after = write(desk, plan, world.forge);
  return {
    forge: after,
    countsAfter,
    costs,
    broken: [
      ...broken,
      ...saidTwice(seen.history, gated),
      ...falselyClean(seen.history, gated, plan),
      ...argued(gated, draft),
      ...resolvedIdle(gated, draft),
      ...heardIdle(gated, draft),
      ...countedWrongly(counted, plan),
      ...numberedTwice(seen.history, run),
      ...hungTwice(plan),
      ...lastRoundUntold({ run, gated, max: setting.policy.rounds.max }, { plan, after: counted }),
    ],
  };
};

/** Which draft was handed in is chosen when it is posted: guard knew its counts before. */
const withCountsAfter = (state: GuardState | null, countsAfter: Counts | undefined): GuardState | null =>
  state?.running?.kind !== 'review' || countsAfter === undefined
    ? state
    : { ...state, running: { ...state.running, countsAfter } };

/** The plan of the effect that `decide` has ordered for this draft, and what the gate let through. */
const planOf = (
  setting: Setting,
  world: World,
  { run, draft }: Round,
): Pick<Written, 'countsAfter'> & { readonly plan: PostPlan; readonly gated: GateResult } => {
  const { reducers } = setting;
  const result = resultWith(setting, world, run, draft);
  if (result.kind === 'failed') throw new Error(`a draft that was refused is posted: ${result.code}`);
  const effect = result.effectOf(null, { planId: run.planId ?? '', deadlineMs: run.deadlineMs });
  const context = contextOf(setting, factsOf(setting, world));
  if (effect.kind === 'post_review') {
    const { countsAfter } = effect.run;
    return { plan: reducers.buildReviewPlan({ ...context, ...effect, draft }), gated: effect.gated, countsAfter };
  }
  if (effect.kind !== 'post_replies') throw new Error(`a draft leads to ${effect.kind}`);
  const gated = { ...NOTHING_GATED, ...effect };
  return { plan: reducers.buildRepliesPlan({ ...context, ...effect }), gated, countsAfter: undefined };
};

const NOTHING_GATED: GateResult = {
  accepted: [],
  unverified: [],
  dropped: [],
  handled: [],
  left: [],
  standing: [],
  reopened: [],
  raisedAgain: [],
  violations: [],
};

/** A round answers every open thread; a talk everything up to its note. */
const heardIn = ({ waiting }: World, run: Run): World['waiting'] =>
  run.kind !== 'reply' || waiting === null || waiting.note <= run.scope.note ? null : waiting;

/** Of a run that an outage has ended; null for every other. */
const parkedPlan = (setting: Setting, seen: Facts, world: World): PostPlan | null => {
  const { running: run, parked, outages: retry } = stateOf(setting, world);
  if (run === null || parked === null || parked.again || !mayBeSameInput(parked, run)) return null;
  const { code, untilMs } = parked;
  const outage = { what: 'model', retry, untilMs } as const;
  return setting.reducers.buildParkedPlan(contextOf(setting, seen), { run, code, outage });
};

const giveUpPlan = (setting: Setting, seen: Facts, run: Run): PostPlan => {
  const { buildGiveUpPlan, buildRepliesGiveUpPlan } = setting.reducers;
  const context = contextOf(setting, seen);
  return run.kind === 'reply' || run.kind === 'reevaluate'
    ? buildRepliesGiveUpPlan(context, run, { code: 'BROKEN', waiting: seen.answers })
    : buildGiveUpPlan(context, run, { code: 'BROKEN', lastWords: isPosted(seen, run) ? null : 'No review.' });
};

/** What was read as a review leaves no other words. */
const isPosted = ({ history }: Facts, run: Run): boolean =>
  history.reviewed.some((reviewed) => reviewed.review === run.review && mayBeSameInput(reviewed, run));

const fixPlan = (
  setting: Setting,
  context: ReturnType<typeof contextOf>,
  fixing: NonNullable<GuardState['fixing']>,
): PostPlan =>
  fixing.phase === 'announcing'
    ? setting.reducers.buildFixAnnouncePlan(context, fixing)
    : setting.reducers.buildFixEndPlan(context, fixing, reportOf(fixing));
