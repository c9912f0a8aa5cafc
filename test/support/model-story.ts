import { type MessagesSim, startMessagesSim } from '../sim/messages/start.ts';
import { commitBase, textOf } from './story.ts';
import { startStoryWorld, type StoryWish, type StoryWorld } from './story-world.ts';

export type ModelStory = {
  readonly model: MessagesSim;
  readonly world: StoryWorld;
  /** Like `StoryWorld.finish`; also fails on a request that the real API would have rejected. */
  readonly finish: () => Promise<void>;
};

/** Contract: the caller ends with `finish`, also when a test fails. */
export const startModelStory = async (more = '', wish: Pick<StoryWish, 'dataDir'> = {}): Promise<ModelStory> => {
  const model = await startMessagesSim({ apiKeys: ['story-model-key-0123456789'] });
  const world = await startStoryWorld({ ...wish, model, more });
  await commitBase(world, { 'README.md': textOf('# Shop') });
  return {
    model,
    world,
    finish: async () => {
      try {
        await world.finish();
        if (model.violations.length > 0) throw new Error(model.violations.join('\n'));
      } finally {
        await model.close();
      }
    },
  };
};
