import { MergeRequestDiscussions, MergeRequestNotes, MergeRequests, Projects } from '@gitbeaker/rest';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../shared/errors.ts';
import { ForgeUnknownOutcomeError } from '../../../shared/forge/errors.ts';
import { createGitlabApi, type GitlabApi } from '../../../shared/forge/gitlab/api/requester.ts';
import { createForgeHttp } from '../../../shared/forge/http.ts';
import { failureOf } from './conformance-bench.ts';
import { manualClock } from './manual-clock.ts';
import { type Answer, type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

// Joined at run time so that no scanner takes it for a real one.
const TOKEN = ['tok', 'en', 'for', 'gitlab', '0123456789'].join('_');
const Thing = z.object({ id: z.number() });
const signal = new AbortController().signal;
const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  kind: 'json',
  status,
  body,
  headers,
});

const started: ScriptedServer[] = [];
afterEach(async () => {
  const surprises = started.flatMap((server) => server.surprises);
  await Promise.all(started.splice(0).map((server) => server.close()));
  if (surprises.length > 0) throw new Error(`asked more than the script answers: ${surprises.join(', ')}`);
});

type Opened = { readonly server: ScriptedServer; readonly api: GitlabApi; readonly slept: readonly number[] };

const open = async (script: Script, prefix = ''): Promise<Opened> => {
  const server = await startScriptedServer(script);
  started.push(server);
  const clock = manualClock();
  const tokenHeader = (token: string) => ({ 'private-token': token });
  const http = createForgeHttp({ forgeId: 'lab', baseUrl: server.url + prefix, token: TOKEN, clock, tokenHeader });
  return { server, api: createGitlabApi(http), slept: clock.slept };
};

const say = (api: GitlabApi, at = signal) =>
  api.write(Thing, at, (options) => new MergeRequestNotes(options).create(5, 7, 'a word'));
const look = (api: GitlabApi, at = signal) => api.read(Thing, at, (options) => new MergeRequests(options).show(5, 7));
const list = (api: GitlabApi) =>
  api.readAll({ item: Thing, keyOf: ({ id }) => id }, signal, (options, page) =>
    new MergeRequestNotes(options).all(5, 7, page),
  );

describe('a request through gitbeaker', () => {
  it('goes to the configured address, with the token in one header', async () => {
    const { server, api } = await open([json({ id: 1 })], '/git/lab');
    expect(await look(api)).toEqual({ id: 1 });
    const [request] = server.requests;
    expect([request?.method, request?.url]).toEqual(['GET', '/git/lab/api/v4/projects/5/merge_requests/7']);
    expect(request?.headers['private-token']).toBe(TOKEN);
    expect(request?.headers.authorization).toBeUndefined();
  });

  it('writes its parameters the way GitLab names them', async () => {
    const { server, api } = await open([json([])]);
    await api.readAll({ item: Thing, keyOf: ({ id }) => id }, signal, (options, page) =>
      new MergeRequests(options).all({ projectId: 5, orderBy: 'updated_at', state: 'opened', ...page }),
    );
    expect(server.requests[0]?.url).toBe(
      '/api/v4/projects/5/merge_requests?order_by=updated_at&state=opened&page=1&per_page=100',
    );
  });

  it('writes a body as JSON, nested names included', async () => {
    const { server, api } = await open([json({ id: 1 })]);
    const nested: object = { oneTwo: { threeFour: [{ fiveSix: 1 }] } };
    await api.write(Thing, signal, (options) => new MergeRequestNotes(options).create(5, 7, 'a\nb', nested));
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      body: 'a\nb',
      one_two: { three_four: [{ five_six: 1 }] },
    });
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
  });

  it('sends nothing where there is nothing to say', async () => {
    const { server, api } = await open([{ kind: 'text', status: 204, body: '' }]);
    await api.write(null, signal, (options) => new MergeRequestNotes(options).remove(5, 7, 9));
    expect([server.requests[0]?.method, server.requests[0]?.body]).toEqual(['DELETE', '']);
  });

  it('encodes a path once', async () => {
    const { server, api } = await open([json({ id: 1 })]);
    await api.read(Thing, signal, (options) => new Projects(options).show('group/sub/project'));
    expect(server.requests[0]?.url).toBe('/api/v4/projects/group%2Fsub%2Fproject');
  });

  it.each(['..', '.', ''])('never sends %j as a part of a path', async (part) => {
    const { server, api } = await open([]);
    await expect(api.read(Thing, signal, (options) => new Projects(options).show(part))).rejects.toThrow(RangeError);
    expect(server.requests).toEqual([]);
  });

  it('never sends a form', async () => {
    const { server, api } = await open([]);
    const position = { baseSha: 'a', startSha: 'b', headSha: 'c', positionType: 'text', newPath: 'x', newLine: '1' };
    const ask = api.write(Thing, signal, (options) =>
      new MergeRequestDiscussions(options).create(5, 7, 'a', { position: position as never }),
    );
    await expect(ask).rejects.toThrow(TypeError);
    expect(server.requests).toEqual([]);
  });

  it('refuses to be used twice, or not at all, in one call', async () => {
    const { server, api } = await open([json({ id: 1 })]);
    const twice = api.read(Thing, signal, async (options) => {
      await new MergeRequests(options).show(5, 7);
      await new MergeRequests(options).show(5, 8);
    });
    await expect(twice).rejects.toThrow('made two requests');
    await expect(api.read(Thing, signal, async () => {})).rejects.toThrow('no request');
    expect(server.requests).toHaveLength(1);
  });

  it('gives what the schema says and not what gitbeaker promises', async () => {
    const { api } = await open([json({ id: 1, more: 2 }), json({ id: 'one' })]);
    expect(await look(api)).toEqual({ id: 1 });
    expect((await failureOf(look(api))).code).toBe('FORGE_BAD_ANSWER');
  });
});

describe('a write through gitbeaker', () => {
  it.each([429, 502])('is sent once when it is answered with %i', async (status) => {
    const { server, api, slept } = await open([json({ message: 'no' }, status, { 'retry-after': '3' })]);
    const error = await failureOf(say(api));
    expect([error.code, error.disposition]).toEqual(
      status === 429
        ? ['FORGE_RATE_LIMITED', { kind: 'retry_after', delayMs: 3_000 }]
        : ['FORGE_UNKNOWN_OUTCOME', { kind: 'retry' }],
    );
    expect([server.requests.length, slept]).toEqual([1, []]);
  });

  it('has an unknown outcome when the connection breaks', async () => {
    const { server, api } = await open([{ kind: 'reset' }]);
    expect(await failureOf(say(api))).toBeInstanceOf(ForgeUnknownOutcomeError);
    expect(server.requests).toHaveLength(1);
  });

  it('tells the status of the answer', async () => {
    const { api } = await open([json({ id: 1 }, 202)]);
    expect(await say(api)).toEqual({ status: 202, value: { id: 1 } });
  });
});

describe('a read through gitbeaker', () => {
  it('waits as long as a rate limit asks for', async () => {
    const { api, slept } = await open([json({}, 429, { 'retry-after': '2' }), json({ id: 1 })]);
    expect(await look(api)).toEqual({ id: 1 });
    expect(slept).toEqual([2_000]);
  });

  it('carries the signal of its own caller', async () => {
    const { api, server } = await open((request) =>
      request.url.endsWith('/8') ? json({ id: 8 }) : { kind: 'silence' },
    );
    const leaving = new AbortController();
    const hanging = failureOf(look(api, leaving.signal));
    const other = api.read(Thing, signal, (options) => new MergeRequests(options).show(5, 8));
    expect(await other).toEqual({ id: 8 });
    leaving.abort();
    expect((await hanging).code).toBe('FORGE_ABORTED');
    expect(server.requests).toHaveLength(2);
  });

  it('does not follow a redirect', async () => {
    const { api } = await open([json({}, 302, { location: 'http://127.0.0.1:1/' })]);
    expect((await failureOf(look(api))).code).toBe('FORGE_REDIRECTED');
  });

  it.each([
    [{ message: '400 Bad request - Note {:line_code=>["can\'t be blank"]}' }, 'Note {:line_code'],
    [{ message: { base: ['is too long', 'is odd'] } }, '{"base":["is too long","is odd"]}'],
    [{ error: 'state does not have a valid value' }, 'state does not'],
  ])('hands on what GitLab says in %j', async (body, words) => {
    const { api } = await open([json(body, 400)]);
    const error = await failureOf(look(api));
    expect(error.code).toBe('FORGE_REJECTED');
    expect(error.fields['explanation']).toContain(words);
  });

  it('shows the token in no error', async () => {
    const { api } = await open([json({ message: { base: [`bad ${TOKEN}`] } }, 400), { kind: 'reset' }]);
    for (const error of [await failureOf(look(api)), await failureOf(say(api))]) {
      expect(error).toBeInstanceOf(AppError);
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(TOKEN);
    }
  });
});

describe('a list', () => {
  const page = (number: number, more: boolean): Answer =>
    json([{ id: number * 10 }, { id: number * 10 + 1 }], 200, {
      link: `<http://else.where/?page=1>; rel="first"${more ? `, <http://else.where/?page=${number + 1}>; rel="next"` : ''}`,
    });

  it('is read to the page that has no next one, all from the configured address', async () => {
    const { api, server } = await open([page(1, true), page(2, true), page(3, false)]);
    expect((await list(api)).map(({ id }) => id)).toEqual([10, 11, 20, 21, 30, 31]);
    expect(server.requests.map(({ url }) => new URL(url, server.url).searchParams.get('page'))).toEqual([
      '1',
      '2',
      '3',
    ]);
  });

  it('ends with the total where there is no link', async () => {
    const { api, server } = await open([
      json([{ id: 1 }], 200, { 'x-total': '2' }),
      json([{ id: 2 }], 200, { 'x-total': '2' }),
    ]);
    expect(await list(api)).toHaveLength(2);
    expect(server.requests).toHaveLength(2);
  });

  it('ends when a list that knows no pages comes again', async () => {
    const { api, server } = await open([json([{ id: 1 }]), json([{ id: 1 }])]);
    expect(await list(api)).toEqual([{ id: 1 }]);
    expect(server.requests).toHaveLength(2);
  });

  it('is an error when a page of it is', async () => {
    const { api } = await open([page(1, true), json({ message: 'gone' }, 404)]);
    expect((await failureOf(list(api))).code).toBe('FORGE_NOT_FOUND');
  });
});
