/** Clients that belong to projects by patterns: what they may see and send, also after a project has moved. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClientRights } from '../../../services/ingress/client-rights.ts';
import { exchange, type FolderDeps } from '../../../services/ingress/folder-exchange.ts';
import type { KnownClient, MessagesDeps } from '../../../services/ingress/messages-route.ts';
import { createCursors } from '../../../services/ingress/watch-folders.ts';
import { createMailOfProjects } from '../../../shared/mailbox/mail-of-projects.ts';
import { createMessageStore } from '../../../shared/mailbox/message-store.ts';
import { ReviewMessage } from '../../../shared/protocol/message.ts';
import { printMessage } from '../../../shared/protocol/print-message.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { createKnownPaths } from '../../../shared/store/known-paths.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { example } from '../../shared/protocol/examples.ts';
import { never, temporaryFolder } from '../../shared/workspace/repository.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { createFakeIngress, SILENT_STORE } from './fake-ingress.ts';

const tokenOf = (name: string): string => `${name}-`.repeat(12);

const client = (name: string, role: KnownClient['role'], match: readonly string[], forge: string | null = 'code') => ({
  name,
  role,
  forge,
  projectId: null,
  match,
  token: tokenOf(name),
});

const REX = client('rex', 'reviewer', ['acme/*']);
const CLIENTS: readonly KnownClient[] = [
  client('ann', 'author', ['acme/*'], null),
  REX,
  client('eve', 'reviewer', ['evil/*']),
  client('eva', 'author', ['evil/*']),
  { name: 'sol', role: 'author', forge: 'code', projectId: 4, match: null, token: tokenOf('sol') },
];
/** Has a folder only. */
const SUE = { name: 'sue', role: 'reviewer', forge: 'code', projectId: 4, match: null } as const;
const FORGES = [
  { id: 'code', projects: ['acme/*', 'evil/*', 'free/*'] },
  { id: 'other', projects: ['acme/shop'] },
];

const keys = createKeys('fixpoint');
const SHOP = { forge: 'code', projectId: 4 };
const DESK = { forge: 'code', projectId: 5 };
const TWIN = { forge: 'other', projectId: 4 };
const EVIL = { forge: 'code', projectId: 66 };

let server: TestRedis;
let redis: Redis;
let app: FastifyInstance;
let deps: Omit<MessagesDeps, 'log'>;
let lines: readonly string[];
let woken: string[];
let count = 0;

beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
});

afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

const rightsOf = (forges: typeof FORGES) => createClientRights({ forges }, createKnownPaths(redis, keys));

const moved = async (project: typeof SHOP, path: string): Promise<void> =>
  createKnownPaths(redis, keys).save(project, path);

beforeEach(async () => {
  await redis.flushall();
  woken = [];
  deps = {
    clients: CLIENTS,
    messageStore: createMessageStore(redis, keys, { maxRoundsOf: async () => 3, leader: 'fixpoint' }),
    mail: createMailOfProjects(redis, keys),
    requestStore: SILENT_STORE,
    rights: rightsOf(FORGES),
    programs: [...CLIENTS, SUE],
    ownName: 'fixpoint',
    branchOf: async () => 'the-secret-branch',
    unknown: { mayAsk: async () => true },
    wake: async (of) => void woken.push(`${of.forge}-${of.projectId}`),
  };
  ({ app, lines } = createFakeIngress({ messages: deps }));
  await moved(SHOP, 'Acme/shop');
  await moved(DESK, 'acme/desk');
  await moved(TWIN, 'acme/shop');
  await moved(EVIL, 'evil/lab');
});

const post = async (name: string, message: ReviewMessage) =>
  app.inject({
    method: 'POST',
    url: '/messages',
    headers: { 'content-type': 'application/yaml', authorization: `Bearer ${tokenOf(name)}` },
    payload: printMessage(message),
  });

const get = async (name: string, query = '') =>
  app.inject({
    method: 'GET',
    url: `/messages?to=${name}${query}`,
    headers: { authorization: `Bearer ${tokenOf(name)}` },
  });

/** A request of an author to a reviewer, about the project of a channel. */
const ask = (channel: string | null, from = 'ann', to: string | readonly string[] = 'rex'): ReviewMessage => {
  const message = example('review_request');
  count += 1;
  const body = { ...message.body, branch: 'the-secret-branch' };
  return ReviewMessage.parse({
    ...message,
    id: `m-${count}`,
    from,
    to,
    body,
    ...(channel === null ? {} : { channel }),
  });
};

const answer = (channel: string): ReviewMessage =>
  ReviewMessage.parse({ ...example('review_lgtm'), to: 'fixpoint', channel });

const OTHER_BRANCH = { ...example('review_request').body, branch: 'another' };

/** What rex has in its inbox. */
const inFolder = async (): Promise<readonly string[]> => {
  const folder = temporaryFolder();
  const rex = { ...REX, folder: join(folder.path, 'rex') };
  const log = { warn: () => {}, info: () => {} } as unknown as FolderDeps['log'];
  const exchanging: FolderDeps = { ...deps, ...createCursors(redis, keys), log };
  await exchange(exchanging, rex, never());
  await exchange(exchanging, rex, never());
  const inbox = join(rex.folder, 'inbox');
  const texts = (await readdir(inbox)).toSorted().map((file) => readFileSync(join(inbox, file), 'utf8'));
  folder.dispose();
  return texts;
};

const REFUSED = { error: 'this token is not allowed for this project' };

type Heard = { readonly message: ReviewMessage; readonly cursor: string; readonly project: object };

const heard = async (name: string, query = ''): Promise<readonly Heard[]> => (await get(name, query)).json().messages;

const projectsOf = async (name: string): Promise<readonly object[]> =>
  (await heard(name)).map(({ project }) => project);

const SEEN_SHOP = { forge: 'code', id: 4, path: 'Acme/shop' };
const SEEN_DESK = { forge: 'code', id: 5, path: 'acme/desk' };

describe('a client with patterns', () => {
  beforeEach(async () => {
    for (const channel of ['code-4', 'code-5']) await post('ann', ask(channel));
  });

  it('reads the messages of all its projects in one mailbox, each with its project', async () => {
    expect(await projectsOf('rex')).toEqual([SEEN_SHOP, SEEN_DESK]);
    expect(woken).toEqual(['code-4', 'code-5']);
  });

  it('reads on after a cursor and after an id', async () => {
    const [first, second] = await heard('rex');
    expect(await heard('rex', `&after=${first?.cursor}`)).toEqual([second]);
    expect(await heard('rex', `&after=${first?.message.id}`)).toEqual([second]);
    const end = (await get('rex', `&after=${second?.cursor}`)).json();
    expect(end).toEqual({ messages: [], next: second?.cursor });
  });

  it('reads on after an id past any number of messages that it may not see', async () => {
    const [, last] = await heard('rex');
    const others = redis.pipeline();
    for (let at = 1; at <= 2_400; at += 1)
      others.xadd(keys.mailIndex('rex'), '*', 'project', 'code.66', 'at', `${at}-0`, 'id', `e-${at}`);
    await others.exec();
    expect(await heard('rex', `&after=${last?.message.id}`)).toEqual([]);
    await moved({ forge: 'code', projectId: 6 }, 'acme/till');
    const later = ask('code-6');
    await post('ann', later);
    const found = await heard('rex', `&after=${last?.message.id}`);
    expect(found.map(({ message }) => message.id)).toEqual([later.id]);
  });

  it('sees a project only while its present path matches, and then what came in the meantime too', async () => {
    await moved(DESK, 'evil/desk');
    expect(await projectsOf('rex')).toEqual([SEEN_SHOP]);
    expect(await heard('eve')).toEqual([]);
    await moved(DESK, 'acme/counter');
    expect(await projectsOf('rex')).toEqual([SEEN_SHOP, { ...SEEN_DESK, path: 'acme/counter' }]);
    await moved(SHOP, 'free/shop');
    expect(await projectsOf('rex')).toEqual([{ ...SEEN_DESK, path: 'acme/counter' }]);
    expect((await post('rex', answer('code-4'))).json()).toEqual(REFUSED);
  });

  it('never reads on after a message of a project that it may not see', async () => {
    await moved(SHOP, 'evil/shop');
    const id = `m-${count - 1}`;
    expect([(await get('rex', `&after=${id}`)).statusCode, (await get('rex', '&after=m-none')).statusCode]).toEqual([
      404, 404,
    ]);
  });

  it('sees no project that its forge does not serve any more, although its patterns match', async () => {
    await moved(SHOP, 'acme/shop');
    deps = { ...deps, rights: rightsOf([{ id: 'code', projects: ['acme/desk'] }]) };
    ({ app } = createFakeIngress({ messages: deps }));
    expect(await projectsOf('rex')).toEqual([SEEN_DESK]);
  });

  it('is told which field names the project', async () => {
    for (const message of [ask(null), ask('general'), ask('code-0')]) {
      const refused = await post('ann', message);
      expect([refused.statusCode, refused.json().problems]).toEqual([
        422,
        [
          {
            field: 'channel',
            line: null,
            message:
              'names no project; expected the forge and the id of the project, such as forgejo-42, as in messages from Fixpoint',
          },
        ],
      ]);
    }
  });

  it('without a forge belongs to the projects of every forge', async () => {
    expect((await post('ann', ask('other-4', 'ann', 'fixpoint'))).statusCode).toBe(202);
    expect(await projectsOf('rex')).toEqual([SEEN_SHOP, SEEN_DESK]);
  });

  it('gets the messages of all its projects in one folder, each once, and none of one that has moved away', async () => {
    await moved(DESK, 'evil/desk');
    expect(await inFolder()).toHaveLength(1);
  });

  it('gets two messages with one id, of two projects, in its folder', async () => {
    await redis.flushall();
    await moved(SHOP, 'acme/shop');
    await moved(DESK, 'acme/desk');
    const said = ask('code-4');
    for (const channel of ['code-4', 'code-5']) await post('ann', ReviewMessage.parse({ ...said, channel }));
    const texts = await inFolder();
    expect(texts.flatMap((text) => /^channel: (.*)$/m.exec(text)?.[1] ?? []).toSorted()).toEqual(['code-4', 'code-5']);
  });

  it('learns the project of a message from its channel, whatever a client of one project wrote there', async () => {
    await redis.flushall();
    await moved(SHOP, 'acme/shop');
    const said = ask('code-5', 'sol');
    expect([(await post('sol', said)).statusCode, (await post('sol', said)).statusCode]).toEqual([202, 200]);
    expect((await heard('rex')).map(({ message }) => message.channel)).toEqual(['code-4']);
    expect(await inFolder()).toEqual([expect.stringMatching(/^channel: code-4$/m)]);
  });

  it('learns the project of a message without a channel in its folder too', async () => {
    await redis.flushall();
    await moved(SHOP, 'acme/shop');
    const stored = { message: ask(null), packet: null };
    await deps.messageStore.send({ ...SHOP, number: 41 }, stored);
    expect(await inFolder()).toEqual([expect.stringMatching(/^channel: code-4$/m)]);
  });
});

describe('a project of others', () => {
  it.each([
    ['of another pattern', 'code-66'],
    ['that guard has not read', 'code-77'],
    ['of a forge that the patterns are not for', 'other-4'],
    ['of an unknown forge', 'nowhere-4'],
  ])('%s is refused with the same answer, and nothing is stored', async (_what, channel) => {
    const before = await redis.dbsize();
    const refused = await post('rex', answer(channel));
    expect([refused.statusCode, refused.json()]).toEqual([403, REFUSED]);
    expect([woken, await redis.dbsize()]).toEqual([[], before]);
    expect(lines.join('')).not.toMatch(/evil|Acme/);
  });

  it('does not tell an author the source branch of its change requests', async () => {
    const refused = await post('eva', ReviewMessage.parse({ ...ask('code-4', 'eva', 'eve'), body: OTHER_BRANCH }));
    expect([refused.statusCode, refused.body]).toEqual([403, JSON.stringify(REFUSED)]);
  });

  it.each([
    ['a client of other projects', 'code-4', 'eve'],
    ['a client of another project by its id', 'code-5', 'sue'],
    ['nobody', 'code-4', 'zoe'],
    ['a client of the project and one of others', 'code-4', ['rex', 'eve']],
  ])('cannot be used to fill the mailbox of %s', async (_what, channel, to) => {
    const before = await redis.dbsize();
    const refused = await post('ann', ask(channel, 'ann', to));
    const error = 'this token may send messages only to fixpoint and to clients of this project';
    expect([refused.statusCode, refused.json()]).toEqual([403, { error }]);
    expect([woken, await redis.dbsize()]).toEqual([[], before]);
  });

  it('is no obstacle to messages for Fixpoint and the clients of the project', async () => {
    expect((await post('ann', ask('code-4', 'ann', ['rex', 'sue', 'fixpoint']))).statusCode).toBe(202);
  });
});
