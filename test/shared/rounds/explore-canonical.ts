/** One form for all worlds that behave alike: names, clocks and what nobody reads any more are made equal. */
import type { GuardState } from '../../../shared/rounds/state.ts';
import { NOTHING_SPENT } from '../../../shared/rounds/spent.ts';
import type { CommitSha, RunId } from '../../../shared/rounds/vocabulary.ts';
import type { MarkerPayload, ReviewedInput, SummaryMarker } from '../../../shared/text/marker-payload.ts';
import { NOW } from './builders.ts';
import { AT_WORK, FIX, H0, HEAD, NOTE, OLD, OLD_NOTE, PAST, RUN, RUN_ID } from './explore-names.ts';
import type { World } from './explore-world.ts';

/** Later than now, sooner than every deadline. */
export const CALM_MS = NOW + 10;
export const OVERDUE_MS = NOW + 1_000_000;

export const canonical = (world: World): World => {
  const renamed = rename(world);
  const note = renamed.waiting?.note ?? null;
  return {
    ...renamed,
    state: renamed.state === null ? null : calmState(renamed.state, note),
    forge: calmForge(renamed, note),
    waiting: renamed.waiting === null ? null : { ...renamed.waiting, note: NOTE },
  };
};

const rename = (world: World): World => {
  const runs = runNames(world);
  const heads = headNames(world);
  const before = JSON.stringify(world);
  const after = before
    .replaceAll(RUN_ID, (id) => runs.get(id) ?? OLD)
    .replaceAll(HEAD, (head) => heads.get(head) ?? PAST);
  // The same value in other words: what went in comes out.
  return before === after ? world : (JSON.parse(after) as World);
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
    if (head !== undefined && head !== null && !heads.has(head)) heads.set(head, AT_WORK[heads.size - 1] ?? PAST);
  }
  return heads;
};

const headsOf = (state: GuardState | null): readonly (CommitSha | null | undefined)[] => {
  if (state === null) return [];
  const { running, wanted, quiet, fixing, asked } = state;
  return [running, { head: wanted }, quiet, fixing, asked].map((each) => each?.head);
};

const summaryOf = ({ forge }: Pick<World, 'forge'>): SummaryMarker | undefined =>
  forge.find((payload) => payload.kind === 'summary');

/** After a wipe the announced run is the one that is at work. */
const announced = (world: World): SummaryMarker | undefined => {
  const summary = summaryOf(world);
  return world.state === null && summary?.phase === 'reviewing' ? summary : undefined;
};

const announcedOn = (world: World): string | undefined => announced(world)?.run;
const announcedHead = (world: World): CommitSha | undefined => announced(world)?.head;

const calmNote = (note: number, newest: number | null): number => (note === newest ? NOTE : OLD_NOTE);

const calmState = (state: GuardState, newest: number | null): GuardState => {
  const { running, fixing, quiet, listening } = state;
  return {
    ...state,
    running: running === null ? null : calmRun(running, newest),
    fixing: fixing === null ? null : { ...fixing, deadlineMs: OVERDUE_MS },
    quiet: quiet === null ? null : { ...quiet, untilMs: CALM_MS },
    listening:
      listening === null
        ? null
        : {
            noteId: calmNote(listening.noteId, newest),
            untilMs: listening.untilMs === Number.MAX_SAFE_INTEGER ? listening.untilMs : CALM_MS,
          },
    supersededInRow: Math.min(2, state.supersededInRow),
    heard: { untilMs: 0, keys: [] },
    reviewedHeads: [...new Set(state.reviewedHeads)].toSorted(),
    closedHeads: [...new Set(state.closedHeads)].filter((head) => !state.reviewedHeads.includes(head)).toSorted(),
  };
};

const calmRun = (running: NonNullable<GuardState['running']>, newest: number | null): GuardState['running'] => ({
  ...running,
  deadlineMs: OVERDUE_MS,
  ...(running.talk === undefined ? {} : { talk: { ...running.talk, note: calmNote(running.talk.note, newest) } }),
});

/** While nothing can be lost, guard's own state says what the markers of attempts and of past heads would be asked for. */
const calmForge = ({ forge, faults }: World, newest: number | null): readonly MarkerPayload[] => {
  const kept = faults === 0 ? forge.filter(isAsked) : forge;
  const calm = kept.map((payload) => {
    const marker = calmMarker(payload, newest);
    return faults === 0 ? { ...marker, attempt: 1 } : marker;
  });
  return [...new Map(calm.map((payload) => [JSON.stringify(payload), payload])).entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, payload]) => payload);
};

const isAsked = (payload: MarkerPayload): boolean =>
  payload.kind !== 'fix' && (payload.kind !== 'handoff' || payload.head !== PAST);

const calmMarker = (payload: MarkerPayload, newest: number | null): MarkerPayload => {
  if (payload.kind === 'reply') {
    return {
      ...payload,
      head: PAST,
      run: OLD,
      ...(payload.note === undefined ? {} : { note: calmNote(payload.note, newest) }),
    };
  }
  if (payload.kind === 'finding') return { ...payload, head: PAST, run: OLD };
  if (payload.kind === 'handoff') return { ...payload, run: OLD, round: 1, reason: 'any' };
  if (payload.kind !== 'summary') return { ...payload, run: OLD };
  const isAtWork = payload.phase === 'reviewing';
  return {
    ...payload,
    head: isAtWork ? payload.head : PAST,
    until: payload.until === null ? null : Math.ceil(OVERDUE_MS / 1000),
    superseded: Math.min(2, payload.superseded),
    spent: NOTHING_SPENT,
    reviewed: calmReviewed(payload.reviewed),
    ...(payload.talk === undefined ? {} : { talk: { ...payload.talk, note: calmNote(payload.talk.note, newest) } }),
  };
};

/** Only the last verdict is asked for; of the others it matters that they are there. */
const calmReviewed = (reviewed: readonly ReviewedInput[]): ReviewedInput[] => {
  const ordered = reviewed.toSorted((one, other) => one.round - other.round);
  const last = ordered.at(-1);
  if (last === undefined) return [];
  const { clear: _, ...rest } = last;
  const earlier = [...new Set(ordered.slice(0, -1).map(({ head }) => head))].toSorted();
  return [...earlier.map((head) => ({ ...rest, head, round: 1, verdict: 'feedback' as const })), last];
};
