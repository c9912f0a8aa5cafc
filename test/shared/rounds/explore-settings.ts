/** The small worlds that are walked: each has what the others leave out. */
import type { Policy } from '../../../shared/rounds/model/policy.ts';
import { EndlessWalk } from './explore-graph.ts';
import type { Reducers } from './explore-reducers.ts';
import { explore, type Explored, runProblems } from './explore-run.ts';
import { threadProblems } from './explore-thread.ts';
import { type Scope, settingOf, type World } from './explore-world.ts';

export type Plot = {
  readonly rounds: Pick<Policy['rounds'], 'max' | 'maxRuns' | 'attempts'> & Partial<Policy['rounds']>;
  readonly scope: Scope;
  readonly more?: Partial<Pick<World, 'faults' | 'grants' | 'outages'>>;
};

export const PLOTS = {
  attempts: { rounds: { max: 1, maxRuns: 2, attempts: 2 }, scope: { threads: 0 } },
  heads: { rounds: { max: 3, maxRuns: 3, attempts: 1, maxSilent: 3 }, scope: { threads: 0 } },
  threads: { rounds: { max: 2, maxRuns: 2, attempts: 1 }, scope: { threads: 1 } },
  raised: { rounds: { max: 3, maxRuns: 3, attempts: 1 }, scope: { threads: 1 } },
  fixed: { rounds: { max: 2, maxRuns: 3, attempts: 1 }, scope: { threads: 1, people: ['answer'] } },
  fixes: { rounds: { max: 2, maxRuns: 2, attempts: 2 }, scope: { threads: 1, author: true } },
  carries: { rounds: { max: 1, maxRuns: 2, attempts: 1, maxCarried: 1 }, scope: { threads: 1 } },
  silent: { rounds: { max: 2, maxRuns: 2, attempts: 1, maxSilent: 2 }, scope: { threads: 1 } },
  silentAttempts: { rounds: { max: 1, maxRuns: 2, attempts: 2, maxSilent: 2, maxCarried: 1 }, scope: { threads: 0 } },
  half: { rounds: { max: 1, maxRuns: 2, attempts: 2 }, scope: { threads: 1, half: true } },
  unverified: { rounds: { max: 2, maxRuns: 2, attempts: 1 }, scope: { threads: 1, unverified: true } },
  closing: { rounds: { max: 1, maxRuns: 3, attempts: 1 }, scope: { threads: 2 } },
  reports: { rounds: { max: 2, maxRuns: 2, attempts: 2 }, scope: { threads: 0 } },
  ciReports: { rounds: { max: 1, maxRuns: 2, attempts: 2 }, scope: { threads: 0, reports: true } },
  answers: { rounds: { max: 1, maxRuns: 2, attempts: 1 }, scope: { threads: 1, people: ['answer'] } },
  handedOver: { rounds: { max: 1, maxRuns: 1, attempts: 1 }, scope: { threads: 1, people: ['answer'] } },
  wipes: { rounds: { max: 1, maxRuns: 1, attempts: 1 }, scope: { threads: 0 }, more: { faults: 1 } },
  wipedReviews: {
    rounds: { max: 1, maxRuns: 2, attempts: 1, maxSilent: 2 },
    scope: { threads: 0 },
    more: { faults: 1 },
  },
  quiet: { rounds: { max: 1, maxRuns: 1, attempts: 1 }, scope: { threads: 0, quietMs: 1000, people: ['close'] } },
  retargets: { rounds: { max: 1, maxRuns: 1, attempts: 1, maxSilent: 2 }, scope: { threads: 0, people: ['retarget'] } },
  retargetsTwice: { rounds: { max: 2, maxRuns: 2, attempts: 1 }, scope: { threads: 0, people: ['retarget'] } },
  outages: { rounds: { max: 1, maxRuns: 1, attempts: 1 }, scope: { threads: 0 }, more: { outages: 1 } },
  outagesTwice: { rounds: { max: 2, maxRuns: 2, attempts: 2 }, scope: { threads: 0 }, more: { outages: 2 } },
  grants: { rounds: { max: 1, maxRuns: 1, attempts: 1 }, scope: { threads: 0, people: ['ask'] }, more: { grants: 1 } },
} as const satisfies Readonly<Record<string, Plot>>;

type Size = { readonly rounds: number; readonly attempts: number; readonly threads: number };

/** How many runs: as many as rounds can need where there are no threads, and some to lose where there is one. */
const runsFor = ({ rounds, attempts, threads }: Size): number => {
  if (threads === 0) return rounds * attempts;
  return threads === 1 ? rounds + attempts - 1 : rounds;
};

const among = <Item>(items: readonly Item[], made: (item: Item) => readonly Plot[]): readonly Plot[] =>
  items.flatMap(made);

const COUNTS: readonly number[] = [2, 3, 4];

/** Silent reviews and carried heads: none, a few, and as many as runs. */
const GIVEN_BACK = [
  { maxSilent: 1, maxCarried: 0 },
  { maxSilent: 2, maxCarried: 1 },
  { maxSilent: 3, maxCarried: 3 },
] as const;

/**
 * R from 1 to 4, K from 2 to 4, A from 1 to 3, up to three threads: each with each, small ones first. With up to one thread
 * each also with up to three silent reviews and carried heads. Without a thread nobody reads K, so one walk stands for all.
 */
export const EVERY: readonly Plot[] = among([0, 1, 2, 3], (threads) =>
  among([1, 2, 3, 4], (max) =>
    among([1, 2, 3], (attempts) =>
      among(threads === 0 ? COUNTS.slice(0, 1) : COUNTS, (threadCount) =>
        (threads > 1 ? GIVEN_BACK.slice(0, 1) : GIVEN_BACK).map((givenBack) => ({
          rounds: {
            max,
            maxRuns: Math.max(max, Math.min(4, runsFor({ rounds: max, attempts, threads }))),
            attempts,
            threadCount,
            ...givenBack,
          },
          scope: { threads },
        })),
      ),
    ),
  ),
);

export const walkPlot = (
  reducers: Reducers,
  plot: Plot,
  maxStates?: number,
): { readonly explored: Explored; readonly problems: readonly string[] } => {
  const setting = settingOf(reducers, plot.rounds, plot.scope);
  const explored = explore(setting, { ...plot.more, ...(maxStates === undefined ? {} : { maxStates }) });
  return { explored, problems: runProblems(setting, explored) };
};

export type Ground = keyof typeof PLOTS | 'thread';

/** Far more states than production has there: a mutant that goes beyond has no end. */
const MANY_STATES: Readonly<Partial<Record<Ground, number>>> = {
  attempts: 1_000,
  answers: 3_000,
  fixed: 20_000,
  retargets: 20_000,
  retargetsTwice: 25_000,
  wipedReviews: 15_000,
};

const maxStatesOn = (ground: Ground): number => MANY_STATES[ground] ?? 6_000;

/** What is wrong with these reducers on this ground. A walk without an end is a problem as well. */
export const problemsOn = (reducers: Reducers, ground: Ground): readonly string[] => {
  try {
    return ground === 'thread'
      ? threadProblems(reducers, 2)
      : walkPlot(reducers, PLOTS[ground], maxStatesOn(ground)).problems;
  } catch (error) {
    if (error instanceof EndlessWalk) return [error.message];
    throw error;
  }
};
