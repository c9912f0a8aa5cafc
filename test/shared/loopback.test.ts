import { expect, test } from 'vitest';
import { isLoopback } from '../../shared/loopback.ts';

test.each([
  ['http://localhost:8080', true],
  ['HTTPS://LOCALHOST', true],
  ['http://127.0.0.1', true],
  ['http://127.1', true],
  ['http://[0:0::1]', true],
  ['http://127.0.0.1.example.com', false],
  ['http://localhost.example.com', false],
  ['http://0.0.0.0', false],
  ['http://10.0.0.1', false],
  ['http://[::2]', false],
])('the host of %s is on this machine: %s', (url, expected) => {
  expect(isLoopback(new URL(url).hostname)).toBe(expected);
});
