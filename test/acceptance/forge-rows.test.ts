/** Rows of the acceptance matrix about the forge, played through all services. `finish` searches for leaked secrets. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import type { FaultMatch, FaultStep } from '../sim/forgejo/faults.ts';
import { readRedis } from '../support/leaks.ts';
import {
  botBodies,
  commitBase,
  finalStatusOf,
  inlineOf,
  kindsOf,
  open,
  push,
  runsOf,
  textOf,
  verdictOf,
} from '../support/story.ts';
import { AUTHOR, BOT, OWNER, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');
const ATTEMPTS = 2;

let world: StoryWorld;

beforeAll(async () => {
  world = await startStoryWorld({
    review: 'target_branches = ["main"]',
    more: `[limits]\nrunning_per_project = 4\n[queues]\nbackoff_ms = 100\n[rounds]\nattempts = ${ATTEMPTS}\n[agent]\noutage_patience_s = 5`,
  });
  await commitBase(world, { 'README.md': '# Shop\n' });
  await world.sim.commitFiles({ repo: REPO, branch: 'lab', files: {}, message: 'Branch\n', author: OWNER });
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const THE_PULL = { method: 'GET', path: /\/pulls\/\d+$/, user: BOT } as const;
const THE_REVIEW = { method: 'POST', path: /\/reviews$/, user: BOT } as const;

describe.sequential('who may command', () => {
  test(
    'I10: is asked when the job runs: whoever lost the right in between is not heard, and nothing is posted',
    async () => {
      const number = await open(world, { branch: 'demoted', files: { 'demoted.js': BAD }, base: 'lab' });
      await world.decided(number, /^reviews are limited/);
      const demote = (): void => world.sim.addCollaborator(REPO, AUTHOR, 'read');
      world.sim.fault(THE_PULL, { kind: 'meanwhile', task: demote });
      world.sim.comment({ repo: REPO, number, as: AUTHOR, body: `@${BOT} review` });
      try {
        await world.decided(number, /^the author of the comment may not give the bot commands$/);
        await world.calm();
      } finally {
        world.sim.addCollaborator(REPO, AUTHOR, 'write');
      }
      const { headStatuses, comments } = world.sim.snapshot(REPO, number);
      expect({ headStatuses, said: comments.filter(({ author }) => author === BOT) }).toEqual({
        headStatuses: {},
        said: [],
      });
      expect(await runsOf(world, number)).toBe(0);
    },
    STORY_MS,
  );
});

type Trouble = { readonly what: string; readonly at: FaultMatch; readonly steps: readonly FaultStep[] };

const times = (count: number, step: FaultStep): readonly FaultStep[] => Array.from({ length: count }, () => step);

const TROUBLES: readonly Trouble[] = [
  { what: 'a rate limit that names no delay', at: THE_PULL, steps: times(2, { kind: 'status', status: 429 }) },
  { what: 'three answers 500 to a read', at: THE_PULL, steps: times(3, { kind: 'status', status: 500 }) },
  { what: 'three answers 500 to a write', at: THE_REVIEW, steps: times(3, { kind: 'status', status: 500 }) },
  {
    what: 'a write that is done and answered 500',
    at: THE_REVIEW,
    steps: [{ kind: 'status', status: 500, when: 'after' }],
  },
  { what: 'a truncated answer', at: THE_PULL, steps: [{ kind: 'truncate' }] },
  { what: 'a connection that is cut', at: THE_PULL, steps: [{ kind: 'reset' }] },
];

describe.sequential('a forge in trouble', () => {
  let index = 0;
  const reviewed = async (): Promise<number> => {
    index += 1;
    const number = await open(world, { branch: `trouble-${index}`, files: { [`trouble-${index}.js`]: BAD } });
    await verdictOf(world, number);
    return number;
  };

  test.each(TROUBLES)(
    'Q12: a review survives $what, and says everything once',
    async ({ at, steps }) => {
      const fault = world.sim.fault(at, steps);
      const number = await reviewed();
      expect({ left: fault.remaining(), runs: await runsOf(world, number) }).toEqual({ left: 0, runs: 1 });
      expect(inlineOf(world, number)).toHaveLength(1);
    },
    STORY_MS,
  );

  test(
    'Q12: a review survives a rate limit, and does not ask before its time',
    async () => {
      const from = world.sim.requests.length;
      world.sim.fault(THE_PULL, { kind: 'status', status: 429, headers: { 'retry-after': '2' } });
      await reviewed();
      const asked = world.sim.requests.slice(from).filter(({ path }) => THE_PULL.path.test(path));
      const limited = asked.findIndex(({ status }) => status === 429);
      const waitedMs = (asked[limited + 1]?.atMs ?? 0) - (asked[limited]?.atMs ?? 0);
      expect(waitedMs).toBeGreaterThanOrEqual(2_000);
    },
    STORY_MS,
  );

  test.each([401, 403])(
    'Q12: a refused account is not tried again within an attempt, and ends in one failed status: %i',
    async (status) => {
      const fault = world.sim.fault({ ...THE_REVIEW, times: 50 }, { kind: 'status', status });
      try {
        const branch = `refused-${status}`;
        const number = await open(world, { branch, files: { [`${branch}.js`]: BAD } });
        expect(await finalStatusOf(world, number)).toBe('error');
        const { statuses, headStatuses } = world.sim.snapshot(REPO, number);
        // No summary stood before, so the hand-off alone says that there is no verdict.
        expect(kindsOf(world, number)).toEqual(['handoff']);
        expect(botBodies(world, number).join('\n')).toContain('**Not reviewed**');
        expect({
          tries: 50 - fault.remaining(),
          errors: statuses.filter(({ state }) => state === 'error').length,
          status: headStatuses['fixpoint'],
        }).toEqual({ tries: ATTEMPTS, errors: 1, status: 'error' });
      } finally {
        fault.remove();
      }
    },
    STORY_MS,
  );
});

describe.sequential('what is said about a failure', () => {
  test(
    'P7: is a fixed sentence with a code, whatever the error held',
    async () => {
      const canary = `canary-${randomBytes(12).toString('hex')}`;
      const body = `fatal: ${canary} in ${tmpdir()}/secret/path\n    at Git.run (/srv/app/git.ts:1:1)`;
      const fault = world.sim.fault({ path: 'git-upload-pack', times: 100 }, { kind: 'status', status: 500, body });
      try {
        const number = await open(world, { branch: 'failing', files: { 'failing.js': BAD } });
        expect(await verdictOf(world, number)).toBe('inconclusive');
        const said = botBodies(world, number).map((each) => stripMarkers(each).trim());
        const fixed = new RegExp(
          '^\\*\\*Not reviewed yet\\*\\*: git cannot fetch from the forge\\n\\n`[0-9a-f]{7,12}` could not be reviewed for longer than a ' +
            'run may wait \\(`[A-Z_]+`\\)\\. The attempt was not counted\\. The review will be retried automatically at \\d{4}-[\\dT:-]+Z ' +
            '\\(retry 1 of at most 20\\)\\. This message says nothing about the code\\.',
        );
        const call =
          /^\*\*Not reviewed yet\.\*\* `[0-9a-f]{7,12}` could not be reviewed\. The summary says why, and when the review will be retried\.$/;
        expect(said).toEqual([expect.stringMatching(fixed), expect.stringMatching(call)]);
        const descriptions = world.sim.snapshot(REPO, number).statuses.map(({ description }) => description);
        expect(descriptions.at(-1)).toMatch(/^Not reviewed yet: [^A-Z_\n]+$/);
        expect([...said, ...descriptions].join('\n')).not.toContain(canary);
      } finally {
        fault.remove();
      }
    },
    STORY_MS,
  );
});

/** Keys of jobs: directly below a queue's name, the queue library stores only jobs as hashes with data. */
const JOB = /^Redis \{fixpoint\}:(?:guard|review|explore|post):[^:]+$/;
const PLAIN = /^[\w.-]{1,160}$/;

const jobData = async (): Promise<readonly string[]> =>
  (await readRedis(world.redis))
    .filter(({ where, text }) => JOB.test(where) && text.includes('"data":'))
    .map(({ text }) => text);

const leavesOf = (value: unknown): readonly unknown[] => {
  if (typeof value !== 'object' || value === null) return [value];
  return Object.values(value).flatMap(leavesOf);
};

describe.sequential('what a job holds', () => {
  test(
    'Q9: is ids and commit ids, never a word of the change request',
    async () => {
      const canary = `canary${randomBytes(12).toString('hex')}`;
      const files = { [`${canary}.js`]: `${BAD}// ${canary}\n` };
      const number = await open(world, { branch: canary, files, title: `Say ${canary}` });
      await world.sim.editPullRequest({ repo: REPO, number, as: AUTHOR, body: `Because ${canary}` });
      world.sim.comment({ repo: REPO, number, as: AUTHOR, body: `@${BOT} review ${canary}` });
      await verdictOf(world, number);
      const jobs = await jobData();
      expect(jobs.length).toBeGreaterThan(10);
      expect(jobs.filter((job) => job.includes(canary))).toEqual([]);
      const leaves = jobs.flatMap((job) => leavesOf(JSON.parse(JSON.parse(job.slice(job.indexOf('\n') + 1)).data)));
      const words = leaves.filter((leaf) => typeof leaf === 'string' && !PLAIN.test(leaf));
      expect(words).toEqual([]);
    },
    STORY_MS,
  );
});

/** Writes that the bot's account may make. None approves, merges, labels, assigns or pushes. */
const WRITES: readonly RegExp[] = [
  /^POST \/issues\/N\/comments$/,
  /^(?:PATCH|DELETE) \/issues\/comments\/N$/,
  /^POST \/issues\/comments\/N\/reactions$/,
  /^POST \/pulls\/N\/reviews(?:\/N)?$/,
  /^DELETE \/pulls\/N\/reviews\/N(?:\/comments\/N)?$/,
  /^POST \/pulls\/comments\/N\/(?:replies|reactions)$/,
  /^POST \/statuses\/SHA$/,
  /^POST git-upload-pack$/,
];

const nameOf = (method: string, path: string): string => {
  if (path.includes('.git/')) return `${method} ${path.slice(path.lastIndexOf('/') + 1)}`;
  const [bare = ''] = path.replace(/^\/api\/v1\/repos\/[^/]+\/[^/]+/, '').split('?');
  return `${method} ${bare.replace(/[0-9a-f]{40}/, 'SHA').replaceAll(/\/\d+(?=\/|$)/g, '/N')}`;
};

describe.sequential('the rights of the bot', () => {
  test(
    'P3: are used for comments, reviews without approval, reactions and statuses, and for nothing else',
    async () => {
      const number = await open(world, { branch: 'rounds', files: { 'rounds.js': BAD } });
      expect(await verdictOf(world, number)).toBe('feedback');
      await push(world, 'rounds', { 'rounds.js': CLEAN });
      expect(await verdictOf(world, number)).toBe('lgtm');
      const called = await open(world, { branch: 'called', files: { 'called.js': CLEAN }, base: 'lab' });
      world.sim.comment({ repo: REPO, number: called, as: AUTHOR, body: `@${BOT} review` });
      expect(await verdictOf(world, called)).toBe('lgtm');
      const written = world.sim.requests.filter(({ user, method }) => user === BOT && method !== 'GET');
      const names = [...new Set(written.map(({ method, path }) => nameOf(method, path)))].toSorted();
      expect(names.filter((name) => !WRITES.some((allowed) => allowed.test(name)))).toEqual([]);
      expect(names).toEqual(
        expect.arrayContaining(['POST /issues/N/comments', 'POST /pulls/N/reviews', 'POST /statuses/SHA']),
      );
      const reviews = written
        .filter(({ path }) => THE_REVIEW.path.test(path))
        .map(({ body }) => JSON.parse(body).event);
      expect([...new Set(reviews)]).toEqual(['COMMENT']);
      const deeds = world.sim.effects.filter(({ actor }) => actor === BOT).map(({ kind }) => kind.split('.')[0]);
      expect(
        [...new Set(deeds)].filter((deed) => !['comment', 'review', 'reaction', 'status'].includes(deed ?? '')),
      ).toEqual([]);
    },
    STORY_MS,
  );
});
