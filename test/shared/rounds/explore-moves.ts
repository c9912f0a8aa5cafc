/** Everything that can happen to a change request next: what machines do by themselves, and what people do. */
import type { ForgeEvent, InboxEvent, OutageEvent } from '../../../shared/rounds/model/events.ts';
import { countsOf, stageOf } from '../../../shared/rounds/model/counts.ts';
import { carriedBy, type Run } from '../../../shared/rounds/model/run.ts';
import type { Fix } from '../../../shared/rounds/model/fixes.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { BOT_ID, forgeEvent, NOW, OTHER_BOT_ID, request, runEvent } from './builders.ts';
import { canonical, CALM_MS, OVERDUE_MS } from './explore-canonical.ts';
import { carriedReport } from './explore-carry.ts';
import { type Handed, handedIn } from './explore-drafts.ts';
import { remembering } from './explore-forge.ts';
import type { Move } from './explore-graph.ts';
import { CLOSED, H0, HEAD, NEW, NEW_NOTE, OLD, PAST, UNSEEN } from './explore-names.ts';
import {
  type Costs,
  factsOf,
  historyOf,
  look,
  type Look,
  NO_COSTS,
  post,
  postHalf,
  reread,
  resultWith,
  type Seen,
  type Setting,
  stateOf,
  type World,
} from './explore-world.ts';

/** `human` moves may go on for ever; all others must come to rest. */
export type Step = Move<World> & {
  readonly weights: Costs;
  readonly human: boolean;
  readonly broken: readonly string[];
};

type Scene = { readonly setting: Setting; readonly world: World; readonly state: GuardState };

export const stepsOf = (setting: Setting, world: World): readonly Step[] => {
  const scene: Scene = { setting, world, state: stateOf(setting, world) };
  return [
    ...runSteps(scene),
    ...outageSteps(scene),
    ...fixSteps(scene),
    ...noiseSteps(scene),
    ...reportSteps(scene),
    ...faultSteps(scene),
    ...humanSteps(scene),
  ];
};

const step = (label: string, { world, costs, broken }: Seen, human = false): Step => ({
  label,
  to: world,
  weights: costs,
  human,
  broken: broken.map((what) => `${label}: ${what}`),
});

const hear = ({ setting, world }: Scene, label: string, at: Look, human = false): Step =>
  step(label, look(setting, world, at), human);

/** An attempt to review; answers in threads and comparisons have none. */
const failing = ({ state: { running } }: Scene, failed: Step): Step =>
  running === null || running.phase === 'giving_up' || running.kind !== 'review'
    ? failed
    : { ...failed, weights: { ...failed.weights, attempts: 1 } };

const pushing = (pushed: Step): Step => ({ ...pushed, weights: { ...pushed.weights, pushes: 1 } });

/** First the poster writes, then guard hears of it. */
const posted = (scene: Scene, handed: Handed | null, outcome: 'posted' | 'overdue'): Seen => {
  const { setting, world, state } = scene;
  const written = post(setting, world, handed?.draft ?? null);
  const seen = look(setting, written.world, outcome === 'posted' ? { events: [postReport(state, 'posted')] } : OVERDUE);
  return { world: seen.world, costs: sum(written.costs, seen.costs), broken: [...written.broken, ...seen.broken] };
};

const sum = (one: Costs, other: Costs): Costs => {
  const total = { ...NO_COSTS };
  for (const key of Object.keys(total))
    Reflect.set(total, key, Number(Reflect.get(one, key)) + Number(Reflect.get(other, key)));
  return total;
};

const WAKE: InboxEvent = { source: 'wake', id: 'wake', atMs: NOW };
const OVERDUE: Look = { events: [WAKE], nowMs: OVERDUE_MS };

const postReport = ({ running, fixing }: GuardState, outcome: 'posted' | 'head_moved' | 'failed'): InboxEvent => ({
  source: 'post',
  id: outcome,
  atMs: NOW,
  runId: fixing?.runId ?? running?.runId ?? OLD,
  planId: fixing?.planId ?? running?.planId ?? '',
  outcome,
  code: outcome === 'failed' ? 'BROKEN' : null,
});

const runSteps = (scene: Scene): readonly Step[] => {
  const { running: run, fixing } = scene.state;
  if (run === null || fixing !== null) return [];
  switch (run.phase) {
    case 'announcing':
    case 'giving_up':
      return [...writtenSteps(scene, null), failing(scene, unreportedStep(scene, null)), ...unwrittenSteps(scene)];
    case 'reviewing':
      return reviewingSteps(scene, run);
    case 'waiting_ci':
      return [];
    case 'posting':
      return carriedBy(run) === undefined ? postingSteps(scene, draftsOf(scene, run).legal) : carryingSteps(scene);
    default:
      return run.phase satisfies never;
  }
};

const writtenSteps = (scene: Scene, handed: Handed | null): readonly Step[] => {
  const what = `${phaseOf(scene.state)}${handed === null ? '' : ` (${handed.label})`}`;
  return [step(`${what} is posted`, posted(scene, handed, 'posted'))];
};

/** The poster was killed between the last write and its report. */
const unreportedStep = (scene: Scene, handed: Handed | null): Step =>
  step(`${phaseOf(scene.state)} is posted, its report is lost`, posted(scene, handed, 'overdue'));

/** Its attempt fails, and the next one finds its comments. */
const halfStep = (scene: Scene, { label, draft }: Handed): Step => {
  const written = postHalf(scene.setting, scene.world, draft);
  const seen = look(scene.setting, written.world, OVERDUE);
  const broken = [...written.broken, ...seen.broken];
  return failing(
    scene,
    step(`posting (${label}) is half done`, { world: seen.world, costs: sum(written.costs, seen.costs), broken }),
  );
};

const phaseOf = ({ running, fixing }: GuardState): string => fixing?.phase ?? running?.phase ?? 'nothing';

const unwrittenSteps = (scene: Scene): readonly Step[] => [
  hear(scene, `${phaseOf(scene.state)} finds another head`, { events: [postReport(scene.state, 'head_moved')] }),
  failing(scene, hear(scene, `${phaseOf(scene.state)} fails`, { events: [postReport(scene.state, 'failed')] })),
  failing(scene, hear(scene, `${phaseOf(scene.state)} is overdue`, OVERDUE)),
];

const postingSteps = (scene: Scene, legal: readonly Handed[]): readonly Step[] => [
  ...legal.flatMap((handed) => writtenSteps(scene, handed)),
  ...legal.slice(-1).map((handed) => unreportedStep(scene, handed)),
  ...legal
    .filter(({ draft }) => scene.setting.half && draft.findings.length > 0)
    .map((handed) => halfStep(scene, handed)),
  ...unwrittenSteps(scene),
];

const carryingSteps = (scene: Scene): readonly Step[] => [
  ...writtenSteps(scene, null),
  unreportedStep(scene, null),
  ...unwrittenSteps(scene),
];

const reviewingSteps = (scene: Scene, run: Run): readonly Step[] => {
  const { legal, illegal, taken } = draftsOf(scene, run);
  const drafted = (handed: Handed | undefined): Look => ({
    events: [runEvent(run, 'drafted')],
    facts: { draft: handed?.draft ?? null },
  });
  return [
    hear(scene, 'a draft', drafted(legal[0])),
    failing(scene, hear(scene, 'a draft that is gone', drafted(undefined))),
    ...(illegal.length === 0
      ? []
      : [failing(scene, hear(scene, `a refused draft (${illegal[0]?.label})`, drafted(illegal[0])))]),
    ...carriedSteps(scene, run),
    ...taken.map((handed) => ({
      ...hear(scene, handed.label, drafted(handed)),
      broken: [`${handed.label} is taken`],
    })),
    hear(scene, 'the run is superseded', { events: [runEvent(run, 'superseded')] }),
    failing(scene, hear(scene, 'the run is failed', { events: [runEvent(run, 'failed')] })),
    failing(scene, hear(scene, 'the run is overdue', OVERDUE)),
  ];
};

/** Git says that the head is the last reviewed one on a newer base. */
const carriedSteps = (scene: Scene, run: Run): readonly Step[] => {
  const { setting, world } = scene;
  const report = carriedReport(run, factsOf(setting, world).history, setting.policy.rounds.maxCarried);
  return report === null ? [] : [hear(scene, 'the same input', { events: [report] })];
};

type Drafts = {
  readonly legal: readonly Handed[];
  readonly illegal: readonly Handed[];
  readonly taken: readonly Handed[];
};

const draftsBefore = new WeakMap<Setting, ReturnType<typeof remembering<Drafts>>>();

const draftsOf = (scene: Scene, run: Run): Drafts => {
  const before = draftsBefore.get(scene.setting) ?? remembering<Drafts>();
  draftsBefore.set(scene.setting, before);
  const counts = JSON.stringify(countsOf(scene.state));
  return before(scene.world.forge, `${JSON.stringify(run)} ${counts}`, () => judgedDrafts(scene, run));
};

/** `decide` itself says which drafts are taken; what breaks the protocol must never be. */
const judgedDrafts = ({ setting, world }: Scene, run: Run): Drafts => {
  const { openThreads, threadsInScope } = setting.reducers;
  const { history } = factsOf(setting, world);
  const open = run.kind === 'reply' ? threadsInScope(history, run.scope) : openThreads(history, run.review);
  const isClosing = run.kind === 'review' && stageOf(history, setting.policy.rounds) === 'closing';
  const { threads: maxThreads, unverified } = setting;
  const handed = handedIn({ run, history, open, maxThreads, isClosing, unverified });
  const passes = ({ draft }: Handed): boolean => resultWith(setting, world, run, draft).kind === 'ready';
  const breaches = [...handed.illegal, ...handed.legal.filter((each) => !passes(each))];
  return {
    legal: handed.legal.filter(passes),
    illegal: breaches,
    taken: handed.illegal.filter(passes),
  };
};

const fixSteps = (scene: Scene): readonly Step[] => {
  const { fixing } = scene.state;
  if (fixing === null) return [];
  if (fixing.phase !== 'working') return [...writtenSteps(scene, null), ...unwrittenSteps(scene)];
  const { fixPushed } = scene.world;
  const ends = fixPushed ? (['fixed', 'failed'] as const) : (['fixed', 'stopped', 'failed'] as const);
  return [
    ...(fixPushed
      ? []
      : [pushing(step('the author pushes', { ...AT_REST, world: push(scene.world, UNSEEN, { fixPushed: true }) }))]),
    ...ends.map((kind) => endedFix(scene, fixing, { kind, pushed: fixPushed && kind === 'fixed' ? H0 : null })),
    endedFix(scene, fixing, null),
  ];
};

const AT_REST = { costs: NO_COSTS, broken: [] };

type FixEnd = { readonly kind: 'fixed' | 'stopped' | 'failed'; readonly pushed: CommitSha | null };

const endedFix = (scene: Scene, { runId }: Fix, end: FixEnd | null): Step => {
  const at: Look =
    end === null
      ? OVERDUE
      : {
          events: [
            { source: 'fix', id: 'fix', atMs: NOW, runId, code: end.kind === 'fixed' ? null : 'BROKEN', ...end },
          ],
        };
  const { world, ...rest } = look(scene.setting, scene.world, at);
  return step(`the fix is ${end?.kind ?? 'overdue'}`, { ...rest, world: { ...world, fixPushed: false } });
};

export const NOISE = 'bots and strangers talk, old reports come';

/** What is told again, what bots do, what the sweep sees: none of it may cost anything for ever. */
const noiseSteps = (scene: Scene): readonly Step[] => {
  const { running, wanted } = scene.state;
  const stale: Run[] = running === null ? [] : [{ ...running, runId: OLD }];
  const calm = { nowMs: CALM_MS };
  const echo = (kind: ForgeEvent['kind'], actorId: number | null): InboxEvent =>
    forgeEvent(kind, { actorId, noteId: 3, head: H0, requestedReviewerId: BOT_ID });
  const bots = [BOT_ID, OTHER_BOT_ID].flatMap((id) => BOT_KINDS.map((kind) => echo(kind, id)));
  const reports = [
    ...stale.flatMap(everyReport),
    postReport({ ...scene.state, fixing: null, running: null }, 'posted'),
  ];
  const requests = [
    request({ noteId: 3, authorId: OTHER_BOT_ID, allowed: false }),
    request({ noteId: 4, allowed: false }),
  ];
  const events = [
    ...bots,
    ...reports,
    echo('comment', null),
    echo('human_review', null),
    forgeEvent('comment', { noteId: 4 }),
  ];
  return [
    hear(scene, 'time passes', { events: [WAKE], ...calm }),
    ...(wanted === null ? [] : [hear(scene, 'time passes, no slot is free', { events: [WAKE], slot: false, ...calm })]),
    hear(scene, 'the sweep', { events: [{ source: 'sweep', id: 'sweep', atMs: NOW, head: H0 }] }),
    hear(scene, 'the push is told again', { events: [echo('pushed', null)] }),
    hear(scene, NOISE, { events, facts: { requests } }),
  ];
};

const BOT_KINDS = [
  'comment',
  'comment_edited',
  'human_review',
  'review_requested',
  'reaction',
  'metadata',
  'pipeline',
] as const;

const everyReport = (run: Run): readonly InboxEvent[] =>
  (['drafted', 'superseded', 'failed', 'overdue'] as const).map((kind) => runEvent(run, kind));

/** The model is away while a run waits for it; and what brings back a head that was parked for it. */
const outageSteps = (scene: Scene): readonly Step[] => {
  const { world, state } = scene;
  const { running, parked } = state;
  if (running === null) return parked === null || parked.again ? [] : [triedAgain(scene, parked.untilMs)];
  if (world.outages === 0 || running.phase !== 'reviewing') return [];
  const told = (kind: OutageEvent['kind']): Look => ({ events: [outageOf(running, kind)] });
  const after = { ...scene, world: { ...world, outages: world.outages - 1 } };
  return [
    ...(running.waits === undefined ? [hear(scene, 'the run waits for the model', told('waits'))] : []),
    ...[
      hear(after, 'the model is away for too long', told('over')),
      hear(after, 'the key of the model is wrong', told('misconfigured')),
    ].map((ended) => countingOutages(scene, ended)),
  ];
};

/** A head that is tried again without a count would be tried for ever. */
const countingOutages = ({ state }: Scene, ended: Step): Step => {
  const { parked = null, outages = 0 } = ended.to.state ?? {};
  const isCounted = parked === null || outages === state.outages + 1;
  return isCounted ? ended : { ...ended, broken: [...ended.broken, `${ended.label}, and is not counted`] };
};

const triedAgain = (scene: Scene, untilMs: number | null): Step =>
  untilMs === null
    ? hear(scene, 'guard is started anew', { events: [WAKE], startedAtMs: OVERDUE_MS })
    : hear(scene, 'the pause is over', { events: [WAKE], nowMs: OVERDUE_MS });

const outageOf = ({ runId }: Run, kind: OutageEvent['kind']): InboxEvent => ({
  source: 'outage',
  kind,
  id: `outage-${kind}`,
  atMs: NOW,
  runId,
  what: 'model',
  code: 'MODEL_OVERLOADED',
});

/** A CI job that makes a report runs, or will never end. */
const reportSteps = (scene: Scene): readonly Step[] => {
  const { setting, world } = scene;
  if (!setting.reports) return [];
  const facts = { awaitsReports: true } as const;
  const pushed = { ...scene, world: push(world, UNSEEN) };
  return [
    hear(scene, 'time passes, a CI job runs', { events: [WAKE], facts, nowMs: CALM_MS }),
    hear(scene, 'a CI job starts again when its review gets a slot', {
      events: [WAKE],
      factsThen: facts,
      nowMs: CALM_MS,
    }),
    hear(scene, 'the push is told again, a CI job runs', { events: [forgeEvent('pushed', { head: H0 })], facts }),
    ...(isAwaiting(scene) ? [heldBack(hear(scene, 'a CI job never ends', { ...OVERDUE, facts }))] : []),
    pushing(hear(pushed, 'somebody pushes, a CI job runs', { events: [forgeEvent('pushed')], facts }, true)),
  ];
};

const isAwaiting = ({ state: { running, fixing, reportWait } }: Scene): boolean =>
  running === null && fixing === null && reportWait?.head === H0;

/** Whatever CI does, an input that has waited for it long enough is reviewed. */
const heldBack = (overdue: Step): Step =>
  overdue.to.state?.wanted === null
    ? overdue
    : { ...overdue, broken: [...overdue.broken, `${overdue.label}, and holds the review back`] };

/** Redis is wiped: jobs, state and inbox are gone. The forge is the memory. */
const faultSteps = (scene: Scene): readonly Step[] =>
  scene.world.faults === 0 ? [] : [step('Redis is wiped', { ...AT_REST, world: wiped(scene) })];

const wiped = ({ setting, world }: Scene): World =>
  canonical(reread(setting, { ...world, state: null, fixPushed: false, faults: world.faults - 1 }));

/** The head becomes another one: `to`, which nobody has seen or everybody knows. */
const push = (world: World, to: CommitSha, patch: Partial<World> = {}): World => {
  const moved = (name: string): string => {
    if (name === H0) return NEW;
    return name === to ? H0 : name;
  };
  // Only names have changed places.
  return canonical({ ...(JSON.parse(JSON.stringify(world).replaceAll(HEAD, moved)) as World), ...patch });
};

const WHICH: Readonly<Record<string, string>> = { [PAST]: 'a reviewed head', [CLOSED]: 'a head that was handed off' };

const humanSteps = (scene: Scene): readonly Step[] => {
  const { world, setting } = scene;
  const after = (to: World): Scene => ({ ...scene, world: to });
  const pushed = after(push(world, UNSEEN));
  const isKnown = (head: CommitSha): boolean =>
    [...scene.state.reviewed, ...scene.state.closed].some((input) => input.head === head);
  return [
    pushing(hear(pushed, 'somebody pushes', { events: [forgeEvent('pushed')] }, true)),
    pushing(step('somebody pushes, nobody tells', { ...AT_REST, world: pushed.world }, true)),
    ...[PAST, CLOSED]
      .filter(isKnown)
      .map((head) =>
        pushing(
          hear(after(push(world, head)), `somebody pushes ${WHICH[head]}`, { events: [forgeEvent('pushed')] }, true),
        ),
      ),
    ...(setting.people.includes('ask') ? askSteps(scene) : []),
    ...(setting.people.includes('close') ? [toggleStep(scene)] : []),
    ...(setting.people.includes('retarget') ? retargetSteps(scene) : []),
    ...(setting.people.includes('answer') ? answerSteps(scene) : []),
    ...(setting.policy.author.enabled ? [askedFix(scene)] : []),
  ];
};

const GRANT = forgeEvent('review_requested', { actorId: null, byOperator: true, grantsRound: true });

/** A call that the caps hold no review for grants one round more: such calls are counted. */
const askSteps = (scene: Scene): readonly Step[] => {
  const { world, state } = scene;
  const asking = (label: string, at: Look): readonly Step[] => {
    const asked = hear(scene, label, at, true);
    const granted = (asked.to.state?.granted ?? 0) - state.granted;
    return granted > world.grants ? [] : [{ ...asked, to: { ...asked.to, grants: world.grants - granted } }];
  };
  const commanded = (full: boolean): Look => ({
    events: [forgeEvent('comment', { noteId: 4 })],
    facts: { requests: [request({ full })] },
  });
  return [
    ...asking('a commander asks', commanded(false)),
    ...asking('a commander asks for everything', commanded(true)),
    ...asking('an operator grants a round', { events: [GRANT] }),
  ];
};

const toggleStep = (scene: Scene): Step => {
  const { isOpen } = scene.world;
  const toggled = { ...scene, world: { ...scene.world, isOpen: !isOpen } };
  const at: Look = { events: [forgeEvent(isOpen ? 'closed' : 'reopened')] };
  return hear(toggled, isOpen ? 'somebody closes it' : 'somebody reopens it', at, true);
};

/** The other target branch becomes the present one: only names have changed places. */
const retarget = (world: World): World => {
  const swapped = JSON.stringify(world).replaceAll(/(?<=[" ])(main|lab)(?=[" ])/g, (name) => OTHER[name] ?? name);
  return canonical(JSON.parse(swapped) as World);
};

const OTHER: Readonly<Record<string, string>> = { main: 'lab', lab: 'main' };

const retargetSteps = (scene: Scene): readonly Step[] => {
  const after = { ...scene, world: retarget(scene.world) };
  return [
    pushing(hear(after, 'somebody retargets it', { events: [forgeEvent('retargeted')] }, true)),
    pushing(step('somebody retargets it, nobody tells', { ...AT_REST, world: after.world }, true)),
  ];
};

/** Somebody answers in every open thread at once. A finding that is only listed has no thread to answer in. */
const answerSteps = (scene: Scene): readonly Step[] => {
  const { setting, world } = scene;
  const { threads } = historyOf(setting.reducers, world.forge);
  const open = threads.filter(({ state, listed }) => state === 'open' && listed !== true);
  if (open.length === 0) return [];
  const waiting = { threads: open.map(({ id }) => id).toSorted(), note: NEW_NOTE };
  const heard = { ...scene, world: { ...world, waiting } };
  return [hear(heard, 'somebody answers', { events: [forgeEvent('comment', { noteId: NEW_NOTE })] }, true)];
};

const askedFix = (scene: Scene): Step => {
  const asked = {
    noteId: 4,
    kind: 'conversation',
    authorId: 7,
    allowed: true,
    actor: { id: 7, login: 'author' },
  } as const;
  const fix = { inScope: true, branchProtected: false, approved: false, requests: [asked] };
  return hear(
    scene,
    'a commander asks for a fix',
    { events: [forgeEvent('comment', { noteId: 4 })], facts: { fix } },
    true,
  );
};
