/** Where each service is killed, and in which rounds of the story the place is reached. */
import type { ServiceName } from '../../shared/config/service-needs.ts';

export type Crash = { readonly service: ServiceName; readonly at: string };

type Row = Crash & {
  /** The round in which it is tried in every run of the tests; null: only with `FIXPOINT_DEEP=1`. */
  readonly always: number | null;
  /** All rounds in which the step is reached. */
  readonly rounds: readonly number[];
};

const EVERY = [1, 2, 3] as const;

const row = (service: ServiceName, always: number | null, at: string, rounds: readonly number[] = EVERY): Row => ({
  service,
  at,
  always,
  rounds,
});

/** In every round the poster works twice: it announces the run, then it posts the result. */
const POSTER: readonly Row[] = [
  row('poster', 1, 'before-post'),
  row('poster', null, 'after-summary'),
  row('poster', null, 'before-status'),
  row('poster', null, 'before-report'),
  row('poster', null, 'before-post:2'),
  row('poster', 2, 'after-inline:2'),
  row('poster', 2, 'after-reply', [2]),
  row('poster', null, 'after-reply:2', [2]),
  row('poster', 3, 'after-closing', [2, 3]),
  row('poster', null, 'after-closing:2', [3]),
  row('poster', null, 'before-summary:2'),
  row('poster', 2, 'after-summary:2'),
  row('poster', 3, 'before-status:2'),
  row('poster', 3, 'after-status:2'),
  row('poster', 3, 'before-report:2'),
];

const REVIEWER: readonly Row[] = [
  row('reviewer', null, 'before-fetch'),
  row('reviewer', 2, 'before-review'),
  row('reviewer', 3, 'before-draft'),
  row('reviewer', 1, 'before-report'),
];

/** Guard decides four times per round: the head, the announced run, the draft, the posted round. */
const GUARD: readonly Row[] = [
  row('guard', null, 'before-save'),
  row('guard', 1, 'after-save'),
  row('guard', null, 'before-acquire_slot'),
  row('guard', 1, 'before-announce'),
  row('guard', 1, 'before-review'),
  row('guard', null, 'before-schedule'),
  row('guard', 2, 'before-post_round'),
  row('guard', 3, 'before-release_slot'),
  row('guard', null, 'after-commands'),
  row('guard', null, 'after-commands:2'),
  row('guard', null, 'after-commands:3'),
  row('guard', 1, 'before-trim'),
  row('guard', null, 'before-trim:2'),
  row('guard', null, 'before-trim:3'),
  row('guard', 3, 'before-trim:4'),
  row('guard', 2, 'before-save:3'),
];

const INGRESS: readonly Row[] = [row('ingress', 1, 'after-push'), row('ingress', 2, 'after-wake-up')];

/** One crash at most per round of a story. */
export type CrashStory = ReadonlyMap<number, Crash>;

/** Packs the crashes into as few change requests as possible: every round of a story is good for one. */
export const planCrashStories = (deep: boolean): readonly CrashStory[] => {
  const stories: Map<number, Crash>[] = [];
  for (const { service, at, always, rounds } of [...POSTER, ...REVIEWER, ...GUARD, ...INGRESS]) {
    for (const round of deep ? rounds : rounds.filter((each) => each === always)) {
      const free = stories.find((story) => !story.has(round));
      const crash = { service, at };
      if (free === undefined) stories.push(new Map([[round, crash]]));
      else free.set(round, crash);
    }
  }
  return stories;
};

export const describeStory = (story: CrashStory): string =>
  [...story]
    .toSorted(([one], [other]) => one - other)
    .map(([round, { service, at }]) => `${service} at ${at} in round ${round}`)
    .join(', ');
