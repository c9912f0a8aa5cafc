/** What happens to a session when the forge is away, and how many there may be. */
import { expect, test } from 'vitest';
import { pino } from 'pino';
import type { LoginMember } from '../../../services/console/access/login-forge.ts';
import { CHECK_EVERY_MS, createMemberSessions } from '../../../services/console/access/member-sessions.ts';
import { createPendingLogins, LOGIN_S } from '../../../services/console/access/pending-logins.ts';
import { WHOLE_SIGHT } from '../../../services/console/access/sight.ts';
import { createLiveNow } from '../../../services/console/routes/live-now.ts';
import { SESSION_S } from '../../../shared/store/board/sessions.ts';

const SHOP = { forge: 'main', projectId: 4 };

const stage = (most = 3) => {
  const clock = { nowMs: 1_000_000 };
  const asked: string[] = [];
  const answer: { now: ReadonlySet<number> | Error } = { now: new Set([4]) };
  const sessions = createMemberSessions({
    forge: { id: 'main', isRefusal: (error) => error instanceof RangeError },
    nowMs: () => clock.nowMs,
    log: pino({ level: 'silent' }),
    most,
  });
  const member = (login: string, expiresAtMs: number | null = null): LoginMember => ({
    login,
    expiresAtMs,
    fetchProjects: async () => {
      asked.push(login);
      if (answer.now instanceof Error) throw answer.now;
      return answer.now;
    },
  });
  const seen = async (id: string) => {
    const found = await sessions.find(id);
    return typeof found === 'string' ? found : found.sees(SHOP);
  };
  return { clock, asked, answer, sessions, member, seen };
};

test('a member sees projects of this forge only, and the forge is asked once a minute, also for many requests', async () => {
  const { clock, asked, sessions, member, seen } = stage();
  const id = await sessions.begin(member('bob'));
  const found = await sessions.find(id);
  if (typeof found === 'string') throw new Error('no session');
  expect([found.isWhole, found.sees(SHOP), found.sees({ ...SHOP, forge: 'other' })]).toEqual([false, true, false]);
  clock.nowMs += CHECK_EVERY_MS;
  expect(await Promise.all([seen(id), seen(id), seen(id)])).toEqual([true, true, true]);
  expect(asked).toEqual(['bob', 'bob']);
});

test('while the forge does not answer, nothing is seen, and it is asked again after a pause', async () => {
  const { clock, asked, answer, sessions, member, seen } = stage();
  const id = await sessions.begin(member('bob'));
  answer.now = new Error('away');
  clock.nowMs += CHECK_EVERY_MS;
  expect([await seen(id), await seen(id), asked.length]).toEqual(['unchecked', 'unchecked', 2]);
  answer.now = new Set([4]);
  clock.nowMs += 5_000;
  expect([await seen(id), asked.length]).toEqual([true, 3]);
});

test('a refusal ends the session for good, and so does the end of the token', async () => {
  const { clock, answer, sessions, member, seen } = stage();
  const [one, two, three] = [
    await sessions.begin(member('one')),
    await sessions.begin(member('two', clock.nowMs + 30_000)),
    await sessions.begin(member('three')),
  ];
  clock.nowMs += 30_000;
  expect(await seen(two)).toBe('ended');
  answer.now = new RangeError('401');
  clock.nowMs += CHECK_EVERY_MS;
  expect(await seen(one)).toBe('ended');
  answer.now = new Set([4]);
  expect([await seen(one), await seen(three)]).toEqual(['ended', true]);
  clock.nowMs += SESSION_S * 1000;
  expect(await seen(three)).toBe('ended');
});

test('the oldest sessions end when there are too many, and unknown ids are no session', async () => {
  const { sessions, member, seen } = stage();
  const ids = [];
  for (const login of ['one', 'two', 'three', 'four']) ids.push(await sessions.begin(member(login)));
  expect(await Promise.all(ids.map(seen))).toEqual(['ended', true, true, true]);
  expect(await seen('x'.repeat(43))).toBe('ended');
});

test('an account that logs in often ends only its own sessions', async () => {
  const { sessions, member, seen } = stage(100);
  const other = await sessions.begin(member('other'));
  const ids = [];
  for (let index = 0; index < 12; index += 1) ids.push(await sessions.begin(member('often')));
  expect(await seen(other)).toBe(true);
  expect((await Promise.all(ids.map(seen))).map((each) => each === true)).toEqual(ids.map((_id, index) => index > 1));
});

test('a login can be finished once, for ten minutes, and the oldest are forgotten', () => {
  let nowMs = 0;
  const pending = createPendingLogins(() => nowMs, 2);
  const [one, two, three] = [pending.begin('/a'), pending.begin('/b'), pending.begin('/c')];
  expect(pending.take(one.state)).toBeNull();
  expect(pending.take(two.state)).toEqual({ verifier: two.verifier, next: '/b' });
  expect(pending.take(two.state)).toBeNull();
  nowMs = LOGIN_S * 1000;
  expect(pending.take(three.state)).toBeNull();
});

test('an open page is told what its visitor may see, and ends with the session', async () => {
  const read: boolean[] = [];
  const none = { rows: [], total: 0, outages: [], misconfigurations: [], pauses: [] };
  const live = createLiveNow(
    async (sight) => {
      read.push(sight.isWhole);
      return none;
    },
    { everyMs: 5 },
  );
  const member = { isWhole: false, sees: () => true };
  let left = 2;
  const stream = live.open(async () => {
    left -= 1;
    return left < 0 ? null : member;
  });
  stream?.resume();
  await new Promise((resolve) => stream?.once('end', resolve));
  expect(read).toEqual([false, false]);
  live.close();
});

test('a forge that does not answer delays nobody who is not asked for there', async () => {
  const none = { rows: [], total: 0, outages: [], misconfigurations: [], pauses: [] };
  const live = createLiveNow(async () => none, { everyMs: 5 });
  const waiting = live.open(() => new Promise(() => undefined));
  const served = live.open(async () => WHOLE_SIGHT);
  waiting?.resume();
  const events: string[] = [];
  served?.on('data', (chunk: Buffer) => events.push(chunk.toString()));
  await expect.poll(() => events.filter((event) => event.startsWith('data: ')).length).toBeGreaterThan(1);
  live.close();
});
