import { runGit } from '../forgejo/git.ts';
import { discussionNotes } from './find.ts';
import { projectPath } from './paths.ts';
import { checkCi } from './pipelines.ts';
import type { SimMergeRequest, SimNote, SimProject, SimVersion, World } from './world.ts';

// GL lib/gitlab/regex.rb merge_request_draft: in any case, only at the very start.
const draftPrefix = /^(?:\[draft\]|\(draft\)|draft:)\s*/i;

export const isDraft = (mr: Pick<SimMergeRequest, 'title'>): boolean => draftPrefix.test(mr.title);

export const withoutDraft = (title: string): string => {
  const rest = title.replace(draftPrefix, '');
  return draftPrefix.test(rest) ? withoutDraft(rest) : rest;
};

export const webUrl = (world: World, project: SimProject): string => `${world.publicUrl}/${projectPath(project)}`;

export const mergeRequestUrl = (world: World, mr: SimMergeRequest): string =>
  `${webUrl(world, mr.project)}/-/merge_requests/${mr.iid}`;

export const newestVersion = (mr: SimMergeRequest): SimVersion | null => mr.versions.at(-1) ?? null;

export type DiffRefs = { readonly base_sha: string; readonly start_sha: string; readonly head_sha: string };

/** Null until the merge request is prepared (GL doc/api/merge_requests.md; forges.md 3.2). */
export const diffRefs = (mr: SimMergeRequest): DiffRefs | null => {
  const version = newestVersion(mr);
  return version === null
    ? null
    : { base_sha: version.baseSha, start_sha: version.startSha, head_sha: version.headSha };
};

export const isResolvable = (note: SimNote): boolean => !note.system && note.type !== null;

export const isResolved = (mr: SimMergeRequest, discussionId: string): boolean => {
  const notes = discussionNotes(mr, discussionId).filter(isResolvable);
  return notes.length > 0 && notes.every((note) => note.resolvedAt !== null);
};

export const allResolved = (mr: SimMergeRequest): boolean =>
  mr.notes.filter(isResolvable).every((note) => note.resolvedAt !== null);

export const mergeStatus = (world: World, mr: SimMergeRequest): string => {
  if (mr.preparedAt === null) return 'preparing';
  if (mr.state !== 'opened') return 'not_open';
  if (isDraft(mr)) return 'draft_status';
  // In EE a request for changes blocks the merge.
  if (mr.project.premium && mr.requestedChanges.size > 0) return 'requested_changes';
  // Only when no earlier check fails (GL app/services/merge_requests/mergeability/detailed_merge_status_service.rb).
  if (mr.approvalReset !== null) return 'approvals_syncing';
  if (mr.approvals.length < mr.project.approvalsRequired) return 'not_approved';
  const ci = checkCi(world, mr);
  if (ci === 'checking') return 'ci_still_running';
  return ci === 'failed' ? 'ci_must_pass' : 'mergeable';
};

export type CommitFacts = {
  readonly id: string;
  readonly title: string;
  readonly message: string;
  readonly timestamp: string;
  readonly authorName: string;
  readonly authorEmail: string;
  readonly parents: readonly string[];
};

const format = ['%H', '%P', '%an', '%ae', '%aI', '%B'].join('%x00');

const readCommit = (entry: string): CommitFacts => {
  const [id = '', parents = '', authorName = '', authorEmail = '', timestamp = '', message = ''] = entry.split('\0');
  const title = message.split('\n', 1)[0] ?? '';
  return { id, title, message, timestamp, authorName, authorEmail, parents: parents.split(' ').filter(Boolean) };
};

export const listCommits = async (gitDir: string, range: readonly string[]): Promise<readonly CommitFacts[]> => {
  const out = await runGit(gitDir, ['log', `--format=${format}%x01`, ...range, '--']);
  return out
    .split('\u0001')
    .map((entry) => entry.replace(/^\n/, ''))
    .filter((entry) => entry.trim() !== '')
    .map(readCommit);
};

const kept = new Map<string, Promise<CommitFacts>>();

export const commitFacts = (gitDir: string, sha: string): Promise<CommitFacts> => {
  const known = kept.get(`${gitDir}\0${sha}`);
  if (known !== undefined) return known;
  const reading = listCommits(gitDir, ['--max-count=1', sha]).then(([commit]) => {
    if (commit === undefined) throw new Error(`no commit ${sha}`);
    return commit;
  });
  reading.catch(() => kept.delete(`${gitDir}\0${sha}`));
  if (kept.size > 1_000) kept.clear();
  kept.set(`${gitDir}\0${sha}`, reading);
  return reading;
};
