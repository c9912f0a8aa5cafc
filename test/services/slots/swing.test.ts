/** A reviewer without memory would swing between two demands until the attempts are used up. */
import { expect, it } from 'vitest';
import { createLoopStage } from './loop-stage.ts';

it('ends a task whose reviewer swings between two demands, and shows each reviewer all that was asked for before', async () => {
  const stage = createLoopStage();
  try {
    const { slots } = await stage.run({
      reviewer: "verdict('drift', run % 2 === 0 ? 'say tea' : 'say milk')",
      fixer: "write('drink.txt', prompt)",
    });
    expect(slots).toMatchObject([{ failure: 'not_converging', fixAttempts: 3 }]);
    const prompts = stage.prompts('reviewer');
    expect(prompts).toHaveLength(4);
    const last = prompts.find((prompt) => prompt.includes('Fix attempt 3 of 5'));
    expect(last).toMatch(
      /asked for:\n\n```\nsay tea\n```[\s\S]*Review 1:\n\n```\nsay tea\n```\n\nReview 2:\n\n```\nsay milk/,
    );
  } finally {
    stage.dispose();
  }
});
