/** Another bot pushes, answers and talks without an end: what ours does stays within what `fixpoint bound` prints. */
import { describe, expect, test } from 'vitest';
import { boundInputOf } from '../../services/cli/bound.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { type BoundInput, boundOf, maxComments } from '../../shared/rounds/bound/bound.ts';
import { shardOf, usually } from '../support/deep.ts';
import { forgetMarkers } from '../shared/rounds/explore-forge.ts';
import { PRODUCTION } from '../shared/rounds/explore-reducers.ts';
import { settingOf } from '../shared/rounds/explore-world.ts';
import { chanceOf, MANNERS, playTwoBots, type Total, totalOf } from './endless-bots.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const STEPS = DEEP ? 1000 : 60;
const SEEDS = DEEP ? [1, 2, 3, 4] : [1];
const PLAY_MS = DEEP ? 1_800_000 : 120_000;
const THREADS = 2;

const COUNTED = ['runs', 'rounds', 'fixes', 'calls', 'comments'] as const;

/** As loaded from an operator's file. */
const inputFor = (settings: string): BoundInput => {
  const text = `${settings}
[[forge]]
id = "main"
kind = "gitea"
base_url = "https://gitea.example.com"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["a/b"]`;
  const loaded = loadConfig({ text, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return boundInputOf(loaded.config);
};

const CONFIGURED = [
  { name: 'the defaults', settings: '' },
  { name: 'an author of ours beside', settings: '[author]\nenabled = true\nagent = "agent"' },
  { name: 'few runs', settings: '[rounds]\nmax = 2\nmax_runs = 4\nmax_silent = 3\nmax_carried = 3' },
];

const GAMES = CONFIGURED.flatMap(({ name, settings }) =>
  MANNERS.flatMap((manner) =>
    SEEDS.flatMap((seed) =>
      usually(3, 0).map((wipes) => ({ name, settings, manner, words: manner.name, seed, wipes })),
    ),
  ),
);

const played = (
  input: BoundInput,
  { manner, seed, wipes }: Pick<(typeof GAMES)[number], 'manner' | 'seed' | 'wipes'>,
) => {
  const { rounds, author } = input.policy;
  const setting = settingOf(PRODUCTION, rounds, { threads: THREADS, author: author.enabled, people: ['answer'] });
  const game = playTwoBots({ setting, manner, chance: chanceOf(seed), steps: STEPS, wipes });
  forgetMarkers();
  return game;
};

describe('X9: two bots that push and answer each other', () => {
  test.each(shardOf('games of two bots', GAMES))(
    'stay within the bound of $name, where $words (seed $seed, Redis is flushed up to $wipes times)',
    ({ name, settings, ...game }) => {
      const input = inputFor(settings);
      const { model } = input;
      if (model === null) throw new Error('the configuration has no model');
      const { taken, rest } = played(input, game);
      const total = totalOf(taken, model);
      if (DEEP) process.stdout.write(`${name}, ${game.words}: ${JSON.stringify(total)}\n`);
      const { runs, rounds, fixes, modelCalls: calls } = boundOf(input).changeRequest;
      // So few threads: the printed number is for as many as the ledger holds.
      const comments = maxComments(input.policy, [THREADS]);
      expect(beyond(total, { runs, rounds, fixes, calls, comments })).toEqual([]);
      expect(total.runs * total.comments).toBeGreaterThan(0);
      expect(taken.flatMap(({ broken }) => broken)).toEqual([]);
      expect(rest.filter(({ weights }) => weights.orders > 0).map(({ label }) => label)).toEqual([]);
    },
    PLAY_MS,
  );
});

const beyond = (total: Total, most: Total): readonly string[] =>
  COUNTED.flatMap((name) => (total[name] <= most[name] ? [] : [`${total[name]} ${name}, more than ${most[name]}`]));
