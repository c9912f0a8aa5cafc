/** The data folder's disk is full for a while: the result equals the one without the fault. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultMatch } from '../sim/forgejo/faults.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { failWrites, type FullDisk, mountSmallDisk } from '../support/full-disk.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import { statusOf } from '../support/story.ts';
import { eventually, REPO, STORY_MS } from '../support/story-world.ts';
import { type Cases, casesOf } from './outage-look.ts';

const reviewer = seededReviewer(7, { explore: ['Who calls a, and with what?'] });

const PHASES: Readonly<Record<string, FaultMatch>> = {
  'the announcement': { method: 'POST', path: /\/statuses\// },
  'the question which refs there are': { path: /info\/refs/ },
  'the transfer of a pack': { method: 'POST', path: /git-upload-pack$/ },
};

describe.sequential.each([
  { what: 'a small file system of its own', make: mountSmallDisk },
  { what: 'writes that fail as on one', make: failWrites },
])('F-E5: a full disk ($what)', ({ make }) => {
  let disk: FullDisk | null = null;
  let story: ModelStory;
  let cases: Cases;

  beforeAll(async () => {
    disk = await make();
    if (disk === null) return;
    story = await startModelStory('[queues]\nbackoff_ms = 20\n', { dataDir: disk.folder });
    cases = casesOf(story.world);
    story.model.script(reviewer);
  }, STORY_MS);
  afterAll(async () => {
    await disk?.empty();
    await story?.finish();
    await disk?.dispose();
  }, STORY_MS);

  /** Skips when this account may not mount; the other variant runs everywhere. */
  const diskOr = (skip: (why: string) => never): FullDisk => disk ?? skip('this account may not mount a file system');

  /** Frees space once a review reports that it waits for the disk. `mayPass`: or once it has ended without writing. */
  const recover = async (full: FullDisk, number: number, mayPass = false): Promise<void> => {
    const isNamed = (): boolean =>
      story.world.sim
        .snapshot(REPO, number)
        .statuses.some(({ description }) => description === 'Waiting: the disk of the reviewer is full');
    const isOver = (): boolean => mayPass && statusOf(story.world, number) === 'failure';
    await eventually('a status that names the full disk', () => isNamed() || isOver());
    await full.empty();
  };

  test(
    'before anything is there changes nothing of what is said in the end',
    async ({ skip }) => {
      const full = diskOr(skip);
      await full.fill();
      const number = await cases.open();
      await recover(full, number);
      await cases.expectTheSame(number);
      await cases.expectTheSame(await cases.open());
    },
    STORY_MS,
  );

  test.for(Object.entries(PHASES))(
    'at %s changes nothing of what is said in the end',
    { timeout: STORY_MS },
    async ([, at], { skip }) => {
      const full = diskOr(skip);
      const away = story.world.sim.fault(at, { kind: 'meanwhile', task: full.fill });
      const number = await cases.open();
      await recover(full, number);
      await cases.expectTheSame(number);
      expect(away.remaining()).toBe(0);
    },
  );

  test(
    'while the model answers changes nothing of what is said in the end',
    async ({ skip }) => {
      const full = diskOr(skip);
      let asked = 0;
      const meanwhile = story.model.script(
        async (exchange) => {
          asked += 1;
          if (asked === 1) await full.fill();
          return typeof reviewer === 'function' ? reviewer(exchange) : null;
        },
        { hasTool: 'submit_review', when: ({ turn }) => turn === 0 },
      );
      const number = await cases.open();
      // Space that something frees may be enough for the rest of the run.
      await recover(full, number, true);
      await cases.expectTheSame(number);
      meanwhile.remove();
    },
    STORY_MS,
  );
});
