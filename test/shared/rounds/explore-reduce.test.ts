/** That leaving out what nobody reads leaves out nothing: world by world, and walk by walk. */
import { describe, expect, it } from 'vitest';
import { shardOf, usually } from '../../support/deep.ts';
import { rankOf } from './explore-rank.ts';
import { stepsOf } from './explore-moves.ts';
import { reducing } from './explore-reduce.ts';
import { PRODUCTION } from './explore-reducers.ts';
import { explore, runProblems } from './explore-run.ts';
import { keyOfWorld, type Setting, settingOf, type World } from './explore-world.ts';

const WALK_MS = 1_800_000;

/** A sample in the usual run, all of them in the deep one. */
const EVERY = process.env['FIXPOINT_DEEP'] === '1' ? 1 : 7;

const FORMS = usually(
  settingOf(PRODUCTION, { max: 2, maxRuns: 2, attempts: 1 }, { threads: 1 }),
  settingOf(PRODUCTION, { max: 2, maxRuns: 2, attempts: 2 }, { threads: 1 }),
  settingOf(PRODUCTION, { max: 2, maxRuns: 4, attempts: 2 }, { threads: 0 }),
  settingOf(PRODUCTION, { max: 2, maxRuns: 3, attempts: 2 }, { threads: 1 }),
  settingOf(PRODUCTION, { max: 3, maxRuns: 3, attempts: 1 }, { threads: 1 }),
  settingOf(PRODUCTION, { max: 2, maxRuns: 2, attempts: 1 }, { threads: 3 }),
  settingOf(PRODUCTION, { max: 2, maxRuns: 2, attempts: 2 }, { threads: 1, author: true }),
  settingOf(PRODUCTION, { max: 1, maxRuns: 2, attempts: 1 }, { threads: 1, people: ['answer'] }),
  settingOf(PRODUCTION, { max: 1, maxRuns: 1, attempts: 1 }, { threads: 0, quietMs: 1000, people: ['close'] }),
);

const nameOf = ({ policy: { rounds, author }, threads, people }: Setting): string =>
  `R ${rounds.max}, N ${rounds.maxRuns}, A ${rounds.attempts}, ${threads} threads, ${author.enabled ? 'an author, ' : ''}${people.join()}`;

/** Rank, and every move with its cost, to which reduced world. */
const behaviourOf = (setting: Setting, form: (world: World) => World, world: World): readonly string[] => {
  const moves = stepsOf(setting, world).map(({ label, weights, human, broken, to }) =>
    JSON.stringify([label, weights, human, broken, keyOfWorld(form(to))]),
  );
  return [String(rankOf(setting, world)), ...new Set(moves.toSorted())];
};

const SHARE = shardOf('settings', FORMS);

describe.skipIf(SHARE.length === 0)('a world without what nobody reads', () => {
  it.each(SHARE.map((setting) => ({ name: nameOf(setting), setting })))(
    'behaves in every move as the world that it stands for: $name',
    { timeout: WALK_MS },
    ({ setting }) => {
      const whole = explore(setting, {}, (world) => world);
      const form = reducing(setting);
      const others = whole.graph.worlds.filter((world, index) => {
        if (index % EVERY !== 0) return false;
        const [own, reduced] = [world, form(world)].map((each) => behaviourOf(setting, form, each));
        return JSON.stringify(own) !== JSON.stringify(reduced);
      });
      expect(others).toEqual([]);
      const short = explore(setting);
      expect(short.graph.worlds.length).toBeLessThan(whole.graph.worlds.length);
      expect([runProblems(setting, short), runProblems(setting, whole)]).toEqual([[], []]);
    },
  );
});
