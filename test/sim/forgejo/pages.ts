import { findPull } from './find.ts';
import { runGit } from './git.ts';
import { listPage, pullPage } from './page-pull.ts';
import { page } from './page-parts.ts';
import { type Reply, SimHttpError } from './reply.ts';
import { fullName, type SimRepo, type World } from './world.ts';

const missing: Reply = { status: 404, html: page('Not found', '<h1>Not found</h1>') };

const repoAt = (world: World, name: string): SimRepo | undefined =>
  world.repos.find((repo) => fullName(repo).toLowerCase() === name.toLowerCase());

const pullReply = async (world: World, repo: SimRepo, wanted: { number: number; diff: boolean }): Promise<Reply> => {
  try {
    const pull = findPull(repo, wanted.number);
    if (!wanted.diff) return { status: 200, html: pullPage(world, pull) };
    return { status: 200, text: await runGit(repo.gitDir, ['diff', '-M', pull.mergeBase, pull.refSha]) };
  } catch (error) {
    if (error instanceof SimHttpError) return missing;
    throw error;
  }
};

/** Web pages. They show everything to everyone: there is no sign-in. */
export const renderPage = async (world: World, path: string): Promise<Reply> => {
  if (path === '/') return { status: 200, html: listPage(world, null) };
  const match = /^\/([^/]+\/[^/]+?)(?:\/pulls(?:\/(\d+)(\.diff)?)?)?\/?$/.exec(path);
  const repo = repoAt(world, decodeURIComponent(match?.[1] ?? ''));
  if (match === null || repo === undefined) return missing;
  if (match[2] === undefined) return { status: 200, html: listPage(world, fullName(repo)) };
  return pullReply(world, repo, { number: Number(match[2]), diff: match[3] !== undefined });
};
