/** What happens to a session when the forge is away, and how many there may be. */
import { describe, expect, it, test } from 'vitest';
import { pino } from 'pino';
import { fetchMemberProjects, type LoginMember } from '../../../services/console/access/login-forge.ts';
import { CHECK_EVERY_MS, createMemberSessions } from '../../../services/console/access/member-sessions.ts';
import { createPendingLogins, LOGIN_S } from '../../../services/console/access/pending-logins.ts';
import { WHOLE_SIGHT } from '../../../services/console/access/sight.ts';
import { createLiveNow } from '../../../services/console/routes/live-now.ts';
import type { ListsProjects } from '../../../shared/forge/port-listing.ts';
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
    waitMs: 20,
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
  /** A session whose projects have been read once. */
  const enter = async (of: LoginMember): Promise<string> => {
    const id = sessions.begin(of);
    await sessions.find(id);
    return id;
  };
  return { clock, asked, answer, sessions, member, seen, enter };
};

test('a member sees projects of this forge only, and the forge is asked once a minute, also for many requests', async () => {
  const { clock, asked, sessions, member, seen, enter } = stage();
  const id = await enter(member('bob'));
  const found = await sessions.find(id);
  if (typeof found === 'string') throw new Error('no session');
  expect([found.isWhole, found.sees(SHOP), found.sees({ ...SHOP, forge: 'other' })]).toEqual([false, true, false]);
  clock.nowMs += CHECK_EVERY_MS;
  expect(await Promise.all([seen(id), seen(id), seen(id)])).toEqual([true, true, true]);
  expect(asked).toEqual(['bob', 'bob']);
});

test('while the forge does not answer, nothing is seen, and it is asked again after a pause', async () => {
  const { clock, asked, answer, member, seen, enter } = stage();
  const id = await enter(member('bob'));
  answer.now = new Error('away');
  clock.nowMs += CHECK_EVERY_MS;
  expect([await seen(id), await seen(id), asked.length]).toEqual(['unchecked', 'unchecked', 2]);
  answer.now = new Set([4]);
  clock.nowMs += 5_000;
  expect([await seen(id), asked.length]).toEqual([true, 3]);
});

test('a refusal ends the session for good, and so does the end of the token', async () => {
  const { clock, answer, member, seen, enter } = stage();
  const [one, two, three] = [
    await enter(member('one')),
    await enter(member('two', clock.nowMs + 30_000)),
    await enter(member('three')),
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
  const { member, seen, enter } = stage();
  const ids = [];
  for (const login of ['one', 'two', 'three', 'four']) ids.push(await enter(member(login)));
  expect(await Promise.all(ids.map(seen))).toEqual(['ended', true, true, true]);
  expect(await seen('x'.repeat(43))).toBe('ended');
});

test('an account that logs in often ends only its own sessions', async () => {
  const { member, seen, enter } = stage(100);
  const other = await enter(member('other'));
  const ids = [];
  for (let index = 0; index < 12; index += 1) ids.push(await enter(member('often')));
  expect(await seen(other)).toBe(true);
  expect((await Promise.all(ids.map(seen))).map((each) => each === true)).toEqual(ids.map((_id, index) => index > 1));
});

test('a request does not wait for an account with thousands of projects, and shows nothing until they are read', async () => {
  const { clock, sessions, seen } = stage();
  let give = (_ids: ReadonlySet<number>): void => {};
  let begun = 0;
  const id = sessions.begin({
    login: 'many',
    expiresAtMs: null,
    fetchProjects: async () => {
      begun += 1;
      return new Promise((resolve) => {
        give = resolve;
      });
    },
  });
  expect([await seen(id), await seen(id), begun]).toEqual(['unchecked', 'unchecked', 1]);
  clock.nowMs += 30_000;
  give(new Set([4]));
  expect(await seen(id)).toBe(true);
  // What was read is as old as the question, so it is asked again early, without waiting.
  clock.nowMs += 15_000;
  expect([await seen(id), begun]).toEqual([true, 2]);
  clock.nowMs += 15_000;
  expect(await seen(id)).toBe('unchecked');
  give(new Set());
  expect(await seen(id)).toBe(false);
});

describe('the projects of an account with 1,150 of them', () => {
  const PAGES = 23;
  const listing = (failing: number | null = null) => {
    const asked: number[] = [];
    let [running, most] = [0, 0];
    const readProjectPage: ListsProjects['readProjectPage'] = async (_place, page) => {
      asked.push(page);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (page === failing) throw new Error('away');
      if (page > PAGES) return { projects: [], last: true };
      const projects = Array.from({ length: 50 }, (_, at) => ({ id: page * 100 + at, path: 'a/b', activeAtMs: 0 }));
      return { projects, last: page === PAGES };
    };
    return { read: { readProjectPage }, asked, most: () => most };
  };

  it('are all read, a few pages at once, and hardly any page behind the last one', async () => {
    const { read, asked, most } = listing();
    const ids = await fetchMemberProjects({ read }, AbortSignal.timeout(10_000));
    expect([ids.size, ids.has(2_349), most()]).toEqual([1_150, true, 4]);
    expect(asked.length).toBeLessThan(PAGES + 4);
  });

  it('are unknown if one page cannot be read', async () => {
    const { read } = listing(7);
    await expect(fetchMemberProjects({ read }, AbortSignal.timeout(10_000))).rejects.toThrow('away');
  });
});

test('a check that fails early takes nothing away before its time, and is not repeated at once', async () => {
  const { clock, asked, answer, member, seen, enter } = stage();
  const id = await enter(member('bob'));
  answer.now = new Error('away');
  clock.nowMs += CHECK_EVERY_MS - 3_000;
  expect([await seen(id), await seen(id), asked.length]).toEqual([true, true, 2]);
  clock.nowMs += 3_000;
  expect([await seen(id), asked.length]).toEqual(['unchecked', 2]);
});

test('a login can be finished for ten minutes, only with what its own browser kept', () => {
  let nowMs = 0;
  const pending = createPendingLogins(() => nowMs);
  const [one, two] = [pending.begin('/a'), pending.begin('/b')];
  expect(pending.take(one.sealed, one.state)).toEqual({ verifier: one.verifier, next: '/a' });
  expect(pending.take(one.sealed, two.state)).toBeNull();
  expect(pending.take(two.sealed, one.state)).toBeNull();
  expect(createPendingLogins(() => nowMs).take(two.sealed, two.state)).toBeNull();
  nowMs = LOGIN_S * 1000;
  expect(pending.take(two.sealed, two.state)).toBeNull();
});

test.each(['', 'x', 'x'.repeat(43), 'x'.repeat(4_000), '!'.repeat(80), '{}'])(
  '%j was not kept for a login',
  (sealed) => {
    expect(createPendingLogins(() => 0).take(sealed, 'x'.repeat(43))).toBeNull();
  },
);

test('what a browser keeps says nothing, cannot be changed, and fits into a cookie', () => {
  const pending = createPendingLogins(() => 0);
  const { sealed, state, verifier } = pending.begin(`/${'long/'.repeat(299)}`);
  expect(sealed.length).toBeLessThan(3_500);
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain(verifier);
  for (let at = 0; at < sealed.length; at += 97) {
    const other = sealed[at] === 'A' ? 'B' : 'A';
    expect(pending.take(`${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`, state)).toBeNull();
  }
  expect(pending.take(sealed, state)?.verifier).toBe(verifier);
  expect(pending.begin(`/${'x'.repeat(5_000)}`).next).toBe('/');
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
