/** A process that removes unused mirrors and is killed at a step. */
import { createCheckpoint } from '../../../../shared/checkpoint.ts';
import { createMirrorKeeper } from '../../../../shared/workspace/mirror/mirror-keeper.ts';

const [folder = '', crashAt = ''] = process.argv.slice(2);

const keeper = createMirrorKeeper(
  { folder, maxBytes: 1, unusedMs: 1 },
  {
    onEvicted: () => {},
    onOversized: () => {},
    onMeasured: () => {},
    onTrouble: (error) => {
      throw error;
    },
    nowMs: () => Date.now() + 3_600_000,
    signal: new AbortController().signal,
    checkpoint: createCheckpoint('keeper', `keeper:${crashAt}`),
  },
);
await keeper.tidy();
