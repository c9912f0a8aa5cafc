import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { findLeaks } from './leaks.ts';

const secret = `${randomBytes(9).toString('hex')}/ü+%${randomBytes(9).toString('hex')}`;
const bytes = Buffer.from(secret, 'utf8');

test.each([
  ['as it is', secret],
  ['in JSON', JSON.stringify({ secret })],
  ['reversed', Array.from(secret).toReversed().join('')],
  ['in a URL', encodeURIComponent(secret)],
  ['percent-encoded throughout', [...bytes].map((byte) => `%${byte.toString(16).toUpperCase()}`).join('')],
  ['in hex', bytes.toString('hex')],
  ['in upper-case hex', bytes.toString('hex').toUpperCase()],
  ['in base64', bytes.toString('base64')],
  ['in base64url', bytes.toString('base64url')],
  ['in base64 of basic authentication', Buffer.from(`x:${secret}`).toString('base64')],
  ['in base64 behind two characters', Buffer.from(`xy${secret}z`).toString('base64')],
  ['in base64 behind three characters', Buffer.from(`xyz${secret}zz`).toString('base64')],
])('finds a secret %s', (_name, text) => {
  expect(findLeaks([{ where: 'the log', text: `before ${text} behind` }], ['unrelated-secret', secret])).toContainEqual(
    expect.stringMatching(/^secret 2 of 2 .* in the log$/),
  );
});

test('does not find what is not there, and never quotes a secret', () => {
  const other = randomBytes(24).toString('hex');
  expect(findLeaks([{ where: 'the log', text: `${other} ${secret.slice(0, -2)}` }], [secret])).toEqual([]);
  expect(findLeaks([{ where: 'the log', text: secret }], [secret]).join()).not.toContain(secret);
});
