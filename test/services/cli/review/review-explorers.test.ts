import { expect, test } from 'vitest';
import { chooseReviewer } from '../../../../services/cli/review/choose-runner.ts';
import { createLocalExplorers } from '../../../../services/cli/review/review-explorers.ts';
import { LOCAL_PAYER } from '../../../../services/cli/review/local-runners.ts';
import type { Asked } from '../../../../services/reviewer/run/explorers.ts';
import { never } from '../../../shared/workspace/repository.ts';

const asked = (id: string): Asked => ({
  id,
  question: { v: 1, kind: 'explore', question: 'Who calls it?', files: [], changedPaths: [] },
});

test('an explorer that cannot go on ends the others, and none is at work when that is known', async () => {
  const { reviewer } = chooseReviewer(
    { apiKey: ['a', 'key', 'of', 'nobody'].join('-') },
    { env: {}, onProgress: () => {} },
  );
  if (reviewer.kind !== 'agent') throw new Error('no model');
  let ended = 0;
  let places = 0;
  const explorers = createLocalExplorers({
    model: reviewer.model,
    payer: LOCAL_PAYER,
    place: async (signal) => {
      places += 1;
      if (places === 1) throw new TypeError('the disk is gone');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await new Promise((resolve) => void setImmediate(resolve));
      ended += 1;
      throw signal.reason;
    },
  });
  const asking = explorers.ask(['one', 'two', 'three'].map(asked), never());
  await expect(asking).rejects.toThrow('the disk is gone');
  expect([places, ended]).toEqual([3, 2]);
});
