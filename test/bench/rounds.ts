/** How the built-in rules do on the change requests of `test/fixtures/rounds`, by language. */
import { loadRoundCases } from '../rounds/round-case.ts';
import { playRounds } from '../rounds/play-rounds.ts';
import { addRounds, NO_ROUNDS, type RoundScores, scoreRounds } from '../rounds/score-rounds.ts';
import { commitBase } from '../support/story.ts';
import { startStoryWorld } from '../support/story-world.ts';

const row = (name: string, { reviews, defects, found, late, ...rest }: RoundScores): string =>
  [
    name.padEnd(12),
    `${reviews} reviews`.padStart(12),
    `found ${found} of ${defects}`.padStart(16),
    `later ${late}`.padStart(10),
    ...Object.entries(rest).map(([what, count]) => `${what} ${count}`.padStart(16)),
  ].join('');

export const benchRounds = async (): Promise<void> => {
  const world = await startStoryWorld();
  const scores = new Map<string, RoundScores>();
  try {
    await commitBase(world, { 'README.md': '# Shop\n' });
    for (const each of loadRoundCases()) {
      const score = scoreRounds(each, await playRounds(world, each));
      scores.set(each.language, addRounds(scores.get(each.language) ?? NO_ROUNDS, score));
    }
  } finally {
    await world.finish();
  }
  console.log('\nThreads over several reviews, built-in rules');
  for (const [language, score] of scores) console.log(row(language, score));
};
