/** What a posting writes, reads back, repeats and gives up, over a forge in memory. */
import { describe, expect, test } from 'vitest';
import { post } from '../../../services/poster/post.ts';
import { ForgeUnknownOutcomeError } from '../../../shared/forge/errors.ts';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import { signMarker, stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import type { FindingMarker, HandoffMarker, ReplyMarker } from '../../../shared/rounds/model/marker-payload.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import type { FullPlan, PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import { buildAnnouncePlan } from '../../../shared/rounds/plan/announce-plan.ts';
import { buildCapPlan } from '../../../shared/rounds/plan/cap-plan.ts';
import { buildReviewPlan } from '../../../shared/rounds/plan/review-plan.ts';
import { buildRepliesAnnouncePlan } from '../../../shared/rounds/plan/thread-replies-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { findingBy } from '../../shared/rounds/two-runs-world.ts';
import { createMemoryForge, postingOn } from './memory-forge.ts';

const FACTS = make.changeRequest();
const CONTEXT = { facts: FACTS, history: make.history(), policy: make.policy() };
const MOVED = make.changeRequest({ head: make.sha('pushed meanwhile') });

const reviewOf = (...titles: readonly string[]): FullPlan => {
  const findings = titles.map((title, index) =>
    make.finding({ fingerprint: `${index}`.repeat(32) }, { title, path: `${index}.ts`, evidence: `call${index}();` }),
  );
  const draft = make.draft({ findings });
  const run = make.run({ phase: 'posting' });
  return buildReviewPlan({ ...CONTEXT, run, draft, gated: gate(draft, CONTEXT.history, CONTEXT.policy) });
};

/** A plan that asks for nothing but what a test adds. */
const QUIET: PostPlan = {
  ...buildAcknowledgePlan(CONTEXT, { input: inputOf(FACTS), noteId: null, noticeId: make.runId('n') }),
  kind: 'review',
  status: null,
};

const FINDING: FindingMarker = { ...findingBy({ seed: 'before', attempt: 1, runs: 1 }), cr: make.KEY };
const { id, fp } = FINDING;
const common = { cr: make.KEY, review: 2, attempt: 1, run: make.runId('run'), head: FACTS.head };
const REPLY: ReplyMarker = {
  ...common,
  kind: 'reply',
  id,
  fp,
  action: 'reply',
  count: 1,
  stance: 'accepts',
  severity: 'P1',
};

const said = (marker: Parameters<typeof signMarker>[0], patch: Partial<ForgeComment>): ForgeComment =>
  make.comment(`Said before.\n\n${signMarker(marker, make.SECRET)}`, { createdAtMs: Number(patch.id), ...patch });

const inThread = (key: string): ForgeComment => said(FINDING, { id: key, kind: 'inline', threadId: `t${key}` });

const notice = (note: string, threadId?: string): PostPlan['notices'][number] => ({
  marker: { cr: make.KEY, review: 2, attempt: 1, run: make.runId('run'), kind: 'answer', note },
  text: `Answer ${note}.`,
  mention: false,
  ...(threadId === undefined ? {} : { threadId }),
});

const CAP = buildCapPlan(CONTEXT, { input: inputOf(FACTS), cap: 'runs', noticeId: make.runId('n') });
const SUMMARY = reviewOf().summary;
const OLD_SUMMARY = { ...SUMMARY.marker, superseded: 7 };

describe('after a write, the forge is asked again', () => {
  test.each<readonly [string, Partial<PostPlan>, readonly ForgeComment[], readonly string[], string | null]>([
    ['for everything when a review was created', { inline: reviewOf('One').inline }, [], ['review'], null],
    [
      'for threads after a reply',
      { replies: [{ marker: REPLY, text: 'x' }] },
      [inThread('10')],
      ['reply t10'],
      'threads',
    ],
    [
      'for threads after a finding was closed',
      { closures: [{ marker: REPLY, text: 'Resolved.' }] },
      [inThread('10')],
      ['resolve t10', 'edit 10'],
      'threads',
    ],
    [
      'for threads when one of two answers stands in one',
      { notices: [notice('1'), notice('2', 't10')] },
      [],
      ['create', 'reply t10'],
      'threads',
    ],
    ['for the conversation after answers there', { notices: [notice('1')] }, [], ['create'], 'conversation'],
    ['for the conversation after the first summary', { summary: SUMMARY }, [], ['create'], 'conversation'],
    [
      'for the conversation after an edit of a summary there',
      { summary: SUMMARY },
      [said(OLD_SUMMARY, { id: '10' })],
      ['edit 10'],
      'conversation',
    ],
    [
      'for reviews after an edit of the body of one',
      { summary: SUMMARY },
      [said(OLD_SUMMARY, { id: '10', kind: 'review_body' })],
      ['edit 10'],
      'review',
    ],
    [
      'for more when not only that body was written',
      { summary: SUMMARY, notices: [notice('1')] },
      [said(OLD_SUMMARY, { id: '10', kind: 'review_body' })],
      ['edit 10', 'create'],
      'conversation',
    ],
  ])('%s', async (_what, parts, before, done, read) => {
    const memory = createMemoryForge({ before });
    expect(await post(postingOn(memory, { ...QUIET, ...parts }))).toBe('posted');
    expect(memory.done).toEqual(done);
    // The first reading knows nothing; the last may be that of the settled summary.
    expect(memory.readings).toEqual([null, null, read].slice(-memory.readings.length));
  });

  test('for everything when the outcome of the write is unknown', async () => {
    const memory = createMemoryForge();
    const waits: number[] = [];
    let isFirst = true;
    memory.beforeWrite = () => {
      if (!isFirst) return;
      isFirst = false;
      throw new ForgeUnknownOutcomeError({}, undefined);
    };
    const sleep = async (ms: number): Promise<void> => void waits.push(ms);
    await post(postingOn(memory, { ...QUIET, notices: [notice('1')] }, { sleep }));
    expect([memory.done, waits]).toEqual([['create'], [3_500]]);
    expect(memory.readings.slice(-2)).toEqual([null, 'conversation']);
  });
});

test('a write whose outcome stays unknown is tried five times, and then left to the queue', async () => {
  const memory = createMemoryForge();
  let tries = 0;
  memory.beforeWrite = () => {
    tries += 1;
    throw new ForgeUnknownOutcomeError({}, undefined);
  };
  await expect(post(postingOn(memory, { ...QUIET, notices: [notice('1')] }))).rejects.toMatchObject({
    code: 'FORGE_UNKNOWN_OUTCOME',
    fields: { passes: 5 },
  });
  expect(tries).toBe(5);
});

test('what the forge has acknowledged is not written again by the next attempt, though no list shows it', async () => {
  const memory = createMemoryForge();
  const known = new Set<string>();
  const seen = {
    load: async () => new Set(known),
    add: async (_planId: string, keys: readonly string[]) => keys.forEach((key) => known.add(key)),
  };
  const plan = { ...QUIET, notices: [notice('1'), notice('2')] };
  memory.beforeWrite = () => {
    if (memory.done.length === 1) throw new Error('refused');
  };
  await expect(post(postingOn(memory, plan, { seen }))).rejects.toThrow('refused');
  memory.comments.length = 0;
  memory.beforeWrite = () => {};
  await post(postingOn(memory, plan, { seen }));
  expect(memory.comments.map(({ body }) => stripMarkers(body))).toEqual(['Answer 2.']);
});

describe('the first summary', () => {
  const links = (body: string): readonly string[] =>
    [...body.matchAll(/\]\(([^)]*#note-\d+)\)/g)].map(([, url]) => url ?? '');

  test('is a comment that leads to the threads of its findings', async () => {
    const memory = createMemoryForge({ forge: { reviewBody: false } });
    await post(postingOn(memory, { ...reviewOf('One', 'Two'), status: null }));
    expect(memory.done).toEqual(['review', 'create']);
    expect(links(memory.comments.at(-1)?.body ?? '')).toEqual([
      'http://forge.example/5#note-1001',
      'http://forge.example/5#note-1002',
    ]);
  });

  test('is the body of the review, and gets these links by an edit', async () => {
    const memory = createMemoryForge({ forge: { reviewBody: true } });
    await post(postingOn(memory, { ...reviewOf('One'), status: null }));
    expect(memory.done).toEqual(['review', 'edit 1001']);
    expect(links(memory.comments[0]?.body ?? '')).toEqual(['http://forge.example/5#note-1002']);
  });

  test('gets these links by the next attempt too, when what was written could not be stored', async () => {
    const memory = createMemoryForge({ forge: { reviewBody: true } });
    const plan = { ...reviewOf('One'), status: null };
    let isAway = false;
    const seen = {
      load: async () => new Set<string>(),
      add: async () => {
        isAway ||= memory.done.includes('review');
        if (isAway) throw new Error('Redis is away');
      },
    };
    await expect(post(postingOn(memory, plan, { seen }))).rejects.toThrow('Redis is away');
    expect(links(memory.comments[0]?.body ?? '')).toEqual([]);
    await post(postingOn(memory, plan));
    await post(postingOn(memory, plan));
    expect(memory.done).toEqual(['review', 'edit 1001']);
    expect(links(memory.comments[0]?.body ?? '')).toEqual(['http://forge.example/5#note-1002']);
  });
});

describe('a hand-off that stands', () => {
  const [planned] = CAP.notices;
  const before: HandoffMarker | null = planned?.marker.kind === 'handoff' ? planned.marker : null;
  if (planned === undefined || before === null) throw new Error('a cap hands off');

  test('gets the reason of another head by one edit, which is read back', async () => {
    const memory = createMemoryForge({ before: [said({ ...before, head: make.sha('earlier') }, { id: '10' })] });
    await post(postingOn(memory, { ...QUIET, notices: [planned] }));
    expect(memory.done).toEqual(['edit 10']);
    expect(memory.comments[0]?.body).not.toContain('Said before.');
  });
});

describe('a comment that stands twice', () => {
  const twice = [inThread('10'), inThread('20')];

  test('is a write, after which the input is compared again', async () => {
    const memory = createMemoryForge({ before: twice });
    memory.beforeWrite = () => {
      memory.facts = MOVED;
    };
    expect(await post(postingOn(memory, { ...QUIET, status: { state: 'failure', description: 'x' } }))).toBe(
      'head_moved',
    );
    expect(memory.done).toEqual(['delete 20']);
  });

  test('stays where it is the body of a review, which holds other comments', async () => {
    const { marker } = notice('1');
    const body = (key: string) => said(marker, { id: key, kind: 'review_body' });
    const memory = createMemoryForge({ before: [body('10'), body('20')] });
    await post(postingOn(memory, QUIET));
    expect(memory.done).toEqual([]);
  });

  test('says that it does, where somebody has answered it', async () => {
    const answer = make.comment('No.', { id: '30', threadId: 't20', author: { id: make.AUTHOR_ID, login: 'author' } });
    const memory = createMemoryForge({ before: [...twice, answer] });
    await post(postingOn(memory, QUIET));
    expect(memory.comments[1]?.body).toBe('This comment was posted twice by mistake; the first one counts.');
  });
});

describe('a head that moves while the start of a run is announced in a comment', () => {
  const run = make.run({ phase: 'announcing' });
  const announce = buildAnnouncePlan(CONTEXT, { run, runsUsed: 1, supersededInRow: 0 });
  const replies = buildRepliesAnnouncePlan(CONTEXT, { run: make.replyRun({ phase: 'announcing' }), runsUsed: 1 });

  test.each<readonly [string, PostPlan, string]>([
    ['is left to the end of the run', announce, 'posted'],
    [
      'is noticed at once where the bot has a verdict to withdraw',
      { ...announce, forgeVerdict: 'no_approval' },
      'head_moved',
    ],
    ['is noticed at once where no status shows the run', { ...replies, status: null }, 'head_moved'],
    ['is noticed at once by a plan that ends a run', { ...announce, kind: 'give_up' }, 'head_moved'],
  ])('%s', async (_what, plan, outcome) => {
    const memory = createMemoryForge({ before: [said(OLD_SUMMARY, { id: '10' })] });
    memory.refusal = 'fork';
    memory.beforeWrite = (what) => {
      if (what.startsWith('edit')) memory.facts = MOVED;
    };
    const verdict = { fetchOwnVerdict: async () => null };
    const forge = { ...memory.forge, write: { ...memory.forge.write, ...verdict } };
    expect(await post(postingOn({ forge }, plan))).toBe(outcome);
  });
});

describe('the summary says why', () => {
  test('no status could be set, and nothing of another change request', async () => {
    const memory = createMemoryForge();
    memory.refusal = 'fork';
    await post(postingOn(memory, CAP));
    const body = stripMarkers(memory.comments[0]?.body ?? '');
    expect(body).toContain('The commit status could not be set: the pipeline of this change runs in the fork');
    expect(body).not.toContain('determined the status');
  });

  test.each([
    [['fixpoint'], 'or write `@fixpoint review` there'],
    [[], 'or ask the bot for a review there'],
  ] as const)('another change request determines the status, and what to do (%j)', async (mayShow, ask) => {
    const memory = createMemoryForge();
    const other = make.changeRequest({ changeRequest: { ...FACTS.changeRequest, number: 6 } });
    const read = {
      ...memory.forge.read,
      fetchChangeRequest: async ({ number }: { readonly number: number }) => (number === 6 ? other : memory.facts),
      fetchComments: async (...[of, ...rest]: Parameters<typeof memory.forge.read.fetchComments>) =>
        of.number === 6 ? [] : memory.forge.read.fetchComments(of, ...rest),
      readOpenPage: async () => ({ open: [other], last: true, total: 1, tag: '' }),
    };
    const sanitizing = { ...memory.forge.sanitizing, mayShow: [...mayShow] };
    const plan: PostPlan = { ...reviewOf(), status: { state: 'success', description: 'Nothing blocks merging' } };
    await post(postingOn({ forge: { ...memory.forge, read, sanitizing } }, plan));
    expect(memory.statuses.map(({ state, description }) => [state, description])).toEqual([
      ['pending', 'Held by #6: not reviewed yet'],
    ]);
    expect(memory.comments.map(({ body }) => stripMarkers(body)).join('\n')).toContain(
      '_When this was written, `#6`, which has the same head, determined the status of this commit. ' +
        `To change that, close \`#6\`, push another commit here, ${ask}._`,
    );
  });
});

test('nothing is posted where the head has moved or the change request has ended', async () => {
  for (const facts of [MOVED, null, make.changeRequest({ state: 'merged' })]) {
    const memory = createMemoryForge();
    memory.facts = facts;
    expect([await post(postingOn(memory, CAP)), memory.done]).toEqual(['head_moved', []]);
  }
});

test('a plan without a status is posted without one', async () => {
  const memory = createMemoryForge();
  expect(await post(postingOn(memory, { ...QUIET, notices: [notice('1')] }))).toBe('posted');
  expect(memory.statuses).toEqual([]);
});
