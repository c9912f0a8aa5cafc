import { expect, test } from 'vitest';
import { countDeliveries, readCounts } from '../../../../../services/cli/setup/delivery/count-deliveries.ts';
import { isPrivateHost } from '../../../../../services/cli/setup/delivery/private-host.ts';
import { createMetrics } from '../../../../../shared/metrics.ts';
import { freePort } from '../../../../support/redis.ts';

test('deliveries of one forge are counted, those with a wrong signature apart', async () => {
  const metrics = createMetrics({ service: 'ingress', processMetrics: false });
  const count = (forge: string, kind: string, outcome: string): void =>
    metrics.webhookEvents.inc({ forge, kind, outcome });
  count('work', 'none', 'ignored');
  count('work', 'pushed', 'accepted');
  count('work', 'pushed', 'duplicate');
  count('work', 'none', 'refused');
  count('workshop', 'none', 'refused');
  const text = await metrics.registry.metrics();
  expect(readCounts(text, 'work')).toEqual({ taken: 3, refused: 1 });
  expect(readCounts(text, 'other')).toEqual({ taken: 0, refused: 0 });
});

test('nothing listens', async () => {
  const address = { host: '0.0.0.0', port: await freePort() };
  expect(await countDeliveries(address, 'work', new AbortController().signal)).toEqual({ kind: 'closed' });
});

test.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['172.31.0.1', true],
  ['172.32.0.1', false],
  ['192.168.1.1', true],
  ['8.8.8.8', false],
  ['[::1]', true],
  ['[fd00::1]', true],
  ['localhost', true],
  ['no-such-host.invalid', false],
])('%s is private: %s', async (host, expected) => {
  expect(await isPrivateHost(host)).toBe(expected);
});
