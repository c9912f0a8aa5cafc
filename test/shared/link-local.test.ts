import { expect, test } from 'vitest';
import { isLinkLocal } from '../../shared/link-local.ts';

test.each<[string, boolean]>([
  ['169.254.0.0', true],
  ['169.254.169.254', true],
  ['169.254.255.255', true],
  ['169.253.255.255', false],
  ['169.255.0.0', false],
  ['fe80::1', true],
  ['FE80::1', true],
  ['[fe80::1]', true],
  ['fe80::1%eth0', true],
  ['febf:ffff::1', true],
  ['fec0::1', false],
  ['::ffff:169.254.169.254', true],
  ['::ffff:a9fe:a9fe', true],
  ['[::ffff:a9fe:a9fe]', true],
  ['::169.254.169.254', true],
  ['64:ff9b::a9fe:a9fe', true],
  ['2002:a9fe:a9fe::1', true],
  ['::ffff:10.0.0.1', false],
  ['64:ff9b::a00:1', false],
  ['127.0.0.1', false],
  ['::1', false],
  ['10.0.0.1', false],
  ['hooks.example.com', false],
  ['169.254.example.com', false],
  ['', false],
])('%s is link-local: %s', (host, expected) => {
  expect(isLinkLocal(host)).toBe(expected);
});

test.each(['http://0xa9fea9fe/', 'http://2852039166/', 'http://0251.0376.0251.0376/', 'http://169.254.43518/'])(
  'the host of %s is link-local, however it is written',
  (url) => {
    expect(isLinkLocal(new URL(url).hostname)).toBe(true);
  },
);
