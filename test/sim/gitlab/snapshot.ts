/** What a merge request shows, without ids and times, for comparing two runs. */
import { isResolved } from './mr-facts.ts';
import { diffHeadPipeline, jobsOf, latestStatuses } from './pipelines.ts';
import type { SimMergeRequest, SimNote, SimStatus } from './world.ts';

export type SnapshotNote = { readonly author: string; readonly body: string };

export type Snapshot = {
  readonly head: string;
  readonly state: string;
  readonly title: string;
  readonly comments: readonly (SnapshotNote & { readonly internal: boolean })[];
  readonly threads: readonly {
    /** As sent, not as moved by later pushes; null for a thread about the whole merge request. */
    readonly place: { readonly path: string; readonly oldLine: number | null; readonly newLine: number | null } | null;
    readonly resolved: boolean;
    readonly notes: readonly SnapshotNote[];
  }[];
  readonly drafts: readonly SnapshotNote[];
  readonly approvedBy: readonly string[];
  /** Current jobs of all heads of the merge request, oldest first. */
  readonly statuses: readonly {
    readonly sha: string;
    readonly name: string;
    readonly state: string;
    readonly description: string;
  }[];
  /** The newest job per name at the current head; jobs of the head pipeline take precedence. */
  readonly headStatuses: Readonly<Record<string, string>>;
};

const said = (note: SimNote): SnapshotNote => ({ author: note.author.username, body: note.body });

const threadsOf = (mr: SimMergeRequest): Snapshot['threads'] => {
  const ids = new Set(mr.notes.filter((note) => !note.system && note.type !== null).map((note) => note.discussionId));
  return [...ids].map((id) => {
    const notes = mr.notes.filter((note) => note.discussionId === id);
    const sent = notes[0]?.originalPosition ?? null;
    const place =
      sent === null
        ? null
        : { path: sent.new_path ?? sent.old_path ?? '', oldLine: sent.old_line, newLine: sent.new_line };
    return { place, resolved: isResolved(mr, id), notes: notes.map(said) };
  });
};

const headJobs = (mr: SimMergeRequest): readonly SimStatus[] =>
  diffHeadPipeline(mr) === null || mr.headPipeline === null
    ? []
    : jobsOf(mr.headPipeline.project, mr.headPipeline.pipeline);

export const snapshotOf = (mr: SimMergeRequest): Snapshot => {
  const heads = new Set([...mr.versions.map((version) => version.headSha), mr.headSha]);
  return {
    head: mr.headSha,
    state: mr.state,
    title: mr.title,
    comments: mr.notes
      .filter((note) => !note.system && note.type === null)
      .map((note) => ({ ...said(note), internal: note.internal })),
    threads: threadsOf(mr),
    drafts: mr.drafts.map((draft) => ({ author: draft.author.username, body: draft.note })),
    approvedBy: mr.approvals.map(({ user }) => user.username),
    statuses: mr.project.statuses
      .filter((status) => heads.has(status.pipeline.sha))
      .map((status) => ({
        sha: status.pipeline.sha,
        name: status.name,
        state: status.state,
        description: status.description ?? '',
      })),
    headStatuses: Object.fromEntries(
      [...latestStatuses(mr.project, mr.headSha), ...headJobs(mr)].map((status) => [status.name, status.state]),
    ),
  };
};
