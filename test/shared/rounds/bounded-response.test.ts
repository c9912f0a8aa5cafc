/** Rows X2 to X5 and X15 on the production reducers: whatever the model, machines and people do, the bot comes to rest. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxFixes } from '../../../shared/rounds/model/fixes.ts';
import { openThread, stepThread, type WeighedThread } from '../../../shared/rounds/model/thread.ts';
import { propertyRuns } from '../../support/deep.ts';
import { canonical } from './explore-canonical.ts';
import { isFalling, rankOf } from './explore-rank.ts';
import { type Step, stepsOf } from './explore-moves.ts';
import { PRODUCTION } from './explore-reducers.ts';
import { freshWorld, reread, type Setting, settingOf, type World } from './explore-world.ts';

const begin = (setting: Setting, faults = 0): World =>
  canonical(reread(setting, freshWorld({ faults, grants: 0, outages: 0 })));

/** Machines go on, choosing by `prefer`, until nothing changes any more. Each step lowers the rank, so it ends. */
const settle = (setting: Setting, from: World, prefer: (labels: readonly string[]) => number): readonly Step[] => {
  const taken: Step[] = [];
  for (let world = from; ; ) {
    const open = stepsOf(setting, world).filter(
      ({ human, to }) => !human && JSON.stringify(to) !== JSON.stringify(world),
    );
    const chosen = open[prefer(open.map(({ label }) => label)) % Math.max(1, open.length)];
    if (chosen === undefined) return taken;
    if (!isFalling(rankOf(setting, world), rankOf(setting, chosen.to)))
      throw new Error(`${chosen.label} lowers no rank`);
    taken.push(chosen);
    world = chosen.to;
  }
};

const first =
  (...wanted: readonly string[]) =>
  (labels: readonly string[]): number => {
    const places = wanted.map((part) => labels.findIndex((label) => label.includes(part)));
    return Math.max(0, places.find((place) => place !== -1) ?? 0);
  };

const total = (steps: readonly Step[], name: 'runs' | 'rounds' | 'giveUps'): number =>
  steps.reduce((sum, { weights }) => sum + weights[name], 0);

/** The author pushes after every rest, more often than any cap allows. */
const pushing = (setting: Setting, pushes: number, prefer: (labels: readonly string[]) => number): readonly Step[] => {
  const all: Step[] = [];
  let world = begin(setting);
  for (let push = 0; push < pushes; push += 1) {
    const pushed = stepsOf(setting, world).find(({ label }) => label === 'somebody pushes');
    if (pushed === undefined) throw new Error('nobody can push');
    const steps = settle(setting, pushed.to, prefer);
    all.push(pushed, ...steps);
    world = steps.at(-1)?.to ?? pushed.to;
  }
  return all;
};

describe('a thread', () => {
  it('X2: is closed by the machine whatever stances a model that always replies takes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('accepts', 'seeks_change'), { minLength: 2, maxLength: 10 }), (stances) => {
        let thread: WeighedThread = { ...openThread('P1'), blocking: true };
        const replies = stances.filter((stance) => {
          const step = stepThread(
            thread,
            { stance, action: 'reply', severity: null },
            { threadCount: 2, stage: 'open' },
          );
          if (step.kind === 'moved') thread = { ...step.thread, blocking: true };
          return step.kind === 'moved';
        });
        expect(replies.length).toBeLessThanOrEqual(1);
      }),
      propertyRuns(200, 5_000),
    );
  });

  it('X3: counts its first cycle after the opening one, although the stance is the same', () => {
    const step = stepThread(
      { ...openThread('P1'), blocking: true },
      { stance: 'seeks_change', action: 'reply', severity: null },
      { threadCount: 2, stage: 'open' },
    );
    expect(step).toMatchObject({ kind: 'moved', thread: { count: 1, state: 'open' } });
  });
});

describe('a change request', () => {
  const setting = (max: number, attempts: number, threads: number): Setting =>
    settingOf(PRODUCTION, { max, maxRuns: max * attempts, attempts }, { threads });

  it.each([
    [2, 2],
    [3, 2],
  ])(
    'X4: takes at most R × A runs of a model that never keeps to the protocol, and calls a human (R = %d, A = %d)',
    (max, attempts) => {
      const steps = pushing(setting(max, attempts, 1), max * attempts + 2, first('refused draft', 'is posted'));
      expect({ runs: total(steps, 'runs'), rounds: total(steps, 'rounds'), handOffs: total(steps, 'giveUps') }).toEqual(
        {
          runs: max * attempts,
          rounds: 0,
          handOffs: max,
        },
      );
    },
  );

  it.each([
    ['1 new', 1, 1],
    ['a file left out', 0, 1],
    ['no thread', 0, 1],
  ])(
    'X5: counts only reviews that ask as rounds, and ends the silent ones at their cap (%s)',
    (answer, rounds, silent) => {
      for (const max of [2, 3]) {
        const steps = pushing(setting(max, 2, 1), max + 3, first(answer, 'nothing touched', 'a draft', 'is posted'));
        expect([total(steps, 'rounds'), total(steps, 'runs')]).toEqual([rounds, rounds + silent]);
      }
    },
  );
});

describe('a model that raises something new with every push', () => {
  it.each([2, 3])('X5: asks in R = %d rounds and calls a human with the last one', (max) => {
    const many = settingOf(PRODUCTION, { max, maxRuns: 2 * max + 2 }, { threads: max + 2 });
    const steps = pushing(many, max + 2, first('1 new', 'a draft', 'is posted'));
    expect(steps.flatMap(({ broken }) => broken)).toEqual([]);
    const said = (steps.at(-1)?.to.forge ?? []).map(({ kind }) => kind);
    const count = (wanted: string): number => said.filter((kind) => kind === wanted).length;
    // Reviews after the last round open no thread.
    expect({ rounds: total(steps, 'rounds'), runs: total(steps, 'runs'), threads: count('finding') }).toEqual({
      rounds: max,
      runs: max + 2,
      threads: max,
    });
    expect(count('handoff')).toBe(1);
  });
});

describe('X15: whatever people, bots, faults and restarts do', () => {
  const rounds = { max: 3, maxRuns: 6, attempts: 2 };
  const setting = settingOf(PRODUCTION, rounds, {
    threads: 2,
    author: true,
    quietMs: 1000,
    people: ['answer', 'close'],
  });
  const { numRuns, seed } = propertyRuns(20, 200);
  const STEPS = 30;

  it('the bot stays within its bounds, says nothing twice and comes to rest', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: STEPS, maxLength: STEPS }), (choices) => {
        const taken: Step[] = [];
        let world = begin(setting, 2);
        for (const choice of choices) {
          const open = stepsOf(setting, world);
          const step = open[choice % open.length];
          if (step === undefined) break;
          taken.push(step);
          world = step.to;
        }
        let turn = 0;
        taken.push(...settle(setting, world, () => choices[turn++ % choices.length] ?? 0));
        expect(taken.flatMap(({ broken }) => broken)).toEqual([]);
        const sum = (name: 'runs' | 'rounds' | 'fixes'): number =>
          taken.reduce((all, { weights }) => all + weights[name], 0);
        expect(sum('runs')).toBeLessThanOrEqual(rounds.maxRuns);
        expect(sum('rounds')).toBeLessThanOrEqual(rounds.max);
        expect(sum('fixes')).toBeLessThanOrEqual(maxFixes({ rounds: { ...setting.policy.rounds } }));
      }),
      { numRuns, seed },
    );
  });
});
