import { expect, test } from 'vitest';
import { commitBase, open, textOf, verdictOf } from './story.ts';
import { STORY_MS, startStoryWorld } from './story-world.ts';

test(
  'a story fails when a secret stands in Redis in another shape',
  async () => {
    const world = await startStoryWorld();
    await commitBase(world, { 'README.md': '# Shop\n' });
    await verdictOf(world, await open(world, { branch: 'change', files: { 'one.js': textOf('one();') } }));
    await world.redis.hset('anywhere', 'field', Buffer.from(`x:${world.markerSecret}`).toString('base64'));
    await expect(world.finish()).rejects.toThrow(/^secret 3 of 3 in base64 in Redis anywhere$/m);
  },
  STORY_MS,
);
