/** Our bot and another one that pushes, answers and talks without an end, around the production reducers. */
import { maxRequests, maxRequestsPerRun, type ModelLimits } from '../../shared/rounds/bound/bound.ts';
import { canonical } from '../shared/rounds/explore-canonical.ts';
import { NOISE, type Step, stepsOf } from '../shared/rounds/explore-moves.ts';
import { freshWorld, reread, type Setting, type World } from '../shared/rounds/explore-world.ts';

/** A number of at least 0 and below `below`. */
export type Chance = (below: number) => number;

/** Always the same numbers for the same seed (mulberry32). */
export const chanceOf = (seed: number): Chance => {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

export type Manner = {
  readonly name: string;
  /** How many moves ours makes before the other bot goes on; null: until nothing changes any more. */
  readonly patience: (chance: Chance) => number | null;
  /** Of so many moves one goes wrong: a lost report, a failed run, a refused draft. Null: none. */
  readonly failsOneIn: number | null;
};

export const MANNERS: readonly Manner[] = [
  { name: 'all works, and each waits', patience: () => null, failsOneIn: null },
  { name: 'all works, and each interrupts', patience: (chance) => chance(12), failsOneIn: null },
  { name: 'much fails, and each waits', patience: () => null, failsOneIn: 4 },
  { name: 'much fails, and each interrupts', patience: (chance) => chance(12), failsOneIn: 4 },
];

type Hand = { readonly setting: Setting; readonly manner: Manner; readonly chance: Chance };

const oneOf = (steps: readonly Step[], chance: Chance): Step | undefined => steps[chance(Math.max(1, steps.length))];

/** Of each kind one, so that the other bot does not push only because there are many ways to. */
const DEEDS: readonly ((label: string) => boolean)[] = [
  (label) => label.startsWith('somebody pushes'),
  (label) => label === 'somebody answers',
  (label) => label === NOISE,
];

const deedOf = ({ setting, chance }: Hand, world: World): Step => {
  const open = stepsOf(setting, world);
  const kinds = DEEDS.map((isOne) => open.filter(({ label }) => isOne(label))).filter(({ length }) => length > 0);
  const deed = oneOf(kinds[chance(kinds.length)] ?? [], chance);
  if (deed === undefined) throw new Error('the other bot can do nothing');
  return deed;
};

const WIPED = 'Redis is wiped';
const FAILS = /overdue|lost|gone|fails|failed|superseded|refused|finds another head|cut short|half done|is taken/;

/**
 * What ours does next; null when nothing changes any more. The last wipe never comes: as long as one may come, worlds
 * keep every marker, and each comment is counted once.
 */
const moveOf = ({ setting, manner: { failsOneIn }, chance }: Hand, world: World): Step | null => {
  const before = JSON.stringify(world);
  const open = stepsOf(setting, world)
    .filter(({ human, label }) => !human && label !== NOISE && (label !== WIPED || world.faults > 1))
    .filter(({ to }) => JSON.stringify(to) !== before);
  const failsNow = failsOneIn !== null && chance(failsOneIn) === 0;
  const wanted = open.filter(({ label }) => (FAILS.test(label) || label === WIPED) === failsNow);
  return oneOf(wanted.length > 0 ? wanted : open.filter(({ label }) => label !== WIPED), chance) ?? null;
};

export type Game = Hand & { readonly steps: number; readonly wipes: number };

export type Played = {
  readonly taken: readonly Step[];
  /** What may come once both rest, without the other bot's next deed. */
  readonly rest: readonly Step[];
};

/** `steps` deeds of the other bot, with what ours does in between and after them. */
export const playTwoBots = ({ steps, wipes, ...hand }: Game): Played => {
  const { setting, manner, chance } = hand;
  const taken: Step[] = [];
  let world = canonical(reread(setting, freshWorld({ faults: wipes + 1, grants: 0, outages: 0 })));
  const take = (step: Step): void => {
    taken.push(step);
    world = step.to;
  };
  const answer = (patience: number): void => {
    for (let moves = 0; moves < patience; moves += 1) {
      const move = moveOf(hand, world);
      if (move === null) return;
      take(move);
    }
  };
  for (let step = 0; step < steps; step += 1) {
    take(deedOf(hand, world));
    answer(manner.patience(chance) ?? Number.POSITIVE_INFINITY);
  }
  answer(Number.POSITIVE_INFINITY);
  return { taken, rest: stepsOf(setting, world).filter(({ human, label }) => !human && label !== WIPED) };
};

export type Total = {
  readonly runs: number;
  readonly rounds: number;
  readonly fixes: number;
  readonly calls: number;
  readonly comments: number;
};

/** Each run that is not carried makes as many calls as its limits allow. */
export const totalOf = (taken: readonly Step[], model: ModelLimits): Total => {
  const sum = (name: keyof Step['weights']): number =>
    taken.reduce((all, { weights }) => all + (weights[name] ?? 0), 0);
  const carried = taken.filter(({ label }) => label === 'the same input').length;
  const [runs, fixes] = [sum('runs'), sum('fixes')];
  const perFix = model.author === null ? 0 : maxRequests(model.author);
  return {
    runs,
    rounds: sum('rounds'),
    fixes,
    calls: (runs - carried) * maxRequestsPerRun(model) + fixes * perFix,
    // The walk does not count calls beyond the caps, because there only a human's push causes one.
    comments: sum('comments') + sum('handoffs'),
  };
};
