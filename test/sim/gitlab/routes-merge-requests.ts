import { z } from 'zod';
import { runGit } from '../forgejo/git.ts';
import { json, type Reply } from '../forgejo/reply.ts';
import { projectPath } from './paths.ts';
import { mayAct, mayRead } from './access.ts';
import { type Call, mergeRequestOf, projectOf, type Route, sentAs, signedIn } from './call.ts';
import { badParameter, conflict, forbidden, notFound, unauthorized } from './errors.ts';
import { diffFiles, type DiffFile, findRenames } from './diffs.ts';
import { commitFacts, listCommits, newestVersion } from './mr-facts.ts';
import { closeMergeRequest, mergeMergeRequest, reopenMergeRequest } from './mr-state.ts';
import { updateMergeRequest } from './mr-update.ts';
import { paged } from './paging.ts';
import { flag, idList, list, optionalText, text } from './parameters.ts';
import { commitJson, iso, type Json, userJson } from './represent.ts';
import { mergeRequestJson, mergeRequestRow } from './represent-merge-request.ts';
import type { SimMergeRequest, SimUser, SimVersion, World } from './world.ts';

const Wanted = z.object({
  state: z.enum(['all', 'opened', 'closed', 'merged', 'locked']).default('all'),
  order_by: z.enum(['created_at', 'updated_at', 'title', 'merged_at']).default('created_at'),
  sort: z.enum(['asc', 'desc']).default('desc'),
  updated_after: z.iso.datetime({ offset: true }).optional(),
  updated_before: z.iso.datetime({ offset: true }).optional(),
  source_branch: text.optional(),
  target_branch: text.optional(),
  author_username: text.optional(),
  iids: idList.optional(),
  wip: z.enum(['yes', 'no']).optional(),
});
type Wanted = z.output<typeof Wanted>;

const isWanted = (mr: SimMergeRequest, wanted: Wanted): boolean => {
  const tests = [
    wanted.state === 'all' || mr.state === wanted.state,
    wanted.updated_after === undefined || mr.updatedAt >= Date.parse(wanted.updated_after),
    wanted.updated_before === undefined || mr.updatedAt <= Date.parse(wanted.updated_before),
    wanted.source_branch === undefined || mr.sourceBranch === wanted.source_branch,
    wanted.target_branch === undefined || mr.targetBranch === wanted.target_branch,
    wanted.author_username === undefined || mr.author.username === wanted.author_username,
    wanted.iids === undefined || wanted.iids.includes(mr.iid),
  ];
  return tests.every(Boolean);
};

const keyOf = (mr: SimMergeRequest, wanted: Wanted): number | string => {
  if (wanted.order_by === 'title') return mr.title;
  if (wanted.order_by === 'updated_at') return mr.updatedAt;
  return wanted.order_by === 'merged_at' ? (mr.mergedAt ?? 0) : mr.createdAt;
};

const listed = (call: Call): Reply => {
  const project = projectOf(call);
  if (!mayRead(call.user, project)) throw forbidden();
  const wanted = sentAs(call, Wanted);
  const sign = wanted.sort === 'asc' ? 1 : -1;
  const compare = (left: SimMergeRequest, right: SimMergeRequest): number => {
    const [a, b] = [keyOf(left, wanted), keyOf(right, wanted)];
    return a === b ? left.id - right.id : a < b ? -1 : 1;
  };
  const found = project.mergeRequests.filter((mr) => isWanted(mr, wanted));
  found.sort((left, right) => sign * compare(left, right));
  return paged(
    call,
    found.map((mr) => mergeRequestRow(call.world, mr)),
  );
};

const Edit = z.object({
  title: text.optional(),
  description: text.optional(),
  target_branch: text.optional(),
  state_event: z.enum(['close', 'reopen']).optional(),
  labels: list.optional(),
  add_labels: list.optional(),
  remove_labels: list.optional(),
  reviewer_ids: idList.optional(),
  assignee_ids: idList.optional(),
  discussion_locked: flag.optional(),
});

const people = (world: World, ids: readonly number[] | undefined): readonly SimUser[] | undefined =>
  ids === undefined ? undefined : world.users.filter((user) => ids.includes(user.id));

const update = async (call: Call): Promise<Reply> => {
  const mr = mergeRequestOf(call);
  const user = signedIn(call);
  if (!mayAct(user, mr.project, 30) && mr.author !== user) throw forbidden();
  const sent = sentAs(call, Edit);
  if (Object.values(sent).every((value) => value === undefined)) throw badParameter('no parameter to change is given');
  const edit = {
    title: sent.title,
    description: sent.description,
    targetBranch: sent.target_branch,
    labels: sent.labels,
    addLabels: sent.add_labels,
    removeLabels: sent.remove_labels,
    assignees: people(call.world, sent.assignee_ids),
    reviewers: people(call.world, sent.reviewer_ids),
    locked: sent.discussion_locked,
  };
  await updateMergeRequest(call.world, mr, edit, user);
  if (sent.state_event === 'close') await closeMergeRequest(call.world, mr, user);
  if (sent.state_event === 'reopen') await reopenMergeRequest(call.world, mr, user);
  return json(200, await mergeRequestJson(call.world, mr));
};

const merge = async (call: Call): Promise<Reply> => {
  const mr = mergeRequestOf(call);
  const user = signedIn(call);
  if (!mayAct(user, mr.project, 30)) throw unauthorized();
  const { sha } = sentAs(call, z.object({ sha: optionalText }));
  if (typeof sha === 'string' && sha !== mr.headSha)
    throw conflict(`SHA does not match HEAD of source branch: ${mr.headSha}`);
  await mergeMergeRequest(call.world, mr, user);
  return json(200, await mergeRequestJson(call.world, mr));
};

const versionJson = (mr: SimMergeRequest, version: SimVersion): Json => ({
  id: version.id,
  head_commit_sha: version.headSha,
  base_commit_sha: version.unrelated ? null : version.baseSha,
  start_commit_sha: version.startSha,
  created_at: iso(version.createdAt),
  merge_request_id: mr.id,
  state: 'collected',
  real_size: '1',
  patch_id_sha: null,
});

/** A file is collapsed from this part of the limit on (GL doc/administration/diff_limits.md). */
const collapsedFrom = 0.1;

const fileJson = (world: World, file: DiffFile, unified: boolean): Json => {
  const { maxPatchBytes } = world.diffLimits;
  const size = Buffer.byteLength(file.patch);
  const [tooLarge, collapsed] = [size > maxPatchBytes, size > maxPatchBytes * collapsedFrom];
  const names = `--- ${file.kind === 'added' ? '/dev/null' : `a/${file.oldPath}`}\n+++ ${file.kind === 'deleted' ? '/dev/null' : `b/${file.newPath}`}\n`;
  const shown = tooLarge || collapsed ? '' : file.patch;
  return {
    diff: unified && shown !== '' ? names + shown : shown,
    collapsed: collapsed && !tooLarge,
    too_large: tooLarge,
    new_path: file.newPath,
    old_path: file.oldPath,
    a_mode: file.oldMode === '000000' ? '0' : file.oldMode,
    b_mode: file.newMode === '000000' ? '0' : file.newMode,
    new_file: file.kind === 'added',
    renamed_file: file.kind === 'renamed',
    deleted_file: file.kind === 'deleted',
    generated_file: false,
  };
};

/** Over the limit, fewer files are returned, without an error (forges.md 3.2). */
const shownFiles = async (world: World, mr: SimMergeRequest): Promise<readonly DiffFile[]> => {
  const version = newestVersion(mr);
  if (version === null) return [];
  return (await diffFiles(mr.project.gitDir, version.baseSha, version.headSha)).slice(0, world.diffLimits.maxFiles);
};

const diffs = async (call: Call): Promise<Reply> => {
  const files = await shownFiles(call.world, mergeRequestOf(call));
  const { unidiff = false } = sentAs(call, z.object({ unidiff: flag.optional() }));
  return paged(
    call,
    files.map((file) => fileJson(call.world, file, unidiff)),
  );
};

const rawDiffs = async (call: Call): Promise<Reply> => {
  const mr = mergeRequestOf(call);
  const version = newestVersion(mr);
  if (version === null) return { status: 200, text: '' };
  return {
    status: 200,
    text: await runGit(mr.project.gitDir, ['diff', findRenames, version.baseSha, version.headSha]),
  };
};

const commits = async (call: Call): Promise<Reply> => {
  const mr = mergeRequestOf(call);
  const version = newestVersion(mr);
  const { gitDir } = mr.project;
  const found = version === null ? [] : await listCommits(gitDir, [`${version.baseSha}..${version.headSha}`]);
  return paged(call, await Promise.all(found.map(({ id }) => commitJson(call.world, mr.project, id))));
};

const reviewers = (call: Call): Reply => {
  const mr = mergeRequestOf(call);
  const rows = mr.reviewers.map(({ user, state, createdAt }) => ({
    user: userJson(call.world, user),
    state,
    created_at: iso(createdAt),
  }));
  // GL lib/api/merge_requests.rb: `paginate(reviewers)`.
  return paged(call, rows);
};

/** The default of `issue_closing_pattern` (GL config/gitlab.yml.example), for references to issues. */
const CLOSING =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +((?:(?:issues? +)?[\w./-]*#\d+(?:(?: *,? +and +| *,? *))?)+)/gi;

/** GL app/models/merge_request.rb `closes_issues`: only into the default branch, and what the account may see. */
const closesIssues = (call: Call): Reply => {
  const mr = mergeRequestOf(call);
  const { project, description } = mr;
  const named = [...description.matchAll(CLOSING)].flatMap(([, names = '']) => names.match(/[\w./-]*#\d+/g) ?? []);
  const found = named.flatMap((name) => {
    const [path = '', iid = ''] = name.split('#');
    const place = path === '' ? project : call.world.projects.find((other) => projectPath(other) === path);
    if (place === undefined || !mayRead(call.user, place)) return [];
    const issue = place.issues.find((each) => each.iid === Number(iid));
    if (issue === undefined || (issue.confidential && !mayAct(call.user, place, 20))) return [];
    return [{ place, issue }];
  });
  const rows = mr.targetBranch === project.defaultBranch ? found : [];
  return paged(
    call,
    rows.map(({ place, issue: { id, iid, title, description: text, confidential, author, createdAt } }) => ({
      id,
      iid,
      project_id: place.id,
      title,
      description: text,
      confidential,
      state: 'opened',
      author: userJson(call.world, author),
      created_at: iso(createdAt),
      updated_at: iso(createdAt),
    })),
  );
};

const at = '/projects/{id}/merge_requests/{iid}';
const described = '/projects/{id}/merge_requests/{merge_request_iid}';

export const mergeRequestRoutes: readonly Route[] = [
  { method: 'GET', path: '/projects/{id}/merge_requests', described: '/projects/{id}/merge_requests', handle: listed },
  {
    method: 'GET',
    path: at,
    described,
    handle: async (call) => json(200, await mergeRequestJson(call.world, mergeRequestOf(call))),
  },
  { method: 'PUT', path: at, described, handle: update },
  { method: 'PUT', path: `${at}/merge`, described: `${described}/merge`, handle: merge },
  {
    method: 'GET',
    path: `${at}/versions`,
    described: `${described}/versions`,
    handle: (call) => {
      const mr = mergeRequestOf(call);
      // Newest first (forges.md 3.2).
      return paged(
        call,
        mr.versions.toReversed().map((version) => versionJson(mr, version)),
      );
    },
  },
  { method: 'GET', path: `${at}/diffs`, described: `${described}/diffs`, handle: diffs },
  { method: 'GET', path: `${at}/raw_diffs`, described: `${described}/raw_diffs`, handle: rawDiffs },
  { method: 'GET', path: `${at}/commits`, described: `${described}/commits`, handle: commits },
  { method: 'GET', path: `${at}/closes_issues`, described: `${described}/closes_issues`, handle: closesIssues },
  { method: 'GET', path: `${at}/reviewers`, described: `${described}/reviewers`, handle: reviewers },
  {
    method: 'GET',
    path: '/projects/{id}/repository/commits/{sha}',
    described: '/projects/{id}/repository/commits/{sha}',
    handle: async (call) => {
      const project = projectOf(call);
      const sha = call.params['sha'] ?? '';
      try {
        await commitFacts(project.gitDir, sha);
      } catch {
        throw notFound('Commit');
      }
      return json(200, await commitJson(call.world, project, sha));
    },
  },
];
