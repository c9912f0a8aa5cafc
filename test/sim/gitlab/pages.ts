import { runGit } from '../forgejo/git.ts';
import { page } from '../forgejo/page-parts.ts';
import { findRenames } from './diffs.ts';
import { type Reply } from '../forgejo/reply.ts';
import { newestVersion } from './mr-facts.ts';
import { listPage, mergeRequestPage } from './page-merge-request.ts';
import { projectPath } from './paths.ts';
import type { SimMergeRequest, World } from './world.ts';

const missing: Reply = { status: 404, html: page('Not found', '<h1>Not found</h1>') };

const diffOf = async (mr: SimMergeRequest): Promise<Reply> => {
  const version = newestVersion(mr);
  if (version === null) return { status: 200, text: '' };
  return {
    status: 200,
    text: await runGit(mr.project.gitDir, ['diff', findRenames, version.baseSha, version.headSha]),
  };
};

/** Web pages. They show everything to everyone: there is no sign-in. */
export const renderPage = async (world: World, path: string): Promise<Reply> => {
  if (path === '/') return { status: 200, html: listPage(world, null) };
  const [, name = '', iid, diff] = /^\/(.+?)(?:\/-\/merge_requests(?:\/(\d+)(\.diff)?)?)?\/?$/.exec(path) ?? [];
  const wanted = decodeURIComponent(name).toLowerCase();
  const project = world.projects.find((candidate) => projectPath(candidate).toLowerCase() === wanted);
  if (project === undefined) return missing;
  if (iid === undefined) return { status: 200, html: listPage(world, project) };
  const mr = project.mergeRequests.find((candidate) => candidate.iid === Number(iid));
  if (mr === undefined) return missing;
  return diff === undefined ? { status: 200, html: await mergeRequestPage(world, mr) } : diffOf(mr);
};
