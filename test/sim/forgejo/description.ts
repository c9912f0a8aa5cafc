/** The API description that the server returns: the recorded one if present, otherwise one built from our routes. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { sharedData } from '../../support/shared-data.ts';
import { describedPath, type Route } from './call.ts';
import type { Traits } from './traits.ts';

const Description = z.looseObject({
  swagger: z.string(),
  basePath: z.string(),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  definitions: z.record(z.string(), z.unknown()),
  responses: z.record(z.string(), z.unknown()),
});
export type Description = z.output<typeof Description>;

export type DescribedApi = { readonly document: Description; readonly real: boolean };

const operation = (summary: string): Record<string, unknown> => ({
  summary,
  responses: { default: { description: summary } },
});

/** Adapts a neighbouring release's description, because some releases have no file; only the routes differ. */
const fitted = (document: Description, traits: Traits): Description => {
  const { paths } = document;
  if (traits.product === 'forgejo') return document;
  if (!traits.resolve)
    for (const verb of ['resolve', 'unresolve']) delete paths[`/repos/{owner}/{repo}/pulls/comments/{id}/${verb}`];
  if (traits.replies)
    paths['/repos/{owner}/{repo}/pulls/{index}/comments/{id}/replies'] = {
      post: { ...operation('Reply in a thread'), parameters: [{ in: 'body', schema: {} }] },
    };
  return document;
};

/** Used without recorded descriptions: the paths, and the only definition that clients check. */
export const minimalDescription = (routes: readonly Route[], traits: Traits): Description => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = describedPath(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(`${route.method} ${path}`) };
  }
  const names = ['path', 'body', 'new_position', 'old_position', ...(traits.extraLines ? ['extra_lines_count'] : [])];
  const properties = Object.fromEntries(names.map((name) => [name, {}]));
  const definitions = { CreatePullReviewComment: { type: 'object', properties } };
  return { swagger: '2.0', basePath: '/api/v1', paths, definitions, responses: {} };
};

const kept = new Map<string, DescribedApi>();

export const describeApi = (traits: Traits, routes: readonly Route[]): DescribedApi => {
  const known = kept.get(traits.flavour);
  if (known !== undefined) return known;
  const file = sharedData('openapi', `${traits.description}.swagger.json`);
  const api =
    file === null
      ? { document: minimalDescription(routes, traits), real: false }
      : { document: fitted(Description.parse(JSON.parse(readFileSync(file, 'utf8'))), traits), real: true };
  kept.set(traits.flavour, api);
  return api;
};
