import type { ChatSim } from '../sim/chat/start.ts';
import { commitBase, textOf } from './story.ts';
import { startStoryWorld, type StoryWish, type StoryWorld } from './story-world.ts';
import { CHOSEN_WIRE, stageOf, type Wire } from './wires.ts';

export type ModelStory = {
  readonly model: ChatSim;
  readonly world: StoryWorld;
  /** Like `StoryWorld.finish`; also fails on a request that the real API would have rejected. */
  readonly finish: () => Promise<void>;
};

/** Contract: the caller ends with `finish`, also when a test fails. */
export const startModelStory = async (
  more = '',
  { wire, ...wish }: Pick<StoryWish, 'dataDir' | 'moreRepos' | 'env'> & { readonly wire?: Wire } = {},
): Promise<ModelStory> => {
  const used = wire ?? CHOSEN_WIRE;
  const model = await used.start();
  const world = await startStoryWorld({ ...wish, model: stageOf(used, model), more });
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
