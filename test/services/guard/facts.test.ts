import { expect, test } from 'vitest';
import type { KnownForge } from '../../../services/guard/deps.ts';
import { fetchFacts } from '../../../services/guard/facts.ts';
import type { OtherBots } from '../../../shared/forge/other-bots.ts';
import type { ForgeComment, Permission } from '../../../shared/forge/port-facts.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { SeenCommands } from '../../../shared/rounds/model/state.ts';
import {
  AUTHOR_ID,
  BOT_ID,
  changeRequest,
  comment,
  forgeEvent,
  KEY,
  policy,
  request,
  SECRET,
  sha,
} from '../../shared/rounds/builders.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { findingBy } from '../../shared/rounds/two-runs-world.ts';
import { never } from '../../shared/workspace/repository.ts';

const AUTHOR = { id: AUTHOR_ID, login: 'author' };
const { changeRequest: of } = changeRequest();

const surprise = (name: string) => async (): Promise<never> => {
  throw new Error(`${name} was not expected`);
};

type Said = Partial<ForgeComment> & { readonly id: string; readonly body: string };

const NO_BOTS: OtherBots = { ignored: new Set(), allowed: new Set(), marks: null };

/** A forge on which `said` stands; asking for a permission answers and is written down. */
const forgeWith = (said: readonly Said[], permission: Permission, otherBots: OtherBots = NO_BOTS) => {
  const asked: number[] = [];
  const forge: KnownForge = {
    read: {
      fetchChangeRequest: async () => changeRequest(),
      fetchComments: async () => said.map(({ body, ...rest }) => comment(body, { author: AUTHOR, ...rest })),
      fetchPermission: async (_projectId, { id }) => {
        asked.push(id);
        return permission;
      },
      locateGit: surprise('locateGit'),
      fetchProject: surprise('fetchProject'),
      fetchBranch: surprise('fetchBranch'),
      fetchApprovers: surprise('fetchApprovers'),
      fetchStatuses: surprise('fetchStatuses'),
      fetchChecks: surprise('fetchChecks'),
    },
    botIds: new Set([BOT_ID]),
    otherBots,
    mention: 'fixpoint',
  };
  return { forge, asked };
};

const NOTHING_HEARD: SeenCommands = { untilMs: 0, keys: [] };

const factsAfter = async (
  forge: KnownForge,
  events: readonly InboxEvent[],
  seenCommands: SeenCommands | null = NOTHING_HEARD,
) => fetchFacts({ forge, of, events, seenCommands, markerSecrets: [SECRET], policy: policy(), signal: never() });

const factsOf = async (forge: KnownForge, ...noteIds: readonly number[]) =>
  factsAfter(
    forge,
    noteIds.map((noteId) => forgeEvent('comment', { noteId })),
  );

test.each([
  ['admin', true],
  ['write', true],
  ['read', false],
  ['none', false],
  ['undetermined', false],
] as const)('a caller with the permission %s is allowed: %s', async (permission, allowed) => {
  const { forge, asked } = forgeWith([{ id: '5', body: '@fixpoint review' }], permission);
  expect((await factsOf(forge, 5)).requests).toEqual([request({ noteId: 5, allowed })]);
  expect(asked).toEqual([AUTHOR_ID]);
});

test.each([
  ['speaks to somebody else', { id: '5', body: '@fixpoint-ci review' }],
  ['only quotes the call', { id: '5', body: '> @fixpoint review' }],
  ['is the bot’s own', { id: '5', body: '@fixpoint review', author: { id: BOT_ID, login: 'fixpoint' } }],
  ['was not what woke guard', { id: '6', body: '@fixpoint review' }],
  ['is a review with the same number', { id: '5', body: '@fixpoint review', kind: 'review_body' as const }],
])('nobody is asked about a comment that %s', async (_name, said) => {
  const { forge, asked } = forgeWith([said], 'admin');
  expect((await factsOf(forge, 5)).requests).toEqual([]);
  expect(asked).toEqual([]);
});

const marks = (...ids: readonly number[]) => ({ isMarkedBot: async (id: number) => ids.includes(id) });

test.each([
  ['named by the operator', { ...NO_BOTS, ignored: new Set([AUTHOR_ID]) }, false],
  ['marked by the forge', { ...NO_BOTS, marks: marks(AUTHOR_ID) }, false],
  ['marked and allowed to command', { ...NO_BOTS, allowed: new Set([AUTHOR_ID]), marks: marks(AUTHOR_ID) }, true],
  ['unknown to both', { ...NO_BOTS, ignored: new Set([4]), marks: marks(5) }, true],
])('a caller with the right to write who is %s may command: %#', async (_name, bots, allowed) => {
  const { forge } = forgeWith([{ id: '5', body: '@fixpoint review' }], 'write', bots);
  expect((await factsOf(forge, 5)).requests).toEqual([request({ noteId: 5, allowed })]);
});

const CALL_R6 = '@fixpoint status';

test('a bot that may command still needs the permission', async () => {
  const { forge } = forgeWith([{ id: '5', body: '@fixpoint review' }], 'read', {
    ...NO_BOTS,
    allowed: new Set([AUTHOR_ID]),
  });
  expect((await factsOf(forge, 5)).requests).toEqual([request({ noteId: 5, allowed: false })]);
});

test.each([
  ['asks for a review', forgeEvent('review_requested', { requestedReviewerId: BOT_ID }), [4, AUTHOR_ID]],
  ['pushes', forgeEvent('pushed'), [4]],
])('an account that the forge marks is known as a bot when it %s', async (_name, event, bots) => {
  const { forge } = forgeWith([], 'none', { ...NO_BOTS, ignored: new Set([4]), marks: marks(AUTHOR_ID) });
  expect([...(await factsAfter(forge, [event])).otherBotIds]).toEqual(bots);
});

test.each<[permission: Permission, reviewer: number | null, known: readonly number[], asked: readonly number[]]>([
  ['write', BOT_ID, [AUTHOR_ID], [AUTHOR_ID]],
  ['admin', null, [AUTHOR_ID], [AUTHOR_ID]],
  ['read', BOT_ID, [], [AUTHOR_ID]],
  ['undetermined', BOT_ID, [], [AUTHOR_ID]],
  ['write', 77, [], []],
])(
  'F-E9: with the permission %s the button pressed for %s counts as a command of %j',
  async (may, reviewer, known, asked) => {
    const { forge, asked: questions } = forgeWith([], may);
    const event = forgeEvent('review_requested', {
      requestedReviewerId: reviewer,
      actorId: AUTHOR_ID,
      actorLogin: 'author',
    });
    expect([...((await factsAfter(forge, [event])).mayRequest ?? [])]).toEqual(known);
    expect(questions).toEqual(asked);
  },
);

const CALL = '@fixpoint review';
const HUMAN = { id: 8, login: 'human' };
const SWEEP: InboxEvent = { source: 'sweep', id: 's', atMs: 0, head: sha('head') };
const REVIEWED = forgeEvent('human_review');

const SAID: readonly Said[] = [
  { id: '5', body: CALL, createdAtMs: 50, updatedAtMs: 50 },
  { id: '5', body: CALL, kind: 'review_body', createdAtMs: 51, updatedAtMs: 51 },
  { id: '6', body: CALL, kind: 'inline', createdAtMs: 52, updatedAtMs: 52 },
  { id: '7', body: CALL, kind: 'inline', createdAtMs: 53, updatedAtMs: 53, author: HUMAN },
  { id: '8', body: CALL, createdAtMs: 54, updatedAtMs: 55 },
  { id: '9', body: CALL, createdAtMs: 56, updatedAtMs: 56, author: null },
];

test.each([
  ['a review, those of its author in reviews', [REVIEWED], NOTHING_HEARD, ['5 review_body', '6 inline']],
  [
    'a review whose author is unknown, all in reviews',
    [forgeEvent('human_review', { actorId: null })],
    NOTHING_HEARD,
    ['5 review_body', '6 inline', '7 inline'],
  ],
  [
    'the sweep, all that were not edited',
    [SWEEP],
    NOTHING_HEARD,
    ['5 conversation', '5 review_body', '6 inline', '7 inline'],
  ],
  ['the sweep, none that was heard', [SWEEP], { untilMs: 0, keys: ['5', '6'] }, ['5 review_body', '7 inline']],
  ['the sweep, none that is older than what was heard', [SWEEP], { untilMs: 53, keys: [] }, ['7 inline']],
  ['a review, none that was heard', [REVIEWED], { untilMs: 0, keys: ['review-5'] }, ['6 inline']],
  [
    'a comment, also when it is older',
    [forgeEvent('comment', { noteId: 5 })],
    { untilMs: 99, keys: [] },
    ['5 conversation'],
  ],
  ['a comment, not when it was heard', [forgeEvent('comment', { noteId: 5 })], { untilMs: 0, keys: ['5'] }, []],
  ['a comment in a thread, that one', [forgeEvent('comment', { noteId: 6 })], NOTHING_HEARD, ['6 inline']],
  ['a push, none', [forgeEvent('pushed')], NOTHING_HEARD, []],
  ['an edit, none', [forgeEvent('comment_edited', { noteId: 5 })], NOTHING_HEARD, []],
])('of all calls are heard after %s', async (_name, events, seenCommands, expected) => {
  const { requests } = await factsAfter(forgeWith(SAID, 'write').forge, events, seenCommands);
  expect(requests.map(({ noteId, kind }) => `${noteId} ${kind}`)).toEqual(expected);
});

test.each<[string, readonly Said[], string | undefined]>([
  ['that begins a thread of its own', [{ id: '6', body: CALL_R6, kind: 'inline', threadId: 't' }], 't'],
  [
    'that is an answer to somebody else',
    [
      { id: '5', body: 'Why?', kind: 'inline', threadId: 't' },
      { id: '6', body: CALL_R6, kind: 'inline', threadId: 't' },
    ],
    undefined,
  ],
  ['in the conversation', [{ id: '6', body: CALL_R6, kind: 'conversation', threadId: 't' }], undefined],
])('F-R6: a command %s is answered there or in the conversation', async (_name, said, threadId) => {
  const { orders } = await factsAfter(forgeWith(said, 'write').forge, [forgeEvent('comment', { noteId: 6 })]);
  expect(orders.map((order) => order.threadId)).toEqual([threadId]);
});

test.each<[string, unknown, readonly unknown[], readonly unknown[]]>([
  ['review', request({ noteId: 6 }), [], []],
  ['review --full', request({ noteId: 6, full: true }), [], []],
  ['look at the locks', request({ noteId: 6, instructions: 'look at the locks' }), [], []],
  ['status', null, [{ kind: 'status' }], []],
  ['fix', null, [], [6]],
])('the command "%s" is heard as what it is, and as nothing else', async (words, review, orders, fixes) => {
  const { forge } = forgeWith([{ id: '6', body: `@fixpoint ${words}` }], 'write');
  const heard = await factsOf(forge, 6);
  expect(heard.requests).toEqual(review === null ? [] : [review]);
  expect(heard.orders.map(({ spoken }) => spoken)).toEqual(orders);
  expect((heard.fix?.requests ?? []).map(({ noteId }) => noteId)).toEqual(fixes);
});

test('a review that somebody without a name has requested is no command', async () => {
  const { forge, asked } = forgeWith([], 'write');
  const event = forgeEvent('review_requested', { requestedReviewerId: BOT_ID, actorId: AUTHOR_ID });
  const { mayRequest } = await factsAfter(forge, [event]);
  expect([[...(mayRequest ?? [])], asked]).toEqual([[], []]);
});

test.each([
  ['status', ['status'], []],
  ['review', [], ['review']],
  ['this is wrong', [], []],
])('in the thread of an open finding, "@fixpoint %s" is a command or an answer', async (words, orders, requests) => {
  const marker = { ...findingBy({ seed: 'run', attempt: 1, runs: 1 }, 'A finding'), cr: KEY };
  const finding = {
    id: '3',
    body: `A finding.\n\n${signMarker(marker, SECRET)}`,
    kind: 'inline',
    threadId: 't',
    author: { id: BOT_ID, login: 'fixpoint' },
  } as const;
  const { forge } = forgeWith(
    [finding, { id: '6', body: `@fixpoint ${words}`, kind: 'inline', threadId: 't' }],
    'write',
  );
  const heard = await factsOf(forge, 6);
  expect(heard.orders.map(({ spoken }) => spoken.kind)).toEqual(orders);
  expect(heard.requests.map(({ command }) => command)).toEqual(requests);
  expect(heard.answers.map(({ noteId }) => noteId)).toEqual(words === 'this is wrong' ? [6] : []);
});

test('a review that nobody known has requested asks about nobody', async () => {
  const { forge, asked } = forgeWith([], 'write', { ...NO_BOTS, marks: { isMarkedBot: surprise('isMarkedBot') } });
  const event = forgeEvent('review_requested', { requestedReviewerId: BOT_ID, actorId: null });
  const { otherBotIds, mayRequest } = await factsAfter(forge, [event]);
  expect([[...otherBotIds], [...(mayRequest ?? [])], asked]).toEqual([[], [], []]);
});

test('everybody is asked about once, however often they call', async () => {
  const { forge, asked } = forgeWith(SAID, 'write');
  await factsAfter(forge, [SWEEP]);
  expect(asked).toEqual([AUTHOR_ID, HUMAN.id]);
});

test('without a memory, what is older than the bot’s last word counts as heard', async () => {
  const own = {
    id: '2',
    body: 'Reviewed.',
    author: { id: BOT_ID, login: 'fixpoint' },
    createdAtMs: 1,
    updatedAtMs: 53,
  };
  const { forge } = forgeWith([...SAID, own], 'write');
  const { seenCommands, requests } = await factsAfter(forge, [SWEEP], null);
  expect({ seenCommands, requests: requests.map(({ noteId }) => noteId) }).toEqual({
    seenCommands: { untilMs: 53, keys: [] },
    requests: [7],
  });
});

test('X10: nothing is decided about a head that a bot pushed where the forge cannot list what was said', async () => {
  const { forge } = forgeWith([], 'write');
  const broken = { ...forge, read: { ...forge.read, fetchComments: surprise('a list that ends in 500') } };
  const pushed = forgeEvent('pushed', { actorId: BOT_ID });
  await expect(factsAfter(broken, [pushed])).rejects.toThrow('a list that ends in 500');
});
