import { expect, test } from 'vitest';
import { commitBase, open, statusOf, textOf } from '../support/story.ts';
import { BOT, REPO, STORY_MS, startStoryWorld } from '../support/story-world.ts';

test(
  'a dry run reviews everything and writes nothing to the forge',
  async () => {
    const world = await startStoryWorld({ review: 'dry_run = true' });
    try {
      await commitBase(world, { 'README.md': '# Shop\n' });
      const number = await open(world, { branch: 'dry', files: { 'dry.js': textOf('eval(process.argv[2]);') } });
      await world.decided(number, /^review 1 is posted$/);
      await world.calm();
      expect((await world.decisions(number)).map(({ effect }) => effect)).toContain('post_review');
      expect(world.sim.effects.filter(({ actor }) => actor === BOT)).toEqual([]);
      expect(
        world.sim.requests.filter(({ method, path }) => method !== 'GET' && !path.includes('/git-upload-pack')),
      ).toEqual([]);
      expect({ status: statusOf(world, number), comments: world.sim.snapshot(REPO, number).comments }).toEqual({
        status: undefined,
        comments: [],
      });
    } finally {
      await world.finish();
    }
  },
  STORY_MS,
);
