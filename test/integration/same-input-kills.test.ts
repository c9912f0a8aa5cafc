/** Row X6 with services as real processes that are killed while a verdict is carried over. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usually } from '../support/deep.ts';
import { AUTHOR, type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetSim, handsOn } from '../support/fleet-forge.ts';
import { type FleetQueues, openQueues } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, readerView, type Told } from '../support/fleet-story.ts';

const START_MS = 240_000;
const STORY_MS = 180_000;

let fleet: Fleet<FleetSim>;
let queues: FleetQueues;

const close = async (): Promise<void> => {
  await queues?.close();
  await fleet?.close();
};

/** Everything except the summary, whose text changes. */
const saidBeside = (told: Told) => {
  const { comments, reviews, inline } = readerView(fleet, told);
  const isOther = ({ body }: { readonly body: string }): boolean => !body.includes('<summary>Commands</summary>');
  return { comments: comments.filter(isOther), reviews: reviews.filter(isOther), inline };
};

const summariesOf = (told: Told): readonly string[] =>
  [...readerView(fleet, told).comments, ...readerView(fleet, told).reviews].flatMap(({ body }) =>
    body.includes('<summary>Commands</summary>') ? [body] : [],
  );

describe.each(usually('gitlab' as const, 'forgejo' as const))('on %s', (kind) => {
  beforeAll(async () => {
    await close();
    const knobs = { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5 };
    fleet = await startFleet({ forge: kind, count: { explorer: 0 }, knobs });
    queues = openQueues(fleet);
    await commitBase(fleet);
  }, START_MS);
  afterAll(close);

  test.each(
    usually(
      ['reviewer', 'before-report'] as const,
      ['guard', 'before-post_review'] as const,
      ['poster', 'before-status:2'] as const,
      ['poster', 'after-summary:2'] as const,
    ),
  )(
    'X6: an empty commit is not reviewed although the %s is killed at %s',
    async (service, at) => {
      const told = await openStory(fleet, fleet.repos[0] ?? '', `carried-${service}-${at.replaceAll(/[^a-z]/g, '-')}`);
      await awaitVerdict(fleet, told);
      await queues.idle();
      const before = saidBeside(told);
      await Promise.all(fleet.alive(service).map(async (each) => each.kill()));
      const doomed = await fleet.spawn(service, { crashAt: at });
      const { repo, branch } = told;
      await handsOn(fleet.sim).commit({ repo, branch, files: {}, message: 'Nothing\n', author: AUTHOR });
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await fleet.spawn(service);
      await awaitVerdict(fleet, told);
      await queues.idle();
      expect(saidBeside(told)).toEqual(before);
      const summaries = summariesOf(told);
      expect(summaries).toHaveLength(1);
      expect(summaries[0]).toContain(
        'Commit `head-2`: the verdict of review 1 applies, without a new review: the same content as `head-1`.',
      );
    },
    STORY_MS,
  );
});
