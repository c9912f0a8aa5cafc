import { z } from 'zod';
import { bodyOf, type Call, param, type Route, repoOf, signedIn, text } from './call.ts';
import { resolveCommit } from './git.ts';
import { paged } from './paging.ts';
import { json, notFound, type Reply, serverError } from './reply.ts';
import { repoJson, statusJson } from './represent.ts';
import { combinedState, createStatus, latestStatuses } from './statuses.ts';
import { fullName, type SimActionRun } from './world.ts';

const StatusWish = z.object({ state: text, context: text, description: text, target_url: text });

const product = ({ world }: Call): 'forgejo' | 'gitea' => world.traits.product;

/** Unknown states are stored unchanged. Needs write access to the code (Forgejo routers/api/v1/api.go, forges.md 5.4). */
const postStatus = async (call: Call): Promise<Reply> => {
  const creator = signedIn(call);
  const repo = repoOf(call, 'write');
  const wish = bodyOf(call, StatusWish);
  const sha = await resolveCommit(repo.gitDir, param(call, 'sha'));
  if (sha === null) throw product(call) === 'gitea' ? serverError('') : notFound();
  const { state, description, target_url: targetUrl } = wish;
  const context = wish.context === '' ? 'default' : wish.context;
  const status = await createStatus(call.world, repo, { sha, state, context, description, targetUrl, creator });
  return json(201, statusJson(call.world, repo, status));
};

const listStatuses =
  (name: 'sha' | 'ref') =>
  async (call: Call): Promise<Reply> => {
    const repo = repoOf(call);
    const asked = param(call, name);
    const sha = await resolveCommit(repo.gitDir, asked);
    // Only Gitea resolves the ref, and only below `commits`; otherwise an unknown ref has no statuses.
    if (sha === null && product(call) === 'gitea' && name === 'ref') throw notFound();
    if (sha === null) return json(200, [], { 'x-total-count': '0' });
    const rows = repo.statuses.filter((status) => status.sha === sha).toReversed();
    const path = `/repos/${fullName(repo)}/${name === 'sha' ? `statuses/${asked}` : `commits/${asked}/statuses`}`;
    return paged(
      call,
      path,
      rows.map((status) => statusJson(call.world, repo, status)),
    );
  };

/** Without statuses, Forgejo answers with zero values, even for an unknown commit. */
const noCombined = {
  state: '',
  sha: '',
  total_count: 0,
  statuses: null,
  repository: null,
  commit_url: '',
  url: '',
};

const combined = async (call: Call): Promise<Reply> => {
  const repo = repoOf(call);
  const sha = await resolveCommit(repo.gitDir, param(call, 'ref'));
  if (sha === null && product(call) === 'gitea') throw notFound();
  const latest = sha === null ? [] : latestStatuses(repo, sha);
  if (latest.length === 0 && product(call) === 'forgejo') return json(200, noCombined);
  const page = paged(
    call,
    `/repos/${fullName(repo)}/commits/${sha}/status`,
    latest.map((status) => statusJson(call.world, repo, status)),
  );
  const url = `${call.world.publicUrl}/api/v1/repos/${fullName(repo)}/commits/${sha}`;
  const body = {
    state: combinedState(latest),
    sha,
    total_count: latest.length,
    statuses: page.json,
    repository: repoJson(call.world, repo, call.user),
    commit_url: url,
    url: `${url}/status`,
  };
  return { ...page, json: body };
};

/** Gitea uses one word for all final states of a run, and other words for the rest (services/convert/action.go). */
const GITEA_WORDS: Readonly<Record<string, string>> = { waiting: 'queued', blocked: 'waiting', running: 'in_progress' };

const runJson = (call: Call, { id, sha, workflow, event, status }: SimActionRun): Record<string, unknown> =>
  product(call) === 'forgejo'
    ? { id, commit_sha: sha, workflow_id: workflow, event, trigger_event: event, status }
    : { id, head_sha: sha, path: `${workflow}@refs/heads/main`, event, status: GITEA_WORDS[status] ?? 'completed' };

const listRuns = (call: Call): Reply => {
  const repo = repoOf(call);
  const sha = call.query.get('head_sha');
  const runs = repo.actionRuns.filter((run) => sha === null || run.sha === sha).toReversed();
  const path = `/repos/${fullName(repo)}/actions/runs`;
  const page = paged(
    call,
    path,
    runs.map((run) => runJson(call, run)),
  );
  return { ...page, json: { workflow_runs: page.json, total_count: runs.length } };
};

const at = (path: string): string => `/repos/{owner}/{repo}${path}`;

/** Since Forgejo 15 and Gitea 1.25. */
export const runRoutes: readonly Route[] = [
  { method: 'GET', path: at('/actions/runs'), category: 'repository', handle: listRuns },
];

export const statusRoutes: readonly Route[] = [
  { method: 'POST', path: at('/statuses/{sha}'), category: 'repository', handle: postStatus },
  { method: 'GET', path: at('/statuses/{sha}'), category: 'repository', handle: listStatuses('sha') },
  { method: 'GET', path: at('/commits/{ref}/statuses'), category: 'repository', handle: listStatuses('ref') },
  { method: 'GET', path: at('/commits/{ref}/status'), category: 'repository', handle: combined },
];
