import { z } from 'zod';
import { bodyOf, type Call, pullOf, type Route, repoOf, signedIn } from './call.ts';
import { hasAccess } from './access.ts';
import { changedFiles } from './changed-files.ts';
import { runGit } from './git.ts';
import { mergePull } from './merge.ts';
import { paged } from './paging.ts';
import { editPull, setPullState } from './pulls.ts';
import { empty, json, type Reply, SimHttpError } from './reply.ts';
import { listedPullJson, pullJson } from './represent.ts';
import type { SimPull } from './world.ts';

const sorted = (pulls: readonly SimPull[], sort: string): readonly SimPull[] => {
  const byNumber = pulls.toSorted((left, right) => right.number - left.number);
  switch (sort) {
    case 'oldest':
      return byNumber.toReversed();
    case 'recentupdate':
      return byNumber.toSorted((left, right) => right.updatedAt - left.updatedAt);
    case 'leastupdate':
      return byNumber.toSorted((left, right) => left.updatedAt - right.updatedAt);
    default:
      return byNumber;
  }
};

const listPulls = (call: Call): Reply => {
  const repo = repoOf(call);
  const state = call.query.get('state') ?? 'open';
  const wanted = repo.pulls.filter((pull) => state === 'all' || pull.state === state);
  const items = sorted(wanted, call.query.get('sort') ?? '').map((pull) => listedPullJson(call.world, pull, call.user));
  return paged(call, `/repos/${repo.owner.login}/${repo.name}/pulls`, items);
};

const diff = async (call: Call): Promise<Reply> => {
  const pull = pullOf(call);
  const binary = call.query.get('binary') === 'true' ? ['--binary'] : [];
  const args = ['diff', '-M', ...binary, pull.mergeBase, pull.refSha];
  return { status: 200, text: await runGit(pull.repo.gitDir, args) };
};

const files = async (call: Call): Promise<Reply> => {
  const pull = pullOf(call);
  const path = `/repos/${pull.repo.owner.login}/${pull.repo.name}/pulls/${pull.number}/files`;
  return paged(call, path, await changedFiles(call.world, pull));
};

const PullPatch = z.object({
  title: z.string().nullish(),
  body: z.string().nullish(),
  base: z.string().nullish(),
  state: z.enum(['open', 'closed']).nullish(),
});

const patchPull = async (call: Call): Promise<Reply> => {
  const actor = signedIn(call);
  const pull = pullOf(call);
  if (pull.author.id !== actor.id && !hasAccess(actor, pull.repo, 'write')) throw new SimHttpError(403, '', 'no body');
  const { title, body, base, state } = bodyOf(call, PullPatch);
  const edit = {
    ...(title ? { title } : {}),
    ...(typeof body === 'string' ? { body } : {}),
    ...(base ? { base } : {}),
  };
  await editPull(call.world, pull, edit, actor);
  if (state) setPullState(call.world, pull, state, actor);
  return json(201, pullJson(call.world, pull, actor));
};

const MergeWish = z.object({ Do: z.string(), merge_when_checks_succeed: z.boolean().nullish() });

/** With `merge_when_checks_succeed` the merge happens at the next combined success (forges.md 5.4). */
const merge = async (call: Call): Promise<Reply> => {
  const actor = signedIn(call);
  repoOf(call, 'write');
  const pull = pullOf(call);
  const wish = bodyOf(call, MergeWish);
  if (wish.merge_when_checks_succeed === true) {
    pull.autoMerge = true;
    return empty(201);
  }
  await mergePull(call.world, pull, actor);
  return empty(200);
};

const at = (path: string): string => `/repos/{owner}/{repo}/pulls${path}`;

export const pullRoutes: readonly Route[] = [
  { method: 'GET', path: at(''), category: 'repository', handle: listPulls },
  {
    method: 'GET',
    path: at('/{index}.diff'),
    described: at('/{index}.{diffType}'),
    category: 'repository',
    handle: diff,
  },
  {
    method: 'GET',
    path: at('/{index}'),
    category: 'repository',
    handle: (call) => json(200, pullJson(call.world, pullOf(call), call.user)),
  },
  { method: 'PATCH', path: at('/{index}'), category: 'repository', handle: patchPull },
  { method: 'GET', path: at('/{index}/files'), category: 'repository', handle: files },
  { method: 'POST', path: at('/{index}/merge'), category: 'repository', handle: merge },
];
