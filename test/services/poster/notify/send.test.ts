/** One request, over real HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSend } from '../../../../services/poster/notify/send.ts';
import { LINK_LOCAL } from '../../../../shared/notify/judge-outcome.ts';
import { freePort } from '../../../support/redis.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const request = { headers: { 'content-type': 'application/json', 'x-own': 'yes' }, body: '{"größe":1}' };

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver('/hooks/x?y=1');
});
beforeEach(() => receiver.script());
afterAll(async () => receiver.close());

const never = (): AbortSignal => new AbortController().signal;
const send = createSend({ connectMs: 2_000, totalMs: 300 });

describe('a request', () => {
  it('arrives as it was composed', async () => {
    expect(await send(receiver.url, request, never())).toMatchObject({ kind: 'answer', status: 200 });
    expect(receiver.received.at(-1)).toMatchObject({
      path: '/hooks/x?y=1',
      headers: { 'content-type': 'application/json', 'x-own': 'yes', host: `127.0.0.1:${receiver.port}` },
      body: request.body,
    });
  });

  it('is not led elsewhere by a redirect', async () => {
    const elsewhere = await startReceiver('/');
    receiver.script({ kind: 'answer', status: 307, headers: { location: elsewhere.url } });
    expect(await send(receiver.url, request, never())).toMatchObject({ kind: 'answer', status: 307 });
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  it('to a receiver that hangs ends at its time, and may have arrived', async () => {
    receiver.script({ kind: 'hang' });
    expect(await send(receiver.url, request, never())).toEqual({
      kind: 'lost',
      reason: 'TimeoutError',
      aborted: true,
      status: null,
    });
  });

  it('ends with its signal', async () => {
    receiver.script({ kind: 'hang' });
    const leaving = new AbortController();
    const sent = createSend({ totalMs: 60_000 })(receiver.url, request, leaving.signal);
    const before = receiver.received.length;
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before);
    leaving.abort();
    expect(await sent).toMatchObject({ kind: 'lost', aborted: true });
  });

  it.each([
    ['is reset', { kind: 'reset' }, { kind: 'lost', status: null }],
    ['is cut in the answer', { kind: 'cut' }, { kind: 'lost', status: 200 }],
    ['is flooded', { kind: 'flood' }, { kind: 'too_large', status: 200 }],
  ] as const)('that %s says how far it came', async (_what, deed, outcome) => {
    receiver.script(deed);
    expect(await send(receiver.url, request, never())).toMatchObject(outcome);
  });

  it('to a port where nobody listens was not sent', async () => {
    const url = `http://127.0.0.1:${await freePort()}/secret-path`;
    expect(await send(url, request, never())).toEqual({ kind: 'not_sent', reason: 'ECONNREFUSED', aborted: false });
  });

  it('uses a connection of its own each time', async () => {
    const before = receiver.received.length;
    await send(receiver.url, request, never());
    await send(receiver.url, request, never());
    expect(receiver.received.slice(before).map(({ headers }) => headers.connection)).toEqual(['close', 'close']);
  });
});

const resolvingTo = (...found: readonly string[]) =>
  createSend({
    totalMs: 2_000,
    resolve: (_host, _options, done) =>
      done(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
  });

describe('the address of a receiver', () => {
  it.each([
    ['http://169.254.169.254/latest'],
    ['http://[fe80::1]/x'],
    ['http://[::ffff:169.254.169.254]/x'],
    ['http://2852039166/x'],
  ])('%s is never dialled', async (url) => {
    const unused = createSend({
      resolve: () => {
        throw new Error('nothing is to be resolved');
      },
    });
    expect(await unused(url, request, never())).toEqual({ kind: 'not_sent', reason: LINK_LOCAL, aborted: false });
  });

  it.each([
    ['a link-local address', ['169.254.169.254']],
    ['one of version 6', ['fe80::1']],
    ['one that is mapped', ['::ffff:a9fe:a9fe']],
    ['one among others', ['127.0.0.1', '169.254.169.254']],
  ])('is not dialled when its name resolves to %s', async (_what, addresses) => {
    const before = receiver.received.length;
    const outcome = await resolvingTo(...addresses)(`http://hooks.example:${receiver.port}/x`, request, never());
    expect(outcome).toEqual({ kind: 'not_sent', reason: LINK_LOCAL, aborted: false });
    expect(receiver.received).toHaveLength(before);
  });

  it('is the one that was looked at: its name is resolved once', async () => {
    let asked = 0;
    const rebinding = createSend({
      resolve: (_host, _options, done) => {
        asked += 1;
        done(null, [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
      },
    });
    const outcome = await rebinding(`http://hooks.example:${receiver.port}/x`, request, never());
    expect([outcome.kind, asked]).toEqual(['answer', 1]);
  });

  it('may be a name of this machine', async () => {
    expect(await send(`http://localhost:${receiver.port}/x`, request, never())).toMatchObject({ status: 200 });
  });

  it.each([
    ['has no address', createSend({ resolve: (_host, _options, done) => done(null, []) }), 'ENOTFOUND'],
    [
      'is not known',
      createSend({
        resolve: (_host, _options, done) => done(Object.assign(new Error('x'), { code: 'EAI_AGAIN' }), []),
      }),
      'EAI_AGAIN',
    ],
  ])('that %s was not sent to', async (_what, sending, reason) => {
    const outcome = await sending('http://hooks.example/x', request, never());
    expect(outcome).toEqual({ kind: 'not_sent', reason, aborted: false });
  });
});
