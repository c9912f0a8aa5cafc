/** Each outage in each phase of a run, then recovery: the result equals the one without an outage. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultMatch, FaultStep } from '../sim/forgejo/faults.ts';
import { fail, reset, type Step } from '../sim/messages/reply.ts';
import type { ScriptMatch } from '../sim/messages/script.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import { botBodies, inlineOf, summaryOf, verdictOf } from '../support/story.ts';
import { AUTHOR, BOT, eventually, REPO, STORY_MS } from '../support/story-world.ts';
import { type Cases, casesOf } from './outage-look.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

let story: ModelStory;
let cases: Cases;
const review = async (): Promise<number> => cases.open();
const expectTheSame: Cases['expectTheSame'] = async (number, spends) => cases.expectTheSame(number, spends);

beforeAll(async () => {
  story = await startModelStory('[queues]\nbackoff_ms = 20\n[limits]\nrunning_per_project = 4\n');
  cases = casesOf(story.world);
  story.model.script(seededReviewer(7, { explore: ['Who calls a, and with what?'] }));
}, STORY_MS);
afterAll(async () => story?.finish(), STORY_MS);

const soon = { headers: { 'retry-after-ms': '5' } };

const MODEL_OUTAGES: Readonly<Record<string, Step>> = {
  'an overload (529)': fail(529, soon),
  'a limit on the rate (429)': fail(429, soon),
  'a failing server (500)': fail(500, soon),
  'a gateway without a server behind it (502)': fail(502, soon),
};
/** Slow: without a Retry-After, up to four seconds pass between two attempts of a call. */
const SLOW_MODEL_OUTAGES: Readonly<Record<string, Step>> = {
  'a lost connection': reset('before-headers'),
  'an answer that breaks off': reset('after-headers'),
};

const MODEL_PHASES: Readonly<Record<string, ScriptMatch>> = {
  'the first call': { hasTool: 'submit_review', when: ({ turn }) => turn === 0 },
  'the middle of the run': { hasTool: 'submit_review', when: ({ turn }) => turn > 0 },
  'the explorers': { lacksTool: 'submit_review' },
};

const FORGE_OUTAGES: Readonly<Record<string, FaultStep>> = {
  'a forge that answers 502': { kind: 'status', status: 502 },
  'a forge that answers 503': { kind: 'status', status: 503 },
  'a forge that limits the rate': { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
  'a forge that cuts connections': { kind: 'reset' },
};

const FORGE_PHASES: Readonly<Record<string, FaultMatch>> = {
  'the facts of guard': { method: 'GET', path: /\/pulls\/\d+$/ },
  // No summary exists yet, so the status announces the run.
  'the announcement': { method: 'POST', path: /\/statuses\// },
  'the statuses': { method: 'POST', path: /\/statuses\// },
  'the fetch of git': { path: /info\/refs/ },
  'the post of the review': { method: 'POST', path: /\/reviews$/ },
};

/** Enough failures to exceed one execution's own retries. */
const FAILURES = 9;

/** One row of the table, or all in the deep run; the row's number is the seed. */
const rows = <Outage, Phase>(
  outages: Readonly<Record<string, Outage>>,
  phases: Readonly<Record<string, Phase>>,
): readonly (readonly [string, string, Outage, Phase])[] => {
  const all = Object.entries(phases).flatMap(([phase, at], row) =>
    Object.entries(outages).flatMap(([outage, how], column, columns) =>
      DEEP || column === row % columns.length ? [[outage, phase, how, at] as const] : [],
    ),
  );
  return all;
};

describe.sequential('F-E5: an outage', () => {
  test('is compared with a review without one', async () => expectTheSame(await review()), STORY_MS);

  test.each(rows(MODEL_OUTAGES, MODEL_PHASES))(
    'of the model, %s, at %s changes nothing of what is said in the end',
    async (_outage, _phase, how, at) => {
      const away = story.model.script(
        Array.from({ length: FAILURES }, () => how),
        at,
      );
      await expectTheSame(await review());
      expect(away.remaining()).toBe(0);
    },
    STORY_MS,
  );

  test.each(DEEP ? rows(SLOW_MODEL_OUTAGES, MODEL_PHASES) : rows(SLOW_MODEL_OUTAGES, MODEL_PHASES).slice(0, 1))(
    'of the connection to the model, %s, at %s costs nothing but what was sent',
    async (_outage, _phase, how, at) => {
      const away = story.model.script(
        Array.from({ length: 5 }, () => how),
        at,
      );
      await expectTheSame(await review(), true);
      expect(away.remaining()).toBe(0);
    },
    STORY_MS,
  );

  test.each(rows(FORGE_OUTAGES, FORGE_PHASES))(
    'of the forge, %s, at %s changes nothing of what is said in the end',
    async (_outage, _phase, how, at) => {
      const away = story.world.sim.fault(
        at,
        Array.from({ length: FAILURES }, () => how),
      );
      await expectTheSame(await review());
      expect(away.remaining()).toBe(0);
    },
    STORY_MS,
  );

  test(
    'is named in the status of the head while the run waits',
    async () => {
      const away = story.model.script(() => fail(529, { headers: { 'retry-after-ms': '5' } }), {
        hasTool: 'submit_review',
      });
      const number = await review();
      const isNamed = (): boolean =>
        story.world.sim.requests.some(
          ({ method, path, body }) =>
            method === 'POST' && path.includes('/statuses/') && body.includes('Waiting: the model cannot be used'),
        );
      await eventually('a status that names the outage', isNamed);
      away.remove();
      await expectTheSame(number);
    },
    STORY_MS,
  );
});

describe.sequential('F-E5: a mistake in the configuration', () => {
  test.each([
    ['a token that git may not use', 401],
    ['a right that git lacks', 403],
  ])(
    'of git, %s, is named at once in words, ends the run, and is tried again when somebody asks',
    async (_name, status) => {
      const { sim } = story.world;
      const away = sim.fault(
        { path: /info\/refs/ },
        Array.from({ length: 1_000 }, () => ({ kind: 'status', status })),
      );
      const number = await review();
      expect(await verdictOf(story.world, number)).toBe('inconclusive');
      const said = botBodies(story.world, number);
      expect(said.join('\n')).toContain('the configuration does not work');
      expect(said.join('\n')).toContain('GIT_UNAUTHORISED');
      expect(sim.snapshot(REPO, number).statuses.at(-1)?.description).toMatch(
        /^Not reviewed: the forge does not accept the token that git/,
      );
      away.remove();
      await story.world.sweep();
      expect(await verdictOf(story.world, number)).toBe('inconclusive');
      sim.comment({ repo: REPO, number, as: AUTHOR, body: `@${BOT} review` });
      await eventually('a verdict', () => summaryOf(story.world, number).verdict === 'feedback');
      await story.world.calm();
      expect(inlineOf(story.world, number)).toHaveLength(1);
    },
    STORY_MS,
  );
});
