import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgejoComment, forgejoPullRequest, gitlabMergeRequest, gitlabNote } from '../../shared/webhooks/payloads.ts';
import {
  BODY_LIMIT_BYTES,
  createFakeIngress,
  type Delivery,
  deliver,
  forgejoDelivery,
  gitlabDelivery,
} from './fake-ingress.ts';

const GOOD = forgejoDelivery('pull_request', forgejoPullRequest());
const text = (body: Readonly<Record<string, unknown>>): string => JSON.stringify(body);
const MAX_GROWTH_BYTES = 20_000_000;

const abuses: readonly (readonly [string, Delivery, number])[] = [
  ['a body one byte over the limit', forgejoDelivery('pull_request', Buffer.alloc(BODY_LIMIT_BYTES + 1, ' ')), 413],
  ['a hundred thousand levels', forgejoDelivery('pull_request', '['.repeat(100_000) + ']'.repeat(100_000)), 400],
  ['levels up to the limit', forgejoDelivery('pull_request', '{"a":'.repeat(BODY_LIMIT_BYTES / 5 - 1)), 400],
  ['no JSON', forgejoDelivery('pull_request', 'payload=x'), 400],
  ['an empty body', forgejoDelivery('pull_request', ''), 400],
  ['invalid UTF-8', forgejoDelivery('pull_request', Buffer.from([0x22, 0xc3, 0x28, 0x22])), 400],
  ['UTF-16', forgejoDelivery('pull_request', Buffer.from(text(forgejoPullRequest()), 'utf16le')), 400],
  [
    'an id above 2^53',
    forgejoDelivery('pull_request', text(forgejoPullRequest()).replace('"number":7', '"number":9007199254740993')),
    400,
  ],
  [
    'a form',
    forgejoDelivery('pull_request', 'payload=%7B%7D', { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
  ],
  ['plain text', forgejoDelivery('pull_request', forgejoPullRequest(), { 'content-type': 'text/plain' }), 415],
  [
    'something like JSON',
    forgejoDelivery('pull_request', forgejoPullRequest(), { 'content-type': 'application/jsonp' }),
    415,
  ],
  [
    'a multipart form',
    forgejoDelivery('pull_request', 'x', { 'content-type': 'multipart/form-data; boundary=x' }),
    415,
  ],
];

describe('a body that no forge sends', () => {
  it.each(abuses)('is refused, and the next good one is taken: %s', async (_name, delivery, status) => {
    const { app, asked } = createFakeIngress();
    const response = await deliver(app, delivery);
    expect([response.statusCode, Object.keys(response.json())]).toEqual([status, ['error']]);
    expect(asked).toEqual([]);
    expect((await deliver(app, GOOD)).statusCode).toBe(202);
  });

  it('is refused without a content type', async () => {
    const { 'content-type': _type, ...headers } = GOOD.headers;
    expect((await deliver(createFakeIngress().app, { ...GOOD, headers })).statusCode).toBe(415);
  });

  it('costs little memory', async () => {
    const { app } = createFakeIngress();
    await deliver(app, GOOD);
    const before = process.memoryUsage().heapUsed;
    for (const [, delivery] of abuses) await deliver(app, delivery);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(MAX_GROWTH_BYTES);
  });
});

describe('a body with odd keys', () => {
  it('cannot reach the prototype of every object', async () => {
    const { app, jobs } = createFakeIngress();
    const odd = text(forgejoPullRequest())
      .replace('{', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},')
      .replace('"head":{', '"head":{"__proto__":{"polluted":1},');
    expect((await deliver(app, forgejoDelivery('pull_request', odd))).statusCode).toBe(202);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Object.keys(jobs[0]?.event ?? {})).not.toContain('polluted');
  });

  it('means what its last duplicate says, as in every parser of JavaScript', async () => {
    const { app, jobs } = createFakeIngress();
    const doubled = text(forgejoPullRequest()).replace('"number":7', '"number":6,"number":7');
    expect((await deliver(app, forgejoDelivery('pull_request', doubled))).statusCode).toBe(202);
    expect(jobs.map(({ event }) => event.number)).toEqual([7]);
  });
});

/** One delivery of each kind, with `host` wherever a forge puts an address. */
const deliveriesFullOf = (host: string, index: number): readonly Delivery[] => {
  const number = index + 1;
  const urls = { url: host, html_url: host, clone_url: host, ssh_url: host, diff_url: host, web_url: host };
  const repository = { id: 3, full_name: 'acme/widgets', ...urls };
  const project = { id: 3, path_with_namespace: 'acme/widgets', git_http_url: host, ...urls };
  const head = { sha: 'd'.repeat(40), repo: repository };
  const sender = { id: 11, avatar_url: host };
  const id = (name: string): Record<string, string> => ({
    'x-forgejo-delivery': `${name}-${number}`,
    'idempotency-key': `${name}-${number}`,
  });
  const opened = forgejoPullRequest({ number, repository, sender, ...urls }, { head, ...urls });
  const comment = forgejoComment({ repository, issue: { number, ...urls } });
  const merge = gitlabMergeRequest({ iid: number, source: project, target: project, ...urls }, { project, ...urls });
  const note = gitlabNote({ id: number, ...urls }, { project, repository: urls });
  return [
    forgejoDelivery('pull_request', opened, id('opened')),
    forgejoDelivery('pull_request_comment', comment, id('comment')),
    gitlabDelivery(merge, id('merge')),
    gitlabDelivery(note, id('note')),
  ];
};

describe('addresses in a payload', () => {
  let listener: Server;
  let connections = 0;
  let address = '';
  beforeAll(async () => {
    listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const bound = listener.address();
    address = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
  });
  afterAll(() => void listener.close());

  it('are never followed and never stored', async () => {
    const { app, jobs, lines } = createFakeIngress();
    const hosts = [address, 'http://169.254.169.254/latest/meta-data'];
    for (const delivery of hosts.flatMap(deliveriesFullOf)) await deliver(app, delivery);
    expect(jobs.map(({ event }) => event.kind)).toEqual(
      hosts.flatMap(() => ['opened', 'comment', 'opened', 'comment']),
    );
    expect(connections).toBe(0);
    for (const text of [JSON.stringify(jobs), lines.join('')]) expect(text).not.toMatch(/http|127\.0|169\.254/);
  });
});
