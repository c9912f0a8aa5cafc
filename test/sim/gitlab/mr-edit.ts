/** Edits a merge request; each edit sends an `update` event with `changes` (forges.md 2.4). */
import { resolveCommit } from '../forgejo/git.ts';
import { GitlabRefusal } from './errors.ts';
import { findUser } from './find.ts';
import { isDraft } from './mr-facts.ts';
import { addVersion } from './mr-versions.ts';
import { type Change, fireMergeRequest, hookReviewer } from './payload-merge-request.ts';
import { hookLabel, hookTime, hookUser } from './payload-parts.ts';
import { systemNote } from './system-notes.ts';
import { logOn, nextId } from './log.ts';
import type { SimLabel, SimMergeRequest, SimProject, SimReviewer, SimUser, World } from './world.ts';

export type MergeRequestEdit = {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly targetBranch?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly addLabels?: readonly string[] | undefined;
  readonly removeLabels?: readonly string[] | undefined;
  readonly assignees?: readonly SimUser[] | undefined;
  readonly reviewers?: readonly SimUser[] | undefined;
  readonly locked?: boolean | undefined;
};

type Changes = Record<string, Change>;

export const labelNamed = (world: World, project: SimProject, name: string): SimLabel => {
  const known = project.labels.find((label) => label.name === name);
  if (known !== undefined) return known;
  const label = { id: nextId(world, 'label'), name, color: '#667180' };
  project.labels.push(label);
  return label;
};

const editTitle = (world: World, mr: SimMergeRequest, title: string, actor: SimUser): Changes => {
  if (title === mr.title) return {};
  const [previous, was] = [mr.title, isDraft(mr)];
  mr.title = title;
  const is = isDraft(mr);
  const words = was === is ? `changed title from **${previous}** to **${title}**` : draftWords(is);
  systemNote(world, mr, actor, words);
  return {
    title: { previous, current: title },
    // A change of the draft state also changes the title (forges.md 2.4).
    ...(was === is ? {} : { draft: { previous: was, current: is } }),
  };
};

const draftWords = (draft: boolean): string => `marked this merge request as **${draft ? 'draft' : 'ready'}**`;

const editDescription = (world: World, mr: SimMergeRequest, description: string, actor: SimUser): Changes => {
  if (description === mr.description) return {};
  const previous = mr.description;
  mr.description = description;
  systemNote(world, mr, actor, 'changed the description');
  return { description: { previous, current: description } };
};

/**
 * Only the format of the name is checked: a missing branch can become the target; the diff then stays unchanged
 * (GL app/models/merge_request.rb `validate_branch_name`, `reload_diff_if_branch_changed`).
 */
const editTarget = async (world: World, mr: SimMergeRequest, branch: string, actor: SimUser): Promise<Changes> => {
  if (branch === mr.targetBranch) return {};
  const previous = mr.targetBranch;
  mr.targetBranch = branch;
  systemNote(world, mr, actor, `changed target branch from \`${previous}\` to \`${branch}\``);
  const exists = (await resolveCommit(mr.project.gitDir, `refs/heads/${branch}`)) !== null;
  if (exists && mr.versions.length > 0) await addVersion(world, mr);
  return { target_branch: { previous, current: branch } };
};

const wantedLabels = (mr: SimMergeRequest, edit: MergeRequestEdit): readonly string[] | null => {
  const { labels, addLabels = [], removeLabels = [] } = edit;
  if (labels === undefined && addLabels.length + removeLabels.length === 0) return null;
  const start = labels ?? mr.labels.map((label) => label.name);
  return [...new Set([...start, ...addLabels])].filter((name) => !removeLabels.includes(name));
};

const editLabels = (world: World, mr: SimMergeRequest, names: readonly string[]): Changes => {
  const shown = (labels: readonly SimLabel[]): unknown => labels.map((label) => hookLabel(mr.project, label));
  const previous = mr.labels;
  const current = names.map((name) => labelNamed(world, mr.project, name));
  const same = previous.length === current.length && current.every((label) => previous.includes(label));
  if (same) return {};
  mr.labels = current;
  return { labels: { previous: shown(previous), current: shown(current) } };
};

const editAssignees = (mr: SimMergeRequest, users: readonly SimUser[]): Changes => {
  const previous = mr.assignees;
  if (previous.length === users.length && users.every((user) => previous.includes(user))) return {};
  mr.assignees = [...users];
  return { assignees: { previous: previous.map(hookUser), current: users.map(hookUser) } };
};

const editReviewers = (world: World, mr: SimMergeRequest, users: readonly SimUser[], actor: SimUser): Changes => {
  const previous = mr.reviewers;
  const added = users.filter((user) => !previous.some((reviewer) => reviewer.user === user));
  if (added.length === 0 && previous.length === users.length) return {};
  // A request for changes stays when its reviewer is removed
  // (GL ee/app/services/ee/merge_requests/base_service.rb `set_requested_changes`).
  const fresh = (user: SimUser): SimReviewer => {
    const state = mr.requestedChanges.has(user) ? 'requested_changes' : 'unreviewed';
    return { user, state, createdAt: world.clock() };
  };
  mr.reviewers = users.map((user) => previous.find((reviewer) => reviewer.user === user) ?? fresh(user));
  for (const user of added) systemNote(world, mr, actor, `requested review from @${user.username}`);
  const shown = (reviewers: typeof previous): unknown => reviewers.map((reviewer) => hookReviewer(reviewer, false));
  return { reviewers: { previous: shown(previous), current: shown(mr.reviewers) } };
};

export const editMergeRequest = async (
  world: World,
  mr: SimMergeRequest,
  edit: MergeRequestEdit,
  actor: SimUser,
): Promise<void> => {
  const labels = wantedLabels(mr, edit);
  const before = mr.updatedAt;
  const changes: Changes = {
    ...(edit.targetBranch === undefined ? {} : await editTarget(world, mr, edit.targetBranch, actor)),
    ...(edit.title === undefined ? {} : editTitle(world, mr, edit.title, actor)),
    ...(edit.description === undefined ? {} : editDescription(world, mr, edit.description, actor)),
    ...(labels === null ? {} : editLabels(world, mr, labels)),
    ...(edit.assignees === undefined ? {} : editAssignees(mr, edit.assignees)),
    ...(edit.reviewers === undefined ? {} : editReviewers(world, mr, edit.reviewers, actor)),
  };
  if (edit.locked !== undefined) mr.locked = edit.locked;
  if (Object.keys(changes).length === 0) return;
  mr.updatedAt = world.clock();
  const updated = { previous: hookTime(before), current: hookTime(mr.updatedAt) };
  logOn(world, mr, actor, { kind: 'mr.edit', detail: { fields: Object.keys(changes) } });
  await fireMergeRequest(world, mr, { action: 'update', user: actor, changes: { ...changes, updated_at: updated } });
};

/**
 * Requests a review again: events say `re_requested`, and the reviewer's state is reset. An approval is removed without
 * its own event; a request for changes stays (GL app/services/merge_requests/request_review_service.rb).
 */
export const reRequestReview = async (
  world: World,
  mr: SimMergeRequest,
  username: string,
  actor: SimUser,
): Promise<void> => {
  const user = findUser(world, username);
  const reviewer = mr.reviewers.find((candidate) => candidate.user === user);
  if (reviewer === undefined) throw new GitlabRefusal(404, { message: '404 Reviewer Not Found' });
  const previous = mr.reviewers.map((one) => hookReviewer(one, false));
  reviewer.state = 'unreviewed';
  mr.approvals = mr.approvals.filter((approval) => approval.user !== user);
  systemNote(world, mr, actor, `requested review from @${user.username}`);
  const current = mr.reviewers.map((one) => hookReviewer(one, one === reviewer));
  logOn(world, mr, actor, { kind: 'mr.rerequest', detail: { reviewer: user.username } });
  const changes = { reviewers: { previous, current } };
  await fireMergeRequest(world, mr, { action: 'update', user: actor, changes, reRequested: user });
};
