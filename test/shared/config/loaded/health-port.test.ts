import { expect, test } from 'vitest';
import { healthAddress } from '../../../../shared/config/loaded/health-port.ts';

test('each worker has its own port above the base, and none when health is off', () => {
  const health = { enabled: true, host: '127.0.0.1', portBase: 9750 };
  const ports = (['guard', 'reviewer', 'explorer', 'poster', 'author', 'console'] as const).map((name) =>
    healthAddress(health, name),
  );
  expect(ports).toEqual([9750, 9751, 9752, 9753, 9754, 9755].map((port) => ({ host: '127.0.0.1', port })));
  expect(healthAddress({ ...health, enabled: false }, 'guard')).toBeNull();
});
