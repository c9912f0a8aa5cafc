/** Row X14 on every kind of forge, with poster and guard killed during replies. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import type { ForgejoSim } from '../sim/forgejo/start.ts';
import type { GitlabSim } from '../sim/gitlab/start.ts';
import { usually } from '../support/deep.ts';
import { AUTHOR, BOT, type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetSim, handsOn } from '../support/fleet-forge.ts';
import { type FleetQueues, openQueues, until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, readerView, statusOf, type Told } from '../support/fleet-story.ts';

const START_MS = 240_000;
const STORY_MS = 180_000;
const KINDS = usually<ForgeKind>('gitlab', 'forgejo');

let fleet: Fleet<FleetSim>;
let queues: FleetQueues;

afterAll(async () => {
  await queues?.close();
  await fleet?.close();
});

const isGitlab = (sim: FleetSim): sim is GitlabSim => !('traits' in sim);

const answer = async ({ repo, number }: Told, id: string, body: string): Promise<void> => {
  const { sim } = fleet;
  if (isGitlab(sim)) {
    const { notes } = sim.mergeRequestAt({ project: repo, iid: number });
    const discussion = notes.find((note) => note.body.includes(`_\`${id}\` · `))?.discussionId ?? '';
    await sim.replyToDiscussion({ project: repo, iid: number, as: AUTHOR, discussion, body });
    return;
  }
  await answerOnForgejo(sim, { repo, number }, { id, body });
};

const answerOnForgejo = async (
  sim: ForgejoSim,
  at: Pick<Told, 'repo' | 'number'>,
  { id, body }: { readonly id: string; readonly body: string },
): Promise<void> => {
  const to = sim.pullAt(at).comments.find((comment) => comment.body.includes(`_\`${id}\` · `))?.id ?? 0;
  await sim.replyInline({ ...at, as: AUTHOR, to, body });
};

const replies = (told: Told): readonly string[] =>
  readerView(fleet, told)
    .inline.flatMap(({ author, body, replies: inside }) => [{ author, body }, ...inside])
    .filter(({ author, body }) => author === BOT && !/^_`F-\d+` · |^\*\*(?:Resolved|Dismissed)\*\*/m.test(body))
    .map(({ body }) => body.trim());

const begin = async (branch: string): Promise<Told> => {
  const told = await openStory(fleet, fleet.repos[0] ?? '', branch);
  await awaitVerdict(fleet, told);
  await queues.idle();
  return told;
};

const STANDS = 'The problem found by `js-eval` is still there, at line 2.';

describe.each(KINDS)('on %s', (kind) => {
  beforeAll(async () => {
    await queues?.close();
    await fleet?.close();
    const knobs = { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5 };
    fleet = await startFleet({ forge: kind, count: { explorer: 0 }, knobs });
    queues = openQueues(fleet);
    await commitBase(fleet);
  }, START_MS);

  test.each(
    usually(
      ['reviewer', 'before-report'] as const,
      ['guard', 'before-post_review'] as const,
      ['poster', 'before-status:2'] as const,
      ['poster', 'after-reply'] as const,
    ),
  )(
    'X14: an answer is answered once although the %s is killed at %s',
    async (service, at) => {
      const told = await begin(`killed-${service}-${at.replaceAll(/[^a-z]/g, '-')}`);
      await Promise.all(fleet.alive(service).map(async (each) => each.kill()));
      const doomed = await fleet.spawn(service, { crashAt: at });
      await answer(told, 'F-003', 'This is by design.');
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await fleet.spawn(service);
      await until(() => replies(told).length > 0);
      await queues.idle();
      expect({ replies: replies(told), status: statusOf(fleet, told) }).toEqual({
        replies: [STANDS],
        status: kind === 'gitlab' ? 'failed' : 'failure',
      });
      expect(fleet.sim.violations).toEqual([]);
    },
    STORY_MS,
  );

  test(
    'a talk goes on where it stood when Redis is wiped, and ends with a human',
    async () => {
      const told = await begin('wiped');
      await answer(told, 'F-003', 'This is by design.');
      await until(() => replies(told).length === 1);
      await queues.idle();
      await queues.flush();
      await answer(told, 'F-003', 'I have fixed it.');
      await until(() => replies(told).length === 2);
      await answer(told, 'F-003', 'Really.');
      await queues.idle();
      expect(replies(told)[1]).toContain('The reasons are above.\n\n**A person has to decide.**');
      expect(replies(told)).toHaveLength(2);
    },
    STORY_MS,
  );

  test(
    'a command in a thread is answered there, and a dismissal closes the thread',
    async () => {
      const told = await begin('commanded');
      for (const id of ['F-001', 'F-002']) {
        const body = `@${BOT} dismiss ${id} because it is meant so`;
        await handsOn(fleet.sim).comment({ ...told, as: AUTHOR, body });
      }
      await answer(told, 'F-003', `@${BOT} dismiss F-003 because it is a game`);
      await until(() => statusOf(fleet, told) === 'success');
      await queues.idle();
      expect(replies(told)).toHaveLength(1);
      expect(replies(told)[0]).toContain('F-003 is dismissed and no longer blocks.');
      const { comments, reviews, inline } = readerView(fleet, told);
      expect(comments.filter(({ body }) => body.includes('is dismissed and no longer blocks.'))).toHaveLength(2);
      expect(inline.filter(({ body }) => /^\*\*Dismissed\*\* \(F-00\d\): it is/.test(body))).toHaveLength(3);
      const summaries = [...comments, ...reviews].filter(
        ({ author, body }) => author === BOT && body.includes('<summary>Commands</summary>'),
      );
      expect(summaries).toHaveLength(1);
    },
    STORY_MS,
  );
});
