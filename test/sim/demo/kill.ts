/** Kills the poster after the forge has taken half of a review's comments, starts it again, and counts each comment. */
import { stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import { AUTHOR, type DemoSight } from './forge.ts';
import { KILL_DEFECTS, killFiles } from './kill-seeds.ts';
import { findingIn, summaryIn } from './markers-in.ts';
import type { DemoWorld } from './world.ts';

export type KillPhase = 'opening' | 'posting' | 'killed' | 'restarted' | 'done' | 'failed';

/** How often something is on the forge. */
export type Count = { readonly what: string; readonly where: string; readonly times: number };

export type KillState = {
  readonly attempt: number;
  readonly phase: KillPhase;
  readonly number: number | null;
  readonly url: string | null;
  /** What happened so far, oldest first; `seconds` from the start. */
  readonly events: readonly { readonly seconds: number; readonly text: string }[];
  /** Comments of the bot on the forge, published or not; those that are not there yet have none. */
  readonly counts: readonly Count[];
  /** Number of comments that were there when the poster was killed. */
  readonly atKill: number | null;
};

export type KillReport = {
  readonly expected: number;
  readonly atKill: number;
  /** How often each finding and the summary are on the forge, after all. */
  readonly counts: Readonly<Record<string, number>>;
};

const HALF = KILL_DEFECTS / 2;
const STEP_MS = 60_000;

export const KILL_TITLE = 'Add gift cards';

/** The whole text of a thread's first comment identifies it, whatever its signature. */
export const countComments = (sight: DemoSight, secret: string): readonly Count[] => {
  const counts = new Map<string, Count>();
  const add = (what: string, where: string): void =>
    void counts.set(what, { what, where, times: (counts.get(what)?.times ?? 0) + 1 });
  for (const { path, line, body } of sight.inline) {
    const marker = findingIn(body, secret);
    if (marker !== null) add(`${marker.id} ${headlineOf(body)}`, `${path}:${line}`);
  }
  for (const body of sight.unpublished) {
    const marker = findingIn(body, secret);
    if (marker !== null) add(`${marker.id} ${headlineOf(body)}`, `${marker.path}:${marker.line}`);
  }
  const ordered = [...counts.values()].toSorted((one, other) => one.what.localeCompare(other.what, 'en'));
  const summaries = sight.comments.filter(({ body }) => summaryIn(body, secret) !== null).length;
  return summaries === 0 ? ordered : [...ordered, { what: 'The summary', where: 'conversation', times: summaries }];
};

const headlineOf = (body: string): string =>
  (stripMarkers(body).trim().split('\n')[0] ?? '').replaceAll('**', '').replaceAll('`', '');

type Killing = {
  readonly world: DemoWorld;
  /** Contract: gets each new state. */
  readonly show: (state: KillState) => void;
  readonly begun: number;
  state: KillState;
};

const next = (killing: Killing, phase: KillPhase, text: string, more: Partial<KillState> = {}): void => {
  const event = { seconds: (performance.now() - killing.begun) / 1000, text };
  const { state, show } = killing;
  killing.state = { ...state, ...more, phase, events: [...state.events, event] };
  show(killing.state);
};

const recount = (killing: Killing): void => {
  const { world, state, show } = killing;
  if (state.number === null) return;
  killing.state = { ...state, counts: countComments(world.forge.look(state.number), world.markerSecret) };
  show(killing.state);
};

const inlineIn = ({ inline, unpublished }: DemoSight): number => inline.length + unpublished.length;

/** Resolves with the state at the end; it is `failed`, with the reason as its last event, when something went wrong. */
export const killMidPost = async (
  world: DemoWorld,
  attempt: number,
  show: (state: KillState) => void = () => {},
): Promise<KillState> => {
  const state = { attempt, phase: 'opening', number: null, url: null, events: [], counts: [], atKill: null } as const;
  const killing: Killing = { world, show, begun: performance.now(), state };
  try {
    await play(killing);
  } catch (error) {
    next(killing, 'failed', error instanceof Error ? error.message : String(error));
  }
  return killing.state;
};

const play = async (killing: Killing): Promise<void> => {
  const { world } = killing;
  const { forge } = world;
  await world.calm();
  const branch = `gifts-${attemptOf(killing)}`;
  await forge.commit({ branch, files: killFiles(attemptOf(killing)), message: 'Add gift cards\n', author: AUTHOR });
  const { number, url } = await forge.open({ branch, title: KILL_TITLE, description: 'Customers can buy gift cards.' });
  const halt = forge.haltAfter(number, HALF);
  try {
    next(killing, 'posting', `${AUTHOR} opened change request ${number} with ${KILL_DEFECTS} defects`, { number, url });
    await forge.until(() => {
      recount(killing);
      return halt.isReached() && inlineIn(forge.look(number)) === HALF;
    }, STEP_MS);
  } finally {
    halt.remove();
  }
  await killAndRestart(killing, number);
  await forge.until(() => {
    recount(killing);
    return isFinal(forge.look(number));
  }, STEP_MS);
  await world.calm();
  recount(killing);
  next(killing, 'done', verdictOn(killing.state));
};

const attemptOf = ({ state }: Killing): number => state.attempt;

const isFinal = ({ headStatuses }: DemoSight): boolean =>
  !['pending', 'running', undefined].includes(headStatuses['fixpoint']);

const killAndRestart = async (killing: Killing, number: number): Promise<void> => {
  const { world } = killing;
  const { pid, kill } = world.poster();
  await kill();
  const atKill = inlineIn(world.forge.look(number));
  const what = `kill -9 of the poster (process ${pid}): ${atKill} of ${KILL_DEFECTS} comments are on the forge, and it never heard about the last one`;
  next(killing, 'killed', what, { atKill });
  const started = await world.restartPoster();
  next(
    killing,
    'restarted',
    `a new poster is running (process ${started.pid}); it reads what is there before it writes`,
  );
};

/** True when each finding and the summary are there, and nothing is there twice. */
export const isSaidOnce = ({ counts }: Pick<KillState, 'counts'>): boolean =>
  counts.length === KILL_DEFECTS + 1 && counts.every(({ times }) => times === 1);

const verdictOn = (state: KillState): string =>
  isSaidOnce(state)
    ? `the review is complete: ${KILL_DEFECTS} comments and the summary, each once`
    : `something is missing or was said twice: ${state.counts.map(({ what, times }) => `${what} (${times})`).join(', ')}`;

export const reportKill = ({ counts, atKill }: KillState): KillReport => ({
  expected: KILL_DEFECTS,
  atKill: atKill ?? 0,
  counts: Object.fromEntries(
    counts.map(({ what, times }) => [what.split(' ')[0] === 'The' ? 'summary' : (what.split(' ')[0] ?? ''), times]),
  ),
});
