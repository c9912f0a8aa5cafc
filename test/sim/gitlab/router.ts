import type { Route } from './call.ts';
import { GitlabRefusal } from './errors.ts';
import { approvalRoutes } from './routes-approvals.ts';
import { awardRoutes } from './routes-awards.ts';
import { discussionRoutes } from './routes-discussions.ts';
import { draftRoutes } from './routes-drafts.ts';
import { hookRoutes } from './routes-hooks.ts';
import { jobRoutes } from './routes-jobs.ts';
import { memberRoutes } from './routes-members.ts';
import { mergeRequestRoutes } from './routes-merge-requests.ts';
import { noteRoutes } from './routes-notes.ts';
import { ownerRoutes } from './routes-owners.ts';
import { pipelineRoutes } from './routes-pipelines.ts';
import { projectRoutes } from './routes-projects.ts';
import { serverRoutes } from './routes-server.ts';
import type { Edition } from './world.ts';

const nowhere = (): never => {
  throw new GitlabRefusal(404, { error: '404 Not Found' });
};

export const routesFor = (edition: Edition): readonly Route[] => [
  ...serverRoutes,
  ...projectRoutes,
  ...ownerRoutes,
  ...memberRoutes,
  ...mergeRequestRoutes,
  ...discussionRoutes,
  ...noteRoutes,
  ...draftRoutes,
  ...awardRoutes,
  ...approvalRoutes,
  ...pipelineRoutes,
  ...jobRoutes,
  // Group hooks are Premium (forges.md 2.3); without it their address is unknown.
  ...hookRoutes.map((route) =>
    edition === 'ee' || !route.path.startsWith('/groups/') ? route : { ...route, handle: nowhere },
  ),
];

const compile = (path: string): RegExp =>
  new RegExp(
    `^${path.replaceAll(/\{(\*?)([a-z_]+)\}/g, (_, rest: string, name: string) => `(?<${name}>${rest === '' ? '[^/]+' : '.+'})`)}$`,
  );

export type Match = { readonly route: Route; readonly params: Readonly<Record<string, string>> };
export type Router = (method: string, path: string) => Match | 'other method' | null;

/** Decodes once, so a path that the client encoded twice is not found (forges.md 3.1). */
const decoded = (groups: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));

export const createRouter = (routes: readonly Route[]): Router => {
  const table = routes.map((route) => ({ route, pattern: compile(route.path) }));
  return (method, path) => {
    const fitting = table.flatMap(({ route, pattern }) => {
      const match = pattern.exec(path);
      return match === null ? [] : [{ route, params: decoded(match.groups ?? {}) }];
    });
    const found = fitting.find(({ route }) => route.method === method);
    return found ?? (fitting.length > 0 ? 'other method' : null);
  };
};
