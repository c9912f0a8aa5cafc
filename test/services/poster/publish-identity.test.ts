import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { publishIdentity } from '../../../services/poster/publish-identity.ts';
import type { Identities } from '../../../shared/store/identities.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the posting account is published at once and every 5 s, also after a failure, until the service ends', async () => {
  const published: string[] = [];
  const logged: unknown[] = [];
  const leaving = new AbortController();
  const fault = new Error('Redis is away');
  const publish: Identities['publish'] = async (forge, { login }) => {
    published.push(`${forge} ${login}`);
    if (published.length === 2) throw fault;
  };
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line).err?.message) });
  // Only publishing is asked for.
  const identities = { publish } as Identities;
  await publishIdentity('main', { id: 900, login: 'fixpoint' }, { identities, log, signal: leaving.signal });
  expect(published).toEqual(['main fixpoint']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([published.length, logged]).toEqual([3, ['Redis is away']]);
  leaving.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(published).toHaveLength(3);
});
