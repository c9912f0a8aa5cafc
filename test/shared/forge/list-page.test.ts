/** One page on a condition: with a forge that tags its answers, with one that does not, and with one that does it badly. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasForgeCode } from '../../../shared/forge/errors.ts';
import { createForgeHttp, type ForgeHttp } from '../../../shared/forge/http.ts';
import { type PageWords, readListPage } from '../../../shared/forge/list-page.ts';
import { apiPath } from '../../../shared/forge/path.ts';
import { manualClock } from './manual-clock.ts';
import { type Answer, type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

const signal = new AbortController().signal;
const TOKEN = ['token', 'of', 'tests'].join('-');
const Item = z.object({ id: z.number() });
const WORDS: PageWords = { sizeParameter: 'limit', totalHeader: 'x-total-count', size: 2 };

const started: ScriptedServer[] = [];
afterEach(async () => {
  const surprises = started.flatMap((server) => server.surprises);
  await Promise.all(started.splice(0).map((server) => server.close()));
  if (surprises.length > 0) throw new Error(`asked more than the script answers: ${surprises.join(', ')}`);
});

const serve = async (script: Script): Promise<{ readonly server: ScriptedServer; readonly http: ForgeHttp }> => {
  const server = await startScriptedServer(script);
  started.push(server);
  return {
    server,
    http: createForgeHttp({ forgeId: 'test', baseUrl: server.url, token: TOKEN, clock: manualClock() }),
  };
};

const page = (ids: readonly number[] | null, headers: Record<string, string> = {}): Answer => ({
  kind: 'json',
  status: 200,
  body: ids === null ? null : ids.map((id) => ({ id })),
  headers,
});
const NOT_MODIFIED: Answer = { kind: 'text', status: 304, body: '' };

const ask = async (http: ForgeHttp, tag: string | null = null, at = 1) =>
  readListPage(
    http,
    { path: apiPath`/things`, query: { state: 'open' }, item: Item, page: at, words: WORDS, tag },
    signal,
  );

describe('a page of a list', () => {
  it('is asked for with size and number, and without a condition the first time', async () => {
    const { server, http } = await serve([page([1, 2], { 'x-total-count': '3' })]);
    expect(await ask(http)).toEqual({
      items: [{ id: 1 }, { id: 2 }],
      last: false,
      total: 3,
      unread: 0,
      tag: expect.stringMatching(/^content:/),
    });
    expect(server.requests[0]?.url).toBe('/things?state=open&page=1&limit=2');
    expect(server.requests[0]?.headers['if-none-match']).toBeUndefined();
  });

  it('is the last one where the total or the links say so', async () => {
    const { http } = await serve([
      page([3], { 'x-total-count': '3' }),
      page([3, 4], { link: '<x>; rel="prev"' }),
      page([3, 4], { link: '<x>; rel="next"' }),
    ]);
    expect((await ask(http, null, 2))?.last).toBe(true);
    expect((await ask(http, null, 2))?.last).toBe(true);
    expect((await ask(http, null, 2))?.last).toBe(false);
  });

  it('leaves out an entry that is null and counts it, also towards the end of the list', async () => {
    const odd = (...body: readonly unknown[]): Answer => ({
      kind: 'json',
      status: 200,
      body,
      headers: { 'x-total-count': '3' },
    });
    const { http } = await serve([odd({ id: 1 }, null), odd(null), odd({ id: 1 }, { id: 2 })]);
    const first = await ask(http);
    expect(first).toMatchObject({ items: [{ id: 1 }], unread: 1, last: false, total: 3 });
    expect(await ask(http, null, 2)).toMatchObject({ items: [], unread: 1, last: true });
    // The same entries after the forge can read them again are another page.
    expect(await ask(http, first?.tag)).not.toBeNull();
  });

  it('may be null, which is how an empty list is written', async () => {
    const { http } = await serve([page(null, { 'x-total-count': '0' })]);
    expect(await ask(http)).toMatchObject({ items: [], last: true, total: 0 });
  });
});

describe('a page that has not changed', () => {
  it('is not sent again by a forge that tags its answers', async () => {
    const { server, http } = await serve([page([1], { etag: 'W/"abc"' }), NOT_MODIFIED]);
    const first = await ask(http);
    expect(first?.tag).toBe('etag:W/"abc"');
    expect(await ask(http, first?.tag)).toBeNull();
    expect(server.requests[1]?.headers['if-none-match']).toBe('W/"abc"');
  });

  it('is known by its tag where the forge sends it again all the same', async () => {
    const { http } = await serve([page([1], { etag: 'W/"abc"' }), page([1], { etag: 'W/"abc"' })]);
    expect(await ask(http, (await ask(http))?.tag)).toBeNull();
  });

  it('is known by its content where the forge has no tags, and no condition is sent', async () => {
    const { server, http } = await serve([page([1]), page([1])]);
    expect(await ask(http, (await ask(http))?.tag)).toBeNull();
    expect(server.requests[1]?.headers['if-none-match']).toBeUndefined();
  });

  it.each<[name: string, second: Answer]>([
    ['item', page([2])],
    ['order', page([2, 1])],
    ['total', page([1], { 'x-total-count': '9' })],
    ['tag', page([1], { etag: '"new"' })],
  ])('is another one with another %s', async (_, second) => {
    const { http } = await serve([page([1], { 'x-total-count': '1' }), second]);
    expect(await ask(http, (await ask(http))?.tag)).not.toBeNull();
  });
});

describe('the answer "not modified"', () => {
  it('to a question without a condition is a mistake of the forge', async () => {
    const { http } = await serve([NOT_MODIFIED]);
    const error: unknown = await http.read({ path: apiPath`/things`, schema: Item }, signal).catch((reason) => reason);
    expect(hasForgeCode(error, 'FORGE_REDIRECTED')).toBe(true);
  });

  it('is no success of a write', async () => {
    const { http } = await serve([NOT_MODIFIED]);
    const request = { method: 'POST', path: apiPath`/things`, schema: null } as const;
    await expect(http.write(request, signal)).rejects.toMatchObject({ code: 'FORGE_REDIRECTED' });
  });

  it('is given only to the condition: a limited rate is waited for as with any read', async () => {
    const limited: Answer = { kind: 'json', status: 429, body: {}, headers: { 'retry-after': '1' } };
    const { server, http } = await serve([page([1], { etag: '"a"' }), limited, NOT_MODIFIED]);
    expect(await ask(http, (await ask(http))?.tag)).toBeNull();
    expect(server.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"a"', '"a"']);
  });
});
