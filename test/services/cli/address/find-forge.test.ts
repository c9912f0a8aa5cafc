import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { candidatesOf, findForge } from '../../../../services/cli/address/find-forge.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

type Site = Readonly<Record<string, readonly [status: number, body: string]>>;
type Serving = { readonly origin: string; readonly asked: readonly string[] };

const serve = async (site: Site): Promise<Serving> => {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const isNamed = 'authorization' in req.headers || 'private-token' in req.headers;
    asked.push(`${req.method} ${req.url} ${isNamed ? 'a token' : 'no token'}`);
    const [status, body] = site[req.url ?? ''] ?? [404, '<html>nothing</html>'];
    res.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { origin: `http://127.0.0.1:${address.port}`, asked };
};

const VERSION = [200, '{"version":"1.2.3"}'] as const;
const STRANGER = [401, '{"message":"401 Unauthorized"}'] as const;
const signal = AbortSignal.timeout(20_000);
const options = { retry: { attempts: 1, baseMs: 0, capMs: 0, maxRetryAfterMs: 0 } };

const KINDS = { gitlab: ['gitlab'], forgejo: ['forgejo', 'gitea'] } as const;

const find = async (site: Site, family: 'gitlab' | 'forgejo', path: string) => {
  const { origin, asked } = await serve(site);
  const found = await findForge({ origin, path: path.split('/'), kinds: KINDS[family] }, signal, options);
  return { found: { ...found, baseUrl: found.baseUrl.slice(origin.length) }, asked };
};

describe('where a project begins', () => {
  test.each([
    ['gitlab', 'group/project', ['', 'group/project']],
    ['gitlab', 'a/b/c', ['', 'a/b/c', '/a', 'b/c']],
    ['gitlab', 'a/b/c/d/e/f', ['', 'a/b/c/d/e/f', '/a', 'b/c/d/e/f', '/a/b', 'c/d/e/f', '/a/b/c', 'd/e/f']],
    ['forgejo', 'owner/repo', ['', 'owner/repo']],
    ['forgejo', 'git/owner/repo', ['/git', 'owner/repo']],
  ] as const)('on %s for %s', (family, path, expected) => {
    const origin = 'https://forge.example.com';
    const found = candidatesOf({ origin, path: path.split('/') }, family);
    expect(found.flatMap(({ baseUrl, project }) => [baseUrl.slice(origin.length), project])).toEqual(expected);
  });
});

describe('which forge answers', () => {
  test.each([
    [
      'a GitLab that shows nothing to strangers',
      { '/api/v4/metadata': STRANGER },
      'gitlab',
      'a/b/c',
      'gitlab',
      '',
      'a/b/c',
    ],
    ['a GitLab below a path', { '/a/api/v4/metadata': STRANGER }, 'gitlab', 'a/b/c', 'gitlab', '/a', 'b/c'],
    [
      'a Forgejo, which also answers like a Gitea',
      { '/api/forgejo/v1/version': VERSION, '/api/v1/version': VERSION },
      'forgejo',
      'a/b',
      'forgejo',
      '',
      'a/b',
    ],
    ['a Forgejo for members only', { '/api/forgejo/v1/version': [403, '{}'] }, 'forgejo', 'a/b', 'forgejo', '', 'a/b'],
    ['a Gitea', { '/api/v1/version': VERSION }, 'forgejo', 'a/b', 'gitea', '', 'a/b'],
    ['a Gitea below a path', { '/git/api/v1/version': VERSION }, 'forgejo', 'git/a/b', 'gitea', '/git', 'a/b'],
  ] as const)('%s is recognised, without a token', async (_name, site, family, path, kind, baseUrl, project) => {
    const { found, asked } = await find(site, family, path);
    expect(found).toEqual({ kind, baseUrl, project });
    expect(asked.filter((line) => !/^GET .* no token$/.test(line))).toEqual([]);
  });

  test.each([
    ['nothing', {}],
    ['a web page at every path', { '/api/v4/metadata': [200, '<html>'], '/api/forgejo/v1/version': [200, '<html>'] }],
    [
      'a redirect',
      { '/api/v4/metadata': [302, ''], '/api/forgejo/v1/version': [302, ''], '/api/v1/version': [302, ''] },
    ],
  ] as const)('%s is no forge', async (_name, site) => {
    await expect(find(site, 'gitlab', 'a/b')).rejects.toThrow(/does not respond like GitLab: check the URL$/);
    await expect(find(site, 'forgejo', 'a/b')).rejects.toThrow(/does not respond like Forgejo or Gitea: check/);
  });

  test('a project of a clone, whose address does not show the kind, is looked for on every kind', async () => {
    const path = ['git', 'a', 'b'];
    const gitlab = await serve({ '/git/api/v4/metadata': STRANGER });
    expect(await findForge({ origin: gitlab.origin, path }, signal, options)).toEqual({
      kind: 'gitlab',
      baseUrl: `${gitlab.origin}/git`,
      project: 'a/b',
    });
    const nothing = await serve({});
    await expect(findForge({ origin: nothing.origin, path }, signal, options)).rejects.toThrow(
      `${nothing.origin}/git does not respond like Forgejo, Gitea or GitLab: check the URL`,
    );
  });

  test('a host that is not reached is named, in one sentence', async () => {
    const { origin } = await serve({});
    await new Promise((resolve) => servers.pop()?.close(resolve));
    await expect(findForge({ origin, path: ['a', 'b'] }, signal, options)).rejects.toThrow(
      `${origin} does not answer: the forge could not`,
    );
  });
});
