/** Runs quick actions with the permissions of the text's author (forges.md 3.5). */
import { resolveCommit } from '../forgejo/git.ts';
import { findQuickActions } from '../forgejo/quick-actions.ts';
import { levelOf } from './access.ts';
import { approve, mayApprove, requestChanges, unapprove } from './approvals.ts';
import { awardNamed } from './awards.ts';
import { GitlabRefusal } from './errors.ts';
import { extractActions, type QuickActionCall } from './extract-actions.ts';
import { isDraft, withoutDraft } from './mr-facts.ts';
import { editMergeRequest, type MergeRequestEdit } from './mr-edit.ts';
import { closeMergeRequest, mergeMergeRequest, reopenMergeRequest } from './mr-state.ts';
import { logOn } from './log.ts';
import { projectPath } from './paths.ts';
import type { SimMergeRequest, SimUser, World } from './world.ts';

type Subject = { readonly world: World; readonly mr: SimMergeRequest; readonly actor: SimUser };
/** Returns the forge's message; null when the command could not be applied. */
type Action = (on: Subject, argument: string) => Promise<string | null>;

const mayChange = ({ mr, actor }: Subject): boolean => levelOf(actor, mr.project) >= 30 || mr.author === actor;

const editing =
  (change: (on: Subject, argument: string) => MergeRequestEdit | null, done: string): Action =>
  async (on, argument) => {
    const edit = change(on, argument);
    if (!mayChange(on) || edit === null) return null;
    await editMergeRequest(on.world, on.mr, edit, on.actor);
    return done;
  };

const doing =
  (task: (on: Subject) => Promise<unknown>, done: string): Action =>
  async (on) => {
    if (!mayChange(on)) return null;
    try {
      await task(on);
      return done;
    } catch (error) {
      if (error instanceof GitlabRefusal) return null;
      throw error;
    }
  };

const labelNames = (argument: string): readonly string[] =>
  [...argument.matchAll(/~"([^"]+)"|~(\S+)|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');

const usersIn = ({ world, actor }: Subject, argument: string): readonly SimUser[] =>
  [...argument.matchAll(/@?([\w.-]+)/g)].flatMap(([, name = '']) =>
    name === 'me' ? [actor] : world.users.filter((user) => user.username === name && !user.deleted),
  );

const merged = (known: readonly SimUser[], more: readonly SimUser[]): readonly SimUser[] => [
  ...new Set([...known, ...more]),
];

const reviewersWith = (on: Subject, argument: string): MergeRequestEdit => ({
  reviewers: merged(
    on.mr.reviewers.map(({ user }) => user),
    usersIn(on, argument),
  ),
});
const reviewersWithout = (on: Subject, argument: string): MergeRequestEdit => {
  const gone = usersIn(on, argument);
  const left = on.mr.reviewers.map(({ user }) => user).filter((user) => argument !== '' && !gone.includes(user));
  return { reviewers: left };
};

const approving: Action = async ({ world, mr, actor }) =>
  mayApprove(mr, actor) && (await approve(world, mr, actor)) ? 'Approved the current merge request.' : null;

const submitting: Action = async (on, argument) => {
  if (argument.startsWith('approve')) return approving(on, '');
  if (argument.startsWith('requested_changes')) await requestChanges(on.world, on.mr, on.actor);
  return 'Submitted the current review.';
};

const actions: Readonly<Record<string, Action>> = {
  approve: approving,
  unapprove: async ({ world, mr, actor }) =>
    (await unapprove(world, mr, actor)) ? 'Unapproved the current merge request.' : null,
  merge: doing(({ world, mr, actor }) => mergeMergeRequest(world, mr, actor), 'Merged this merge request.'),
  ship: doing(({ world, mr, actor }) => mergeMergeRequest(world, mr, actor), 'Merged this merge request.'),
  close: doing(({ world, mr, actor }) => closeMergeRequest(world, mr, actor), 'Closed this merge request.'),
  reopen: doing(({ world, mr, actor }) => reopenMergeRequest(world, mr, actor), 'Reopened this merge request.'),
  request_changes: doing(({ world, mr, actor }) => requestChanges(world, mr, actor), 'Changes requested.'),
  submit_review: submitting,
  draft: editing(({ mr }) => (isDraft(mr) ? null : { title: `Draft: ${mr.title}` }), 'Set the draft status.'),
  ready: editing(({ mr }) => ({ title: withoutDraft(mr.title) }), 'Marked to be ready.'),
  title: editing((_, argument) => (argument === '' ? null : { title: argument }), 'Changed the title.'),
  // GL lib/gitlab/quick_actions/merge_request_actions.rb: a missing branch changes nothing, but the message is the same.
  target_branch: async (on, argument) => {
    const exists = (await resolveCommit(on.mr.project.gitDir, `refs/heads/${argument}`)) !== null;
    return editing(() => (exists ? { targetBranch: argument } : {}), 'Set target branch.')(on, argument);
  },
  label: editing((_, argument) => ({ addLabels: labelNames(argument) }), 'Added labels.'),
  labels: editing((_, argument) => ({ addLabels: labelNames(argument) }), 'Added labels.'),
  relabel: editing((_, argument) => ({ labels: labelNames(argument) }), 'Replaced all labels.'),
  unlabel: editing(
    ({ mr }, argument) =>
      argument === ''
        ? { labels: [] }
        : { removeLabels: labelNames(argument), labels: mr.labels.map(({ name }) => name) },
    'Removed labels.',
  ),
  assign: editing((on, argument) => ({ assignees: merged(on.mr.assignees, usersIn(on, argument)) }), 'Assigned.'),
  unassign: editing(() => ({ assignees: [] }), 'Removed assignee.'),
  reviewer: editing(reviewersWith, 'Requested a review.'),
  assign_reviewer: editing(reviewersWith, 'Requested a review.'),
  request_review: editing(reviewersWith, 'Requested a review.'),
  unassign_reviewer: editing(reviewersWithout, 'Removed reviewer.'),
  remove_reviewer: editing(reviewersWithout, 'Removed reviewer.'),
  lock: editing(() => ({ locked: true }), 'Locked the discussion.'),
  unlock: editing(() => ({ locked: false }), 'Unlocked the discussion.'),
  react: async ({ world, mr, actor }, argument) => {
    await awardNamed(world, { mr, note: null }, actor, argument.replaceAll(':', ''));
    return 'Toggled emoji award.';
  },
};

/** For commands that are not simulated: their lines are removed, and they count as applied. */
const known: Action = async () => 'Command applied.';

export type Interpreted = {
  readonly text: string;
  readonly applied: readonly string[];
  readonly changes: Readonly<Record<string, unknown>>;
  readonly failed: readonly string[];
};

const run = async (on: Subject, call: QuickActionCall): Promise<string | null> => {
  const detail = { line: call.line };
  logOn(on.world, on.mr, on.actor, { kind: `quick.${call.name}`, detail });
  return (actions[call.name] ?? known)(on, call.argument);
};

/** Also records every line that some reader of the text might take for a command. */
export const recordQuickActions = (on: Subject, body: string): void => {
  const where = `${projectPath(on.mr.project)}!${on.mr.iid}`;
  const lines = new Set([...findQuickActions(body), ...extractActions(body).calls.map((call) => call.line)]);
  for (const line of lines) on.world.quickActions.push({ actor: on.actor.username, where, line });
};

/** Removes command lines from the text, also those of commands that could not be applied. */
export const interpret = async (on: Subject, body: string): Promise<Interpreted> => {
  recordQuickActions(on, body);
  const { text, calls } = extractActions(body);
  const applied: string[] = [];
  const failed: string[] = [];
  const changes: Record<string, unknown> = {};
  for (const call of calls) {
    const outcome = await run(on, call);
    if (outcome === null) failed.push(`Could not apply ${call.name} command.`);
    else {
      applied.push(outcome);
      changes[call.name] = call.argument === '' ? true : call.argument;
    }
  }
  return { text, applied, changes, failed };
};
