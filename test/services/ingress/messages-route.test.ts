import type { FastifyInstance } from 'fastify';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { KnownClient } from '../../../services/ingress/messages-route.ts';
import { createClientRights } from '../../../services/ingress/client-rights.ts';
import { createWake } from '../../../services/ingress/message-clients.ts';
import { createMailOfProjects } from '../../../shared/mailbox/mail-of-projects.ts';
import { createUnknownChangeRequests, MAX_UNKNOWN } from '../../../shared/mailbox/unknown-change-requests.ts';
import { createMessageStore, type MessageStore } from '../../../shared/mailbox/message-store.ts';
import { printPacket } from '../../../shared/protocol/packet-text.ts';
import { FindingsPacket } from '../../../shared/protocol/findings-packet.ts';
import { HandoffPacket } from '../../../shared/protocol/handoff-packet.ts';
import { ReviewMessage, ReviewRequest } from '../../../shared/protocol/message.ts';
import { printMessage } from '../../../shared/protocol/print-message.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { createKnownPaths } from '../../../shared/store/known-paths.ts';
import { createSourceBranches, type SourceBranches } from '../../../shared/store/source-branches.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { EXAMPLES, example } from '../../shared/protocol/examples.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { createFakeIngress, SILENT_STORE } from './fake-ingress.ts';

const tokenOf = (name: string): string => `${name}-`.repeat(12);
const client = (name: string, role: KnownClient['role'], projectId = 4): KnownClient => ({
  name,
  role,
  forge: 'code',
  projectId,
  match: null,
  token: tokenOf(`${name}${projectId}`),
});
const CLIENTS = [client('ann', 'author'), client('rex', 'reviewer'), client('ann', 'author', 5)];
const ANN = tokenOf('ann4');
const REX = tokenOf('rex4');
const OF = { forge: 'code', projectId: 4, number: 41 };

const HANDOFF = HandoffPacket.parse({
  source_agent: 'ann',
  target_agent: 'fixpoint',
  intent: 'Finish the cart.',
  artifacts_to_review: ['src/cart.ts'],
  definition_of_done: ['The cart adds up'],
  context_bundle: {
    files_touched: [{ path: 'src/cart.ts', rationale: 'It holds the sum' }],
    decisions_made: [{ decision: 'Prices are whole cents', alternatives_considered: ['Floats'] }],
    blockers_hit: [{ blocker: 'No test data', workarounds_attempted: ['None'] }],
    suggested_next_steps: ['Look at rounding'],
  },
});

let server: TestRedis;
let redis: Redis;
let messageStore: MessageStore;
let branches: SourceBranches;
let app: FastifyInstance;
let events: InboxEvent[];
let lines: string[];

beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
});

afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

beforeEach(async () => {
  await redis.flushall();
  events = [];
  branches = createSourceBranches(redis, createKeys('fixpoint'));
  messageStore = createMessageStore(redis, createKeys('fixpoint'), { maxRoundsOf: async () => 3, leader: 'fixpoint' });
  const inbox = {
    notify: async (_of: ChangeRequest, event: InboxEvent) => {
      events.push(event);
    },
  };
  const fake = createFakeIngress({
    messages: {
      clients: CLIENTS,
      messageStore,
      requestStore: SILENT_STORE,
      mail: createMailOfProjects(redis, createKeys('fixpoint')),
      rights: createClientRights({ forges: [] }, createKnownPaths(redis, createKeys('fixpoint'))),
      programs: CLIENTS,
      ownName: 'fixpoint',
      branchOf: async (of: ChangeRequest) => branches.load(of),
      unknown: createUnknownChangeRequests(redis, createKeys('fixpoint'), branches),
      wake: createWake(inbox, () => 1),
    },
  });
  app = fake.app;
  lines = fake.lines;
});

const post = async (token: string | null, payload: string, type = 'application/yaml') => {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  return app.inject({ method: 'POST', url: '/messages', headers: { 'content-type': type, ...authorization }, payload });
};

const get = async (token: string, query: string) =>
  app.inject({ method: 'GET', url: `/messages?${query}`, headers: { authorization: `Bearer ${token}` } });

let nextId = 0;

/** Another message of the example's type, in the given round. */
const say = (type: ReviewMessage['type'], body: object = {}): ReviewMessage => {
  const message = example(type);
  nextId += 1;
  return ReviewMessage.parse({ ...message, id: `m-${nextId}`, body: { ...message.body, ...body } });
};

const packetOf = (round: number, blocking: number) =>
  FindingsPacket.parse({
    packet_id: `20300105_retry_rex_r${round}`,
    source_review_packet: '',
    reviewer: 'rex',
    round,
    created_at_utc: '2030-01-05T09:30:00Z',
    summary: { verdict: 'feedback', blocking_count: blocking, non_blocking_count: 0 },
    findings: Array.from({ length: blocking }, (_, index) => ({
      id: `F-00${index + 1}`,
      severity: 'P1',
      blocking: true,
      status: 'open',
      area: 'code',
      file: 'src/upload.ts',
      line: 3,
      repro: 'Off by one',
      expected: '',
      evidence: 'i <= limit',
      recommendation: '',
    })),
  });

const feedback = (round: number): ReviewMessage =>
  say('review_feedback', {
    round,
    findings_packet: `packets/findings/20300105_retry_rex_r${round}.yaml`,
    escalation: undefined,
  });

const statuses = async (...sent: readonly (readonly [token: string, text: string])[]): Promise<readonly number[]> => {
  const codes: number[] = [];
  for (const [token, text] of sent) codes.push((await post(token, text)).statusCode);
  return codes;
};

test('F-F18: the hand-off packet of a request is kept with it', async () => {
  const request = say('review_request', { handoff_ref: 'packets/handoffs/a.yaml' });
  expect((await post(ANN, `${printMessage(request)}---\n${printPacket(HANDOFF)}`)).statusCode).toBe(202);
  const lists = await Promise.all([messageStore.list(OF, 'ann'), messageStore.list(OF, null)]);
  expect(lists.flat().map(({ handoff }) => handoff)).toEqual([HANDOFF]);
});

describe('an author and a reviewer who only speak messages', () => {
  it('go through two rounds, and each reads what is for it', async () => {
    const first = `${printMessage(feedback(1))}---\n${printPacket(packetOf(1, 2))}`;
    const codes = await statuses(
      [ANN, printMessage(say('review_request'))],
      [REX, first],
      [ANN, printMessage(say('review_addressed', { round: 1 }))],
      [ANN, printMessage(say('review_request'))],
      [REX, printMessage(say('review_lgtm'))],
    );
    expect(codes).toEqual([202, 202, 202, 202, 202]);
    const forRex = (await get(REX, 'to=rex')).json();
    expect(forRex.messages.map((each: { message: ReviewMessage }) => each.message.type)).toEqual([
      'review_request',
      'review_addressed',
      'review_request',
    ]);
    const forAnn = (await get(ANN, 'to=ann')).json();
    expect(forAnn.messages[0].packet).toEqual(packetOf(1, 2));
    const later = (await get(ANN, `to=ann&after=${forAnn.messages[0].cursor}`)).json();
    expect(later.messages.map((each: { message: ReviewMessage }) => each.message.type)).toEqual(['review_lgtm']);
    expect((await get(ANN, `to=ann&after=${later.next}`)).json()).toEqual({ messages: [], next: later.next });
    expect(events.map((event) => ('kind' in event ? event.kind : ''))).toEqual([
      'review_request',
      'review_feedback',
      'review_addressed',
      'review_request',
      'review_lgtm',
    ]);
  });

  it('are told what was expected when something is out of order', async () => {
    await post(ANN, printMessage(say('review_request')));
    await post(REX, printMessage(say('review_lgtm')));
    const second = await post(REX, printMessage(feedback(1)));
    expect([second.statusCode, second.json()]).toEqual([
      409,
      { error: 'review_feedback is out of order', expected: 'review_request of round 2 from ann' },
    ]);
    expect(await messageStore.list(OF, null)).toHaveLength(2);
  });

  it('are told what was expected when a request names another branch, and nothing of it is kept', async () => {
    await branches.save(OF, 'ann/other');
    const refused = await post(ANN, printMessage(say('review_request')));
    expect([refused.statusCode, refused.json()]).toEqual([
      409,
      { error: 'body.branch is not the source branch of change request 41', expected: 'ann/other' },
    ]);
    expect([(await get(REX, 'to=rex')).json().messages, events]).toEqual([[], []]);
    const { branch } = ReviewRequest.parse(say('review_request')).body;
    await branches.save(OF, branch);
    expect(await statuses([ANN, printMessage(say('review_request'))])).toEqual([202]);
    // Where the forge names no branch any more, nothing can be compared.
    await branches.save(OF, '');
    expect(await branches.load(OF)).toBeNull();
  });

  it('cannot fill a reviewer’s index with invented change requests', async () => {
    const about = (number: number): string => {
      const request = say('review_request');
      const body = { ...request.body, pr: number };
      return printMessage(ReviewMessage.parse({ ...request, related_pr: `${number}`, body }));
    };
    const ask = async (number: number): Promise<number> => (await post(ANN, about(number))).statusCode;
    const { branch } = ReviewRequest.parse(say('review_request')).body;
    const invented = Array.from({ length: MAX_UNKNOWN }, (_, index) => 1_000 + index);
    for (const number of invented) expect(await ask(number)).toBe(202);
    expect(await ask(5_000)).toBe(409);
    expect(await redis.xlen(createKeys('fixpoint').mailIndex('rex'))).toBe(MAX_UNKNOWN);
    expect((await post(ANN, about(5_000))).json()).toEqual({
      error: expect.stringMatching(/^20 change requests that this author asked about in this project are unknown/),
      expected: 'the number of a change request that exists',
    });
    // One that guard has read is asked about as before, and counts no longer.
    await branches.save(OF, branch);
    expect(await ask(OF.number)).toBe(202);
    await branches.save({ ...OF, number: 1_003 }, branch);
    expect([await ask(5_000), await ask(5_001)]).toEqual([202, 409]);
  });

  it('may send a message again: it is stored once, and guard is told again', async () => {
    const text = printMessage(say('review_request'));
    expect(await statuses([ANN, text], [ANN, text])).toEqual([202, 200]);
    expect((await get(REX, 'to=rex')).json().messages).toHaveLength(1);
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    expect(events).toHaveLength(2);
  });

  it('never get two answers into one round, also when they come at once', async () => {
    await post(ANN, printMessage(say('review_request')));
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => post(REX, printMessage(say('review_lgtm')))),
    );
    const codes = answers.map(({ statusCode }) => statusCode).toSorted((one, other) => one - other);
    expect(codes).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('may send JSON, with the body as a mapping', async () => {
    expect((await post(ANN, JSON.stringify(say('review_request')), 'application/json')).statusCode).toBe(202);
  });
});

it('the rounds of the project count, which may have fewer than others', async () => {
  const maxRoundsOf = async (of: ChangeRequest): Promise<number> => (of.projectId === 4 ? 1 : 3);
  const limited = createMessageStore(redis, createKeys('fixpoint'), { maxRoundsOf, leader: 'fixpoint' });
  const play = async (projectId: number): Promise<readonly string[]> => {
    const kinds: string[] = [];
    for (const message of [say('review_request'), say('review_lgtm'), say('review_request')])
      kinds.push((await limited.send({ ...OF, projectId }, { message, packet: null })).kind);
    return kinds;
  };
  expect(await play(4)).toEqual(['accepted', 'accepted', 'refused']);
  expect(await play(5)).toEqual(['accepted', 'accepted', 'accepted']);
});

describe('a message is refused', () => {
  const lgtm = EXAMPLES.review_lgtm;
  const rows: readonly (readonly [string, string | null, string, number])[] = [
    ['without a token', null, EXAMPLES.review_request, 401],
    ['with a token of nobody', tokenOf('eve'), EXAMPLES.review_request, 401],
    ['in the name of somebody else', ANN, EXAMPLES.review_request.replace('from: ann', 'from: amy'), 403],
    ['of the other role', ANN, lgtm.replace('from: rex', 'from: ann').replace('to: ann', 'to: rex'), 403],
    ['that is not valid', ANN, EXAMPLES.review_request.replace('pr: 41', 'pr: x'), 422],
    ['that is no YAML', ANN, '[', 422],
    ['that names no change request', REX, lgtm.replace('related_pr: "41"\n', ''), 422],
    ['with a packet of another round', REX, `${printMessage(feedback(1))}---\n${printPacket(packetOf(2, 2))}`, 422],
    [
      'with a packet that counts otherwise',
      REX,
      `${printMessage(feedback(1))}---\n${printPacket(packetOf(1, 1))}`,
      422,
    ],
  ];
  it.each(rows)('%s', async (_what, token, text, status) => {
    expect((await post(token, text)).statusCode).toBe(status);
    expect([events, await redis.dbsize()]).toEqual([[], 0]);
  });

  it('with the field and the line of each problem', async () => {
    const answer = await post(ANN, EXAMPLES.review_request.replace('pr: 41', 'pr: x'));
    expect(answer.json().problems).toEqual([
      { field: 'body.pr', line: 10, message: 'expected a whole number of at least 1' },
    ]);
  });

  it('as unavailable when it cannot be stored, and without a word of it in the log', async () => {
    const down = { ...messageStore, send: async () => Promise.reject(new Error('down')) };
    const rest = {
      clients: CLIENTS,
      requestStore: SILENT_STORE,
      mail: createMailOfProjects(redis, createKeys('fixpoint')),
      rights: createClientRights({ forges: [] }, createKnownPaths(redis, createKeys('fixpoint'))),
      programs: CLIENTS,
      ownName: 'fixpoint',
      branchOf: async (of: ChangeRequest) => branches.load(of),
      unknown: createUnknownChangeRequests(redis, createKeys('fixpoint'), branches),
      wake: async () => {},
    };
    const fake = createFakeIngress({ messages: { ...rest, messageStore: down } });
    app = fake.app;
    expect((await post(ANN, EXAMPLES.review_request)).statusCode).toBe(503);
    expect(fake.lines.join('')).not.toContain('retry limit');
    expect(lines).toEqual([]);
  });
});

describe('a mailbox', () => {
  it.each([
    ['of somebody else', ANN, 'to=rex', 403],
    ['of nobody', ANN, '', 403],
    ['after what is neither a cursor nor an id', ANN, 'to=ann&after=%20', 400],
    ['after two things at once', ANN, 'to=ann&after=m-1&after=m-2', 400],
    ['after a message of nobody', ANN, 'to=ann&after=m-none', 404],
    ['with a token of nobody', tokenOf('eve'), 'to=ann', 401],
  ])('%s is not read', async (_what, token, query, status) => {
    expect((await get(token, query)).statusCode).toBe(status);
  });

  it('is read on after a message as after its cursor, and not after one of somebody else’s', async () => {
    const said = [say('review_request'), say('review_addressed', { round: 1 }), say('review_request')];
    const codes = await statuses(
      [ANN, printMessage(said[0] ?? say('review_request'))],
      [REX, `${printMessage(feedback(1))}---\n${printPacket(packetOf(1, 2))}`],
      ...said.slice(1).map((message) => [ANN, printMessage(message)] as const),
    );
    expect(codes).toEqual([202, 202, 202, 202]);
    const all = (await get(REX, 'to=rex')).json();
    const [first, second, third] = said.map(({ id }) => id);
    const idsAfter = async (id: string | undefined): Promise<readonly string[]> =>
      (await get(REX, `to=rex&after=${id}`)).json().messages.map((each: { message: ReviewMessage }) => each.message.id);
    expect(await Promise.all([first, second].map(idsAfter))).toEqual([[second, third], [third]]);
    expect((await get(REX, `to=rex&after=${third}`)).json()).toEqual({ messages: [], next: all.next });
    const elsewhere = await get(ANN, `to=ann&after=${first}`);
    expect([elsewhere.statusCode, elsewhere.json()]).toEqual([
      404,
      { error: 'after is not the id of a message that is kept for ann' },
    ]);
  });

  it('is read on after the older of two messages with one id', async () => {
    const twice = say('review_request');
    const other = ReviewMessage.parse({ ...twice, related_pr: '42', body: { ...twice.body, pr: 42 } });
    expect(await statuses([ANN, printMessage(twice)], [ANN, printMessage(other)])).toEqual([202, 202]);
    const { messages } = (await get(REX, `to=rex&after=${twice.id}`)).json();
    expect(messages.map((each: { message: ReviewMessage }) => each.message.related_pr)).toEqual(['42']);
  });

  it('of one project holds nothing of another, also for the same name', async () => {
    await post(ANN, printMessage(say('review_request')));
    await post(REX, printMessage(say('review_lgtm')));
    expect((await get(tokenOf('ann5'), 'to=ann')).json().messages).toEqual([]);
    expect((await get(ANN, 'to=ann')).json().messages).toHaveLength(1);
  });

  it('is not there at all when nobody is configured', async () => {
    const { app: bare } = createFakeIngress();
    expect((await bare.inject({ method: 'GET', url: '/messages?to=ann' })).statusCode).toBe(404);
    expect((await bare.inject({ method: 'POST', url: '/messages' })).statusCode).toBe(404);
  });
});
