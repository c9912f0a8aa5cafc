import type { Route } from './call.ts';
import { adminRoutes } from './routes-admin.ts';
import { issueRoutes } from './routes-issues.ts';
import { listingRoutes } from './routes-listing.ts';
import { pullRoutes } from './routes-pulls.ts';
import { repoRoutes } from './routes-repo.ts';
import { reviewCommentRoutes, reviewRoutes } from './routes-reviews.ts';
import { reviewerRoutes } from './routes-reviewers.ts';
import { serverRoutes } from './routes-server.ts';
import { runRoutes, statusRoutes } from './routes-statuses.ts';
import { replyRoutes, resolveRoutes } from './routes-threads.ts';
import { type Traits, traitsOf } from './traits.ts';

/** The routes of a release; clients can see them in `/swagger.v1.json`. */
export const routesFor = (traits: Traits): readonly Route[] => [
  ...serverRoutes,
  ...repoRoutes,
  ...adminRoutes,
  ...listingRoutes,
  ...pullRoutes,
  ...reviewRoutes,
  ...reviewerRoutes,
  ...issueRoutes,
  ...statusRoutes,
  ...(traits.reviewComments ? reviewCommentRoutes : []),
  ...(traits.resolve ? resolveRoutes : []),
  ...(traits.replies ? replyRoutes : []),
  ...(traits.flavour === 'forgejo-11' ? [] : runRoutes),
];

export const everyRoute: readonly Route[] = routesFor({ ...traitsOf('gitea-1.27'), reviewComments: true });

const escape = (literal: string): string => literal.replaceAll(/[.*+?^$()[\]\\|]/g, String.raw`\$&`);

/** Matches whole paths; requires a number where the forge's router does. */
const compile = (path: string): RegExp => {
  const source = path
    .split(/(\{[a-z_]+(?:\.\.\.)?\})/)
    .map((part) => {
      const name = /^\{([a-z_]+)(\.\.\.)?\}$/.exec(part);
      if (name === null) return escape(part);
      if (name[2] !== undefined) return `(?<${name[1]}>.+)`;
      return name[1] === 'index' || name[1] === 'id' ? `(?<${name[1]}>\\d+)` : `(?<${name[1]}>[^/]+)`;
    })
    .join('');
  return new RegExp(`^${source}$`);
};

export type Match = { readonly route: Route; readonly params: Readonly<Record<string, string>> };
export type Router = (method: string, path: string) => Match | 'other method' | null;

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
