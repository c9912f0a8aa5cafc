import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createForgeHttp } from '../../../../shared/forge/http.ts';
import {
  ApiDescription,
  probeTraits,
  traitsFromDescription,
  traitsFromVersion,
} from '../../../../shared/forge/forgejo/api/traits.ts';
import { sharedData } from '../../../support/shared-data.ts';
import { manualClock } from '../manual-clock.ts';
import { type Answer, type ScriptedServer, startScriptedServer } from '../scripted-server.ts';

const LEAST = {
  extraLinesCount: false,
  replyRoute: 'none',
  resolveRoute: false,
  deleteInlineRoute: 'issue_comments',
  draftField: false,
  statusSkipped: false,
  runsRoute: false,
} as const;

const FORGEJO = {
  ...LEAST,
  replyRoute: 'review_comments',
  deleteInlineRoute: 'review_comments',
  draftField: true,
} as const;
const GITEA = { ...LEAST, draftField: true } as const;

const openapi = sharedData('openapi');

describe.skipIf(openapi === null)('traitsFromDescription (needs the API descriptions)', () => {
  it.each([
    ['forgejo-v11.0.15', FORGEJO],
    ['forgejo-v15.0.3', { ...FORGEJO, runsRoute: true }],
    ['forgejo-v16.0-branch', { ...FORGEJO, extraLinesCount: true, statusSkipped: true, runsRoute: true }],
    ['gitea-v1.26.3', { ...GITEA, resolveRoute: true, statusSkipped: true, runsRoute: true }],
  ])('reads %s', (file, expected) => {
    const text = readFileSync(`${openapi}/${file}.swagger.json`, 'utf8');
    expect(traitsFromDescription(ApiDescription.parse(JSON.parse(text)))).toEqual(expected);
  });
});

const Availability = z.object({
  endpoints: z.record(z.string(), z.record(z.string(), z.boolean())),
  fields: z.record(z.string(), z.record(z.string(), z.boolean())),
});

describe.skipIf(openapi === null)('traitsFromVersion (needs the availability table)', () => {
  const text =
    openapi === null
      ? '{"endpoints":{},"fields":{}}'
      : readFileSync(`${openapi}/forgejo-gitea-availability.json`, 'utf8');
  const table = Availability.parse(JSON.parse(text));
  const releases = Object.keys(Object.values(table.endpoints)[0] ?? {});
  const toVersion = (release: string): string => {
    const [product = '', number = ''] = release.split(' v');
    const full = number.split('.').length < 3 ? `${number}.0` : number;
    return product === 'forgejo' ? `${full}+gitea-1.22.0` : full;
  };

  it.each(releases)('agrees for %s with the API description of that release', (release) => {
    const endpoint = (name: string): boolean => table.endpoints[name]?.[release] === true;
    const field = (name: string): boolean => table.fields[name]?.[release] === true;
    const comments = '/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments';
    const traits = traitsFromVersion(toVersion(release));
    expect({
      extraLinesCount: traits?.extraLinesCount,
      ownReply: traits?.replyRoute === 'review_comments',
      giteaReply: traits?.replyRoute === 'comment_replies',
      resolve: traits?.resolveRoute,
      ownDelete: traits?.deleteInlineRoute === 'review_comments',
      draft: traits?.draftField,
    }).toEqual({
      extraLinesCount: field('CreatePullReviewComment.extra_lines_count'),
      ownReply: endpoint(`POST ${comments}`),
      giteaReply: endpoint('POST /repos/{owner}/{repo}/pulls/{index}/comments/{id}/replies'),
      resolve: endpoint('POST /repos/{owner}/{repo}/pulls/comments/{id}/resolve'),
      ownDelete: endpoint(`DELETE ${comments}/{comment}`),
      draft: field('PullRequest.draft'),
    });
  });
});

describe('traitsFromVersion', () => {
  it('takes nothing from the Gitea version that Forgejo repeats for ever', () => {
    expect(traitsFromVersion('15.0.3+gitea-1.27.0')).toEqual({ ...FORGEJO, runsRoute: true });
    expect(traitsFromVersion('6.0.0+gitea-1.27.0')).toBeNull();
  });

  it.each(['', 'dev', '1.21.3', '2.0.0', 'main-nightly-2026'])('claims nothing about %j', (version) => {
    expect(traitsFromVersion(version)).toBeNull();
  });
});

describe('probeTraits', () => {
  const started: ScriptedServer[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.close()));
  });

  const json = (status: number, body: unknown): Answer => ({ kind: 'json', status, body });

  const probe = async (routes: Readonly<Record<string, Answer>>): Promise<unknown> => {
    const server = await startScriptedServer(({ url }) => routes[url] ?? json(404, { message: 'not found' }));
    started.push(server);
    const token = ['tok', 'en'].join('');
    const http = createForgeHttp({ forgeId: 'test', baseUrl: server.url, token, clock: manualClock() });
    return probeTraits(http, new AbortController().signal);
  };

  const description = {
    paths: { '/repos/{owner}/{repo}/pulls/comments/{id}/resolve': { post: {} } },
    definitions: { PullRequest: { properties: { draft: {} } } },
  };

  it('believes the API description more than the version', async () => {
    const traits = await probe({
      '/api/v1/version': json(200, { version: '16.0.0+gitea-1.22.0' }),
      '/swagger.v1.json': json(200, description),
      '/api/v1/settings/api': json(200, { max_response_items: 30 }),
    });
    expect(traits).toEqual({
      ...LEAST,
      resolveRoute: true,
      draftField: true,
      maxPageSize: 30,
      version: '16.0.0+gitea-1.22.0',
      source: 'api_description',
    });
  });

  it.each([
    ['is switched off', json(404, {})],
    ['is forbidden', json(403, {})],
    ['is a login page', { kind: 'text', status: 200, body: '<html></html>' }],
    ['redirects to a login page', json(303, {})],
  ] as [string, Answer][])('falls back to the version when the description %s', async (_name, answer) => {
    const version = '15.0.3+gitea-1.22.0';
    const traits = await probe({ '/api/v1/version': json(200, { version }), '/swagger.v1.json': answer });
    expect(traits).toEqual({ ...FORGEJO, runsRoute: true, maxPageSize: 50, version, source: 'version' });
  });

  it('claims nothing for an unknown version without a description', async () => {
    const traits = await probe({ '/api/v1/version': json(200, { version: 'dev' }) });
    expect(traits).toEqual({ ...LEAST, maxPageSize: 50, version: 'dev', source: 'nothing' });
  });

  it.each([
    ['the forge is down', json(500, {}), 'FORGE_UNAVAILABLE'],
    ['the token is refused', json(401, {}), 'FORGE_UNAUTHORISED'],
    ['the address is wrong', json(404, {}), 'FORGE_NOT_FOUND'],
  ])('throws instead of finding a forge that can do nothing when %s', async (_name, answer, code) => {
    await expect(probe({ '/api/v1/version': answer })).rejects.toMatchObject({ code });
  });

  it('throws when the description fails for a passing reason', async () => {
    const routes = {
      '/api/v1/version': json(200, { version: '15.0.3+gitea-1.22.0' }),
      '/swagger.v1.json': json(500, {}),
    };
    await expect(probe(routes)).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
  });
});
