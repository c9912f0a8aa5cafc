/** What waits for what when there is more work than reviewers: projects beside each other, new events beside old ones. */
import { describe, expect, test } from 'vitest';
import { countBeforeFresh, measureFairness } from '../../bench/fairness.ts';

const TEST_MS = 120_000;

describe('beside a project with many change requests', () => {
  test.each(['forge', 'sweep'] as const)(
    'small projects get as many reviews as it does, if the %s reports them',
    async (crowdFrom) => {
      const small = 6;
      const { crowdEnded } = await measureFairness({ crowd: 60, small, reviewMs: 100, limitMs: 60_000, crowdFrom });
      // One of the two reviewers may always be busy with the crowd; one more may have ended before the small ones began.
      expect(crowdEnded).toBeLessThanOrEqual(small + 3);
    },
    TEST_MS,
  );
});

describe('after a wipe of Redis', () => {
  test(
    'F-E11: a change request that was just opened does not wait for the old ones of its project',
    async () => {
      const before = await countBeforeFresh({ crowd: 25, reviewMs: 200, limitMs: 60_000 });
      expect(before).toBeLessThanOrEqual(3);
    },
    TEST_MS,
  );
});
