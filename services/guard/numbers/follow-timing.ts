/** Measures how long a review takes, by the state before and after each decision. Nothing is decided by these times. */
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { Run } from '../../../shared/rounds/model/run.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import type { TimedPart, Timing } from '../../../shared/rounds/model/timing.ts';

const PHASE_PARTS: Readonly<Record<Run['phase'], TimedPart>> = {
  announcing: 'queue',
  reviewing: 'model',
  waiting_ci: 'ci',
  posting: 'posting',
  giving_up: 'posting',
};

type Place = { readonly head: CommitSha; readonly part: TimedPart };

/** Runs that only answer in threads, or that belong to another process, are not timed. */
const placeOf = ({ running, wanted, quiet }: GuardState): Place | null => {
  if (running !== null) {
    const isTimed = running.kind === 'review' && running.elsewhere !== true;
    return isTimed ? { head: running.head, part: PHASE_PARTS[running.phase] } : null;
  }
  if (wanted !== null) return { head: wanted.head, part: 'queue' };
  return quiet === null ? null : { head: quiet.head, part: 'quiet' };
};

/** An event that is older was delayed or sent again, and says nothing about the wait. */
const OLDEST_EVENT_MS = 3_600_000;

type Now = { readonly events: readonly Pick<InboxEvent, 'atMs'>[]; readonly nowMs: number };

const firstEventMs = ({ events, nowMs }: Now): number =>
  Math.min(nowMs, ...events.map(({ atMs }) => atMs).filter((atMs) => nowMs - atMs < OLDEST_EVENT_MS));

const begin = ({ head, part }: Place, now: Now): Timing => {
  const sinceMs = firstEventMs(now);
  return { head, sinceMs, part, partSinceMs: sinceMs, spentMs: { quiet: 0, queue: 0, model: 0, ci: 0, posting: 0 } };
};

const enter = (timing: Timing, part: TimedPart, nowMs: number): Timing => {
  const { spentMs } = timing;
  const passedMs = Math.max(0, nowMs - timing.partSinceMs);
  return {
    ...timing,
    part,
    partSinceMs: nowMs,
    spentMs: { ...spentMs, [timing.part]: spentMs[timing.part] + passedMs },
  };
};

export type Followed = {
  readonly timing: Timing | null;
  /** The times of the review that this decision ended, with or without a verdict. */
  readonly ended: Timing | null;
};

/** `state`: as decided; its `timing` is the one before the decision. A new head starts anew. */
export const followTiming = (state: GuardState, now: Now): Followed => {
  const { timing } = state;
  const place = placeOf(state);
  if (timing === null) return { timing: place === null ? null : begin(place, now), ended: null };
  if (place === null) return { timing: null, ended: enter(timing, timing.part, now.nowMs) };
  if (place.head !== timing.head) return { timing: begin(place, now), ended: enter(timing, timing.part, now.nowMs) };
  return { timing: place.part === timing.part ? timing : enter(timing, place.part, now.nowMs), ended: null };
};
