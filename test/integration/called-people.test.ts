/**
 * A veto and a hand-off call a person, once, each in its own place: the code owner, else the reviewers, else the operators,
 * else the author; whatever is killed, replayed or wiped.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import type { GitlabSim } from '../sim/gitlab/start.ts';
import { AUTHOR, BOT, type Fleet, OWNER, startFleet } from '../support/fleet.ts';
import { type FleetSim, handsOn } from '../support/fleet-forge.ts';
import { type FleetQueues, openQueues, until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, type Told } from '../support/fleet-story.ts';
import { mentionsIn } from '../support/live-markup.ts';

const START_MS = 240_000;
const STORY_MS = 180_000;
const REVIEWER = 'reviewer';

/** On the first one an operator is named, on the second none. */
const KINDS: readonly (readonly [ForgeKind, readonly string[]])[] = [
  ['gitlab', ['on-call']],
  ['forgejo', []],
];

const BAD: Readonly<Record<string, string>> = {
  'sum.js': 'export const sum = (a, b) => {\n  return eval(a) + b;\n};\n',
  'ship.sh': '#!/bin/sh\nset -eu\necho shipping\ncurl --insecure https://shop.example/ship\n',
  'greet.py': 'import pickle\n\n\ndef greet(name):\n    return "Hello " + pickle.loads(name)\n',
};

const OWNERS: Readonly<Record<ForgeKind, string>> = {
  gitlab: `/sum.js @gone @${OWNER} ann@example.com\n/ship.sh @gone\n`,
  forgejo: `sum\\\\.js @gone @${OWNER} ann@example.com\nship\\\\.sh @gone\n`,
  gitea: `/sum\\\\.js @gone @${OWNER} ann@example.com\n`,
};

let fleet: Fleet<FleetSim>;
let queues: FleetQueues;

afterAll(async () => {
  await queues?.close();
  await fleet?.close();
});

const isGitlab = (sim: FleetSim): sim is GitlabSim => !('traits' in sim);
const repo = (): string => fleet.repos[0] ?? '';

/** Opened as a draft, so that people can be named before the first review. */
const openDraft = async (branch: string, file: string): Promise<Told> => {
  const files = { [file]: BAD[file] ?? '' };
  const hands = handsOn(fleet.sim);
  await hands.commit({ repo: repo(), branch, files, message: `Change ${file}\n`, author: AUTHOR });
  const title = isGitlab(fleet.sim) ? `Draft: ${branch}` : `WIP: ${branch}`;
  const number = await hands.open({ repo: repo(), branch, title, author: AUTHOR });
  return { repo: repo(), branch, number };
};

const makeReady = async ({ number, branch: title }: Told): Promise<void> => {
  const { sim } = fleet;
  if (isGitlab(sim)) await sim.editMergeRequest({ project: repo(), iid: number, as: AUTHOR, title });
  else await sim.editPullRequest({ repo: repo(), number, as: AUTHOR, title });
};

const askReviewers = async ({ number }: Told, reviewer: string, assignee: string): Promise<void> => {
  const { sim } = fleet;
  if (isGitlab(sim)) {
    const at = { project: repo(), iid: number, as: AUTHOR };
    await sim.editMergeRequest({ ...at, reviewers: [BOT, reviewer], assignees: [assignee] });
    return;
  }
  const at = { repo: repo(), number, as: AUTHOR };
  sim.askReview({ ...at, reviewer });
  sim.assign({ ...at, to: assignee });
};

const answer = async ({ number }: Told, body: string): Promise<void> => {
  const { sim } = fleet;
  if (isGitlab(sim)) {
    const { notes } = sim.mergeRequestAt({ project: repo(), iid: number });
    const discussion = notes.find((note) => note.body.includes('_`F-001`'))?.discussionId ?? '';
    await sim.replyToDiscussion({ project: repo(), iid: number, as: AUTHOR, discussion, body });
    return;
  }
  const to =
    sim.pullAt({ repo: repo(), number }).comments.find((comment) => comment.body.includes('_`F-001`'))?.id ?? 0;
  await sim.replyInline({ repo: repo(), number, as: AUTHOR, to, body });
};

const bodiesOf = (told: Told): readonly string[] => {
  const { comments, inline } = handsOn(fleet.sim).look(told);
  return [...comments, ...inline.flatMap((each) => [each, ...each.replies])]
    .filter(({ author }) => author === BOT)
    .map(({ body }) => stripMarkers(body));
};

/** Whom each comment of the bot calls. Commands are shown in code, where nobody is called. */
const calls = (told: Told): readonly string[] =>
  bodiesOf(told).flatMap((body) => {
    const called = mentionsIn(body.replaceAll(/`[^`\n]*`/g, '')).join(' ');
    if (called === '') return [];
    return [`${body.includes('The bot will not continue this discussion.') ? 'veto' : 'hand-off'}: ${called}`];
  });

const handedOff = async (told: Told): Promise<void> => {
  await makeReady(told);
  await awaitVerdict(fleet, told);
  await queues.idle();
};

/** Everything that has been sent is sent again, and what Redis knew is gone. */
const disturb = async (told: Told): Promise<void> => {
  // A replay is a delivery, too.
  const sent = fleet.sim.deliveries.map(({ uuid }) => uuid);
  for (const uuid of sent) fleet.sim.replay(uuid);
  await queues.idle();
  await queues.flush();
  await handsOn(fleet.sim).comment({ ...told, as: AUTHOR, body: 'Nothing to see here.' });
  for (const uuid of sent.slice(-5)) fleet.sim.replay(uuid);
  await queues.idle();
};

const killPoster = async (crashAt: string) => {
  await Promise.all(fleet.alive('poster').map(async (each) => each.kill()));
  const doomed = await fleet.spawn('poster', { crashAt });
  return async () => {
    expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await fleet.spawn('poster');
  };
};

describe.each(KINDS)('on %s, with the operators %j', (kind, operators) => {
  beforeAll(async () => {
    await queues?.close();
    await fleet?.close();
    const knobs = { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5, maxRounds: 1, operators };
    fleet = await startFleet({ forge: kind, count: { explorer: 0 }, knobs });
    queues = openQueues(fleet);
    const { sim } = fleet;
    sim.createUser({ login: REVIEWER });
    if (isGitlab(sim)) sim.addMember(repo(), REVIEWER, 30);
    else sim.addCollaborator(repo(), REVIEWER, 'write');
    await commitBase(fleet);
    const files = { 'docs/CODEOWNERS': OWNERS[kind] };
    await handsOn(sim).commit({ repo: repo(), branch: 'main', files, message: 'Own\n', author: OWNER });
  }, START_MS);

  test(
    'the code owner is called by the hand-off and by the veto, once each, although the poster is killed at both',
    async () => {
      const told = await openDraft('owned', 'sum.js');
      await askReviewers(told, REVIEWER, AUTHOR);
      const revive = await killPoster('before-status:2');
      await makeReady(told);
      await revive();
      await awaitVerdict(fleet, told);
      await queues.idle();
      expect(calls(told)).toEqual([`hand-off: @${OWNER}`]);
      const reviveAgain = await killPoster('after-reply');
      await answer(told, 'This is by design.');
      await reviveAgain();
      await until(() => calls(told).length === 2);
      await queues.idle();
      const both = [`hand-off: @${OWNER}`, `veto: @${OWNER}`];
      expect(calls(told).toSorted()).toEqual(both);
      await disturb(told);
      expect(calls(told).toSorted()).toEqual(both);
      expect(fleet.sim.violations).toEqual([]);
    },
    STORY_MS,
  );

  test(
    'the reviewers are called where the owner of the file is gone, and the bot that reviews is not',
    async () => {
      const told = await openDraft('reviewed', 'ship.sh');
      await askReviewers(told, REVIEWER, OWNER);
      await handedOff(told);
      expect(calls(told)).toEqual([`hand-off: @${REVIEWER} @${OWNER}`]);
    },
    STORY_MS,
  );

  test(
    'an operator is called where nobody owns or reviews, and the author where no operator is named',
    async () => {
      const told = await openDraft('alone', 'greet.py');
      await handedOff(told);
      const [operator = AUTHOR] = operators;
      expect(calls(told)).toEqual([`hand-off: @${operator}`]);
      await disturb(told);
      expect(calls(told)).toEqual([`hand-off: @${operator}`]);
    },
    STORY_MS,
  );
});
