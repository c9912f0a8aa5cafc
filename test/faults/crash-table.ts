/** The steps at which each service is killed, and the rounds of the story that reach each step. */
import type { ServiceName } from '../../shared/config/service-needs.ts';

export type Crash = { readonly service: ServiceName; readonly at: string };

type Row = Crash & {
  /** The round in which the normal run tries it; null when only `FIXPOINT_DEEP=1` does. */
  readonly usual: number | null;
  readonly rounds: readonly number[];
};

const EVERY = [1, 2, 3] as const;
const LATER = [2, 3] as const;

const row = (service: ServiceName, at: string, usual: Row['usual'] = null, rounds: readonly number[] = EVERY): Row => ({
  service,
  at,
  usual,
  rounds,
});

/**
 * In every round the poster works twice: it announces the run, then it posts the result. In the first round there is no
 * summary yet, so it announces the run in the status alone, and writes comments once. Most of the usual crashes are
 * where a forge can be left half done: how inline comments are published, how a thread is answered, how it is resolved.
 */
const POSTER: readonly Row[] = [
  row('poster', 'before-post'),
  row('poster', 'after-summary'),
  row('poster', 'before-status'),
  row('poster', 'before-report'),
  row('poster', 'before-post:2', null, LATER),
  row('poster', 'after-inline', 1, [1]),
  row('poster', 'after-inline:2', null, LATER),
  row('poster', 'after-reply', 2, [2]),
  row('poster', 'after-reply:2', null, [2]),
  row('poster', 'after-closing', 3, [2, 3]),
  row('poster', 'after-closing:2', null, [3]),
  row('poster', 'before-summary:2', null, LATER),
  row('poster', 'after-summary:2', 2, LATER),
  row('poster', 'before-status:2'),
  row('poster', 'after-status:2'),
  row('poster', 'before-report:2', 3),
];

const REVIEWER: readonly Row[] = [
  row('reviewer', 'before-fetch'),
  row('reviewer', 'before-review'),
  row('reviewer', 'before-draft'),
  row('reviewer', 'before-report'),
];

/** Guard decides four times per round: the head, the announced run, the draft, the posted round. */
const GUARD: readonly Row[] = [
  row('guard', 'before-save'),
  row('guard', 'after-save'),
  row('guard', 'before-acquire_slot'),
  row('guard', 'before-announce'),
  row('guard', 'before-review', 1),
  row('guard', 'before-schedule'),
  row('guard', 'before-post_review'),
  row('guard', 'before-release_slot'),
  row('guard', 'after-release'),
  row('guard', 'after-commands'),
  row('guard', 'after-commands:2'),
  row('guard', 'after-commands:3'),
  row('guard', 'before-trim'),
  row('guard', 'before-trim:2'),
  row('guard', 'before-trim:3'),
  row('guard', 'before-trim:4'),
  row('guard', 'before-save:3'),
];

const INGRESS: readonly Row[] = [row('ingress', 'after-push'), row('ingress', 'after-wake-up')];

/** At most one crash per round of a story. */
export type CrashStory = ReadonlyMap<number, Crash>;

/** Packs the crashes into as few change requests as possible: one per round of a story. */
export const planCrashStories = (deep: boolean): readonly CrashStory[] => {
  const stories: Map<number, Crash>[] = [];
  for (const { service, at, usual, rounds } of [...POSTER, ...REVIEWER, ...GUARD, ...INGRESS]) {
    // A round that does not reach its step stays in the plan: the missing crash then fails the test.
    for (const review of deep ? rounds : [usual ?? []].flat()) {
      const free = stories.find((story) => !story.has(review));
      const crash = { service, at };
      if (free === undefined) stories.push(new Map([[review, crash]]));
      else free.set(review, crash);
    }
  }
  return stories;
};

export const describeStory = (story: CrashStory): string =>
  [...story]
    .toSorted(([one], [other]) => one - other)
    .map(([review, { service, at }]) => `${service} at ${at} in round ${review}`)
    .join(', ');
