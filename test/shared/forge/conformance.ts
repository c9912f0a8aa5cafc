/**
 * What every forge adapter must do, told through the port alone. An adapter's test starts a world and runs this.
 */
import { afterEach, beforeEach, describe } from 'vitest';
import { createBench } from './conformance-bench.ts';
import { describeCiReports } from './conformance-ci-reports.ts';
import { describeFaults } from './conformance-faults.ts';
import { describeFix } from './conformance-fix.ts';
import { describeIssues } from './conformance-issues.ts';
import { describeListing } from './conformance-listing.ts';
import { describeOwners } from './conformance-owners.ts';
import { describePosting } from './conformance-posting.ts';
import { describeReactions } from './conformance-reactions.ts';
import { describeReading } from './conformance-reading.ts';
import { describeThreads } from './conformance-threads.ts';
import { describeVerdicts } from './conformance-verdicts.ts';
import type { ConformanceWorld } from './conformance-world.ts';

/** `start` opens a fresh world; `totalMs` is the time limit of one call where a test needs a short one. */
export const describeForge = (name: string, start: (totalMs?: number) => Promise<ConformanceWorld>): void => {
  describe(`conformance of ${name}`, () => {
    const bench = createBench();

    beforeEach(async () => {
      bench.world = await start();
    });
    afterEach(async () => {
      const problems = [...bench.world.violations()];
      await bench.world.close();
      if (problems.length > 0) throw new Error(`a real forge would not have understood: ${problems.join('; ')}`);
    });

    describeReading(bench);
    describeListing(bench);
    describePosting(bench);
    describeThreads(bench);
    describeReactions(bench);
    describeVerdicts(bench);
    describeFix(bench);
    describeOwners(bench);
    describeIssues(bench);
    describeCiReports(bench);
    describeFaults(bench, start);
  });
};
