/** Outages of model or forge during a fix: no attempt is counted, nothing is pushed twice, and work resumes by itself. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FaultMatch, FaultStep } from '../sim/forgejo/faults.ts';
import { findRepo } from '../sim/forgejo/find.ts';
import { runGit } from '../sim/forgejo/git.ts';
import { insistingReviewer } from '../sim/messages/insisting-reviewer.ts';
import { fail, type Step } from '../sim/messages/reply.ts';
import type { ScriptHandle, ScriptMatch } from '../sim/messages/script.ts';
import { AS_AUTHOR, seededAuthor } from '../sim/messages/seeded-author.ts';
import { UNCAGED } from '../support/author-command.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import { kindsOf, open, statusOf, summaryOf, textOf } from '../support/story.ts';
import { eventually, REPO, STORY_MS } from '../support/story-world.ts';

const DEFECT = textOf(
  'export const find = (db, name) =>',
  '  db.first(name); // DEFECT(P1: forgets that there may be none)',
);

const FIXES_ALL = seededAuthor({ rewrite: (line) => `${/^\s*/.exec(line)?.[0] ?? ''}safely('Fixed.');` });

let story: ModelStory;
let author: ScriptHandle;
let cases = 0;
let undisturbed: unknown = null;

beforeAll(async () => {
  const settings = `[author]\nenabled = true\nagent = "agent"\n${UNCAGED}[queues]\nbackoff_ms = 20\n`;
  story = await startModelStory(settings);
  story.model.script(insistingReviewer);
}, STORY_MS);
beforeEach(() => {
  author = story.model.script(FIXES_ALL, AS_AUTHOR);
});
afterEach(() => author.remove());
afterAll(async () => story?.finish(), STORY_MS);

/** Plays from the opening to a pass, with one fix between two reviews. */
const play = async () => {
  cases += 1;
  const branch = `case-${cases}`;
  const { world } = story;
  const number = await open(world, { branch, files: { 'src/find.js': DEFECT } });
  await eventually('lgtm', () => statusOf(world, number) === 'success');
  await world.calm();
  const { verdict, review, runs, attempt, fixes, fixReview, spent, fixSpent } = summaryOf(world, number);
  const { gitDir } = findRepo(world.sim.world, REPO);
  const log = await runGit(gitDir, ['log', '--format=%s', `main..refs/heads/${branch}`]);
  return {
    seen: {
      verdict,
      review,
      runs,
      attempt,
      fixes,
      fixReview,
      fixSpent,
      kinds: kindsOf(world, number).toSorted(),
      commits: log
        .trim()
        .split('\n')
        .map((subject) => subject.replace(branch, 'case')),
      heads: world.sim.pullAt({ repo: REPO, number }).heads.length,
    },
    calls: spent.modelCalls,
    answered: author.answered(),
  };
};

const expectTheSame = async (): Promise<Awaited<ReturnType<typeof play>>> => {
  const played = await play();
  undisturbed ??= played.seen;
  expect(played.seen).toEqual(undisturbed);
  return played;
};

/** Enough repetitions that several executions of the job meet the outage. */
const many = <Given>(step: Given): Given[] => Array.from({ length: 9 }, () => step);

const MODEL: readonly (readonly [string, ScriptMatch, Step])[] = [
  [
    'at its first call',
    { ...AS_AUTHOR, when: ({ turn }) => turn === 0 },
    fail(529, { headers: { 'retry-after-ms': '5' } }),
  ],
  [
    'in the middle of its work',
    { ...AS_AUTHOR, when: ({ turn }) => turn === 1 },
    fail(502, { headers: { 'retry-after-ms': '5' } }),
  ],
];

/** Git requests of a push. */
const PUSH: FaultMatch = { method: 'POST', path: /git-receive-pack$/ };
const ASKS_TO_PUSH: FaultMatch = { path: /info\/refs\?service=git-receive-pack/ };

const FORGE: readonly (readonly [string, FaultMatch, FaultStep])[] = [
  ['asked for the branch to push', ASKS_TO_PUSH, { kind: 'status', status: 502 }],
  ['given the commits', PUSH, { kind: 'status', status: 503 }],
  ['cut off while it takes them', PUSH, { kind: 'reset' }],
];

describe.sequential('F-E5: an outage while the author works', () => {
  test(
    'is compared with a fix without one',
    async () => {
      const { seen, answered } = await expectTheSame();
      expect(seen).toMatchObject({ verdict: 'lgtm', runs: 2, fixes: 1, heads: 2 });
      expect(answered).toBe(3);
    },
    STORY_MS,
  );

  test.each(MODEL)(
    'of the model, %s, changes nothing of what is counted, pushed and said',
    async (_when, at, how) => {
      const away = story.model.script(many(how), at);
      await expectTheSame();
      expect(away.remaining()).toBe(0);
      away.remove();
    },
    STORY_MS,
  );

  test.each(FORGE)(
    'of the forge, when it is %s, changes nothing, and the model is not asked again',
    async (_when, at, how) => {
      const away = story.world.sim.fault(at, many(how));
      const { answered } = await expectTheSame();
      expect([away.remaining(), answered]).toEqual([0, 3]);
    },
    STORY_MS,
  );

  test(
    'that hides the answer to a push pushes nothing twice',
    async () => {
      const lost = story.world.sim.fault(PUSH, { kind: 'reset', when: 'after' });
      const { answered } = await expectTheSame();
      expect([lost.remaining(), answered]).toEqual([0, 3]);
    },
    STORY_MS,
  );
});
