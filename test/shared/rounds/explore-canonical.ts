/** One form for all worlds that behave alike: names, clocks and what nobody reads any more are made equal. */
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { findInput, type Input, inputIn, inputKey } from '../../../shared/rounds/model/input.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { CommitSha, RunId } from '../../../shared/vocabulary/ids.ts';
import type {
  HandoffMarker,
  MarkerPayload,
  MarkedInput,
  SummaryMarker,
} from '../../../shared/rounds/model/marker-payload.ts';
import { NOW } from './builders.ts';
import { AT_WORK, CLOSED, FIX, GONE, H0, HEAD, NOTE, OLD, OLD_NOTE, PAST, RUN, RUN_ID } from './explore-names.ts';
import { type Markers, oneOf, remembering } from './explore-forge.ts';
import type { World } from './explore-world.ts';

/** Later than now, sooner than every deadline. */
export const CALM_MS = NOW + 10;
export const OVERDUE_MS = NOW + 1_000_000;
/** Sooner than every deadline, later than the calm: when a head that was parked is tried again. */
const RETRY_MS = NOW + 500_000;

type Names = {
  readonly heads: ReadonlyMap<string, CommitSha>;
  readonly runs: ReadonlyMap<string, RunId>;
};

export const canonical = (world: World): World => {
  const names = { heads: headNames(world), runs: runNames(world) };
  const state = renamed(world.state, names);
  const note = world.waiting?.note ?? null;
  return {
    ...world,
    state: state === null ? null : calmState(state, note),
    forge: calmForge(world, names),
    waiting: world.waiting === null ? null : { ...world.waiting, note: NOTE },
  };
};

const renamed = <Value>(value: Value, { heads, runs }: Names): Value => {
  const before = JSON.stringify(value);
  const after = before
    .replaceAll(RUN_ID, (id) => runs.get(id) ?? OLD)
    .replaceAll(HEAD, (head) => heads.get(head) ?? GONE);
  // The same value in other words: what went in comes out.
  return before === after ? value : (JSON.parse(after) as Value);
};

const runNames = (world: World): ReadonlyMap<string, RunId> =>
  new Map([
    [world.state?.running?.runId ?? announcedOn(world) ?? '', RUN],
    [world.state?.fixing?.runId ?? '', FIX],
  ]);

const headNames = (world: World): ReadonlyMap<string, CommitSha> => {
  const heads = new Map<string, CommitSha>([[H0, H0]]);
  const atWork = [...headsOf(world.state), announcedHead(world)];
  for (const head of atWork) {
    if (head !== undefined && head !== null && !heads.has(head)) heads.set(head, atWorkName(heads.size - 1));
  }
  for (const { head } of world.state?.reviewed ?? []) if (!heads.has(head)) heads.set(head, PAST);
  for (const { head } of world.state?.closed ?? []) if (!heads.has(head)) heads.set(head, CLOSED);
  return heads;
};

const atWorkName = (index: number): CommitSha => {
  const name = AT_WORK[index];
  if (name === undefined) throw new Error('more heads are at work than there are names');
  return name;
};

const headsOf = (state: GuardState | null): readonly (CommitSha | null | undefined)[] => {
  if (state === null) return [];
  const { running, wanted, quiet, fixing, asked } = state;
  return [running, wanted, quiet, fixing, asked].map((each) => each?.head);
};

const summaryOf = ({ forge }: Pick<World, 'forge'>): SummaryMarker | undefined =>
  forge.find((payload) => payload.kind === 'summary');

const announced = (world: World): SummaryMarker | undefined => {
  const summary = summaryOf(world);
  return summary?.phase === 'reviewing' ? summary : undefined;
};

/** After a wipe the announced run is the one that is at work. */
const announcedOn = (world: World): string | undefined => (world.state === null ? announced(world)?.run : undefined);

/** As long as a wipe may come, it is at work: guard will begin there. */
const announcedHead = (world: World): CommitSha | undefined =>
  world.state === null || world.faults > 0 ? announced(world)?.head : undefined;

const calmNote = (note: number, newest: number | null): number => (note === newest ? NOTE : OLD_NOTE);

const calmState = (state: GuardState, newest: number | null): GuardState => {
  const { running, fixing, quiet, replyDebounce } = state;
  return {
    ...state,
    running: running === null ? null : calmRun(running, newest),
    fixing: fixing === null ? null : { ...fixing, deadlineMs: OVERDUE_MS },
    quiet: quiet === null ? null : { ...quiet, untilMs: CALM_MS },
    replyDebounce:
      replyDebounce === null
        ? null
        : {
            noteId: calmNote(replyDebounce.noteId, newest),
            untilMs: replyDebounce.untilMs === Number.MAX_SAFE_INTEGER ? replyDebounce.untilMs : CALM_MS,
          },
    parked:
      state.parked === null
        ? null
        : { ...state.parked, untilMs: state.parked.untilMs === null ? null : RETRY_MS, sinceMs: NOW },
    reportWait: state.reportWait === null ? null : { ...state.reportWait, untilMs: OVERDUE_MS, nextLookMs: RETRY_MS },
    supersededInRow: Math.min(2, state.supersededInRow),
    seenCommands: { untilMs: 0, keys: [] },
    // Asked for by CI alone, of which there is none.
    firstSeen: null,
    reviewed: inputsInOrder(state.reviewed),
    closed: inputsInOrder(state.closed.filter((input) => findInput(state.reviewed, input) === undefined)),
  };
};

/** Each once. */
const inputsInOrder = <Known extends Input>(inputs: readonly Known[]): Known[] => [
  ...new Map(inputs.toSorted(byKey).map((input) => [inputKey(input), input])).values(),
];

const byKey = (one: Input, other: Input): number => (inputKey(one) < inputKey(other) ? -1 : 1);

const calmRun = (running: NonNullable<GuardState['running']>, newest: number | null): GuardState['running'] => ({
  ...running,
  deadlineMs: OVERDUE_MS,
  ...(running.kind === 'reply' ? { scope: { ...running.scope, note: calmNote(running.scope.note, newest) } } : {}),
});

const calmBefore = remembering<Markers>();

const calmForge = ({ forge, faults, waiting }: World, names: Names): Markers => {
  const note = waiting?.note ?? null;
  const key = `${faults === 0} ${note} ${[...names.heads].join(' ')} ${[...names.runs].join(' ')}`;
  return calmBefore(forge, key, () => calmMarkers(renamed(forge, names), faults > 0, note));
};

/** While nothing can be lost, guard's own state says what the markers of attempts and of past heads would be asked for. */
const calmMarkers = (forge: Markers, mayBeLost: boolean, newest: number | null): Markers => {
  const kept = mayBeLost ? forge : forge.filter(isAsked);
  const calm = kept.map((payload) => {
    const marker = calmMarker(payload, newest);
    return mayBeLost ? marker : { ...marker, attempt: 1 };
  });
  return oneOf(inOrder(calm));
};

/** In which order they were written nobody asks; and nobody asks twice. */
export const inOrder = (forge: Markers): Markers =>
  [...new Map(forge.map((payload) => [JSON.stringify(payload), payload])).entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, payload]) => payload);

const isAsked = (payload: MarkerPayload): boolean =>
  payload.kind !== 'fix' && (payload.kind !== 'handoff' || !BEHIND.has(payload.head));

const BEHIND: ReadonlySet<string> = new Set([PAST, CLOSED, GONE]);

/** Of each head it matters that it is there, once. */
const calmHandoff = (payload: HandoffMarker): HandoffMarker => {
  const closed = (payload.closed ?? []).filter(({ head }) => !BEHIND.has(head));
  return { ...payload, run: OLD, review: 1, reason: 'any', closed: closed.map((each) => ({ ...each, reason: 'any' })) };
};

const calmMarker = (payload: MarkerPayload, newest: number | null): MarkerPayload => {
  if (payload.kind === 'reply') {
    return {
      ...payload,
      head: GONE,
      run: OLD,
      ...(payload.note === undefined ? {} : { note: calmNote(payload.note, newest) }),
    };
  }
  if (payload.kind === 'finding') return { ...payload, head: GONE, run: OLD };
  if (payload.kind === 'handoff') return calmHandoff(payload);
  if (payload.kind !== 'summary') return { ...payload, run: OLD };
  const isAtWork = payload.phase === 'reviewing';
  return {
    ...payload,
    head: isAtWork ? payload.head : GONE,
    until: payload.until === null ? null : Math.ceil(OVERDUE_MS / 1000),
    ...(payload.retryAt === undefined ? {} : { retryAt: payload.retryAt === 0 ? 0 : Math.ceil(RETRY_MS / 1000) }),
    superseded: Math.min(2, payload.superseded),
    spent: NOTHING_SPENT,
    // Places decide nothing here.
    ...(payload.placesAt === undefined ? {} : { placesAt: GONE }),
    ledger: payload.ledger.map((entry) => (entry.head === undefined ? entry : { ...entry, head: GONE })),
    reviewed: calmReviewed(payload.reviewed),
    ...(payload.replies === undefined
      ? {}
      : { replies: { ...payload.replies, note: calmNote(payload.replies.note, newest) } }),
  };
};

/** Only the last verdict is asked for; of the others it matters that they are there. */
const calmReviewed = (reviewed: readonly MarkedInput[]): MarkedInput[] => {
  const ordered = reviewed.toSorted((one, other) => one.review - other.review);
  const last = ordered.at(-1);
  if (last === undefined) return [];
  const { base, fingerprint, rules } = last;
  const earlier = inputsInOrder(ordered.slice(0, -1).map(inputIn));
  const calm = earlier.map((input) => ({
    ...input,
    base,
    fingerprint,
    rules,
    review: 1,
    verdict: 'feedback' as const,
  }));
  return [...calm, last];
};
