import { z } from 'zod';
import type { ChangeRequest, CommitSha } from '../vocabulary/ids.ts';
import { Side } from '../vocabulary/finding.ts';

export const Account = z.object({ id: z.number().int(), login: z.string() }).readonly();
export type Account = z.output<typeof Account>;

export type ChangeRequestFacts = {
  readonly changeRequest: ChangeRequest;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly title: string;
  readonly description: string;
  readonly author: Account;
  readonly labels: readonly string[];
  readonly head: CommitSha;
  /** Tip of the target branch. */
  readonly targetHead: CommitSha;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  /** Null when the forge does not know the merge base (yet). The value may lag behind a push. */
  readonly mergeBase: CommitSha | null;
  readonly fromFork: boolean;
  /** An opaque key. Change requests with the same key share one status. Absent if the status belongs to the commit itself. */
  readonly statusPlace?: string;
  /** Whether CI has failed for the head. Absent if the forge's response does not contain this. */
  readonly hasFailedCi?: boolean;
  readonly forkUrl?: string | null;
  readonly reviewers: readonly Account[];
  /** Absent when nobody is assigned. */
  readonly assignees?: readonly Account[];
  readonly updatedAtMs: number;
  readonly webUrl: string;
  /** The present path of the project, such as `group/sub/name`. Absent if the forge's answer does not contain it. */
  readonly projectPath?: string;
};

/** `mergeBase` is also null when the forge leaves it out of lists. */
export type OpenChangeRequest = Pick<
  ChangeRequestFacts,
  'changeRequest' | 'head' | 'draft' | 'targetBranch' | 'mergeBase' | 'updatedAtMs'
>;

export type ProjectRef = Pick<Project, 'id' | 'path'>;

export const ForgeComment = z
  .object({
    /** Unique within `kind`; the argument of `editComment`. */
    id: z.string(),
    kind: z.enum(['conversation', 'inline', 'review_body']),
    /** Opaque: the argument of `reply` and `resolveThread`. Null when the comment cannot have replies in a thread. */
    threadId: z.string().nullable(),
    author: Account.nullable(),
    body: z.string(),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
    /**
     * The place that the forge returns, which may differ from the requested place. Null when the comment is not on a
     * line.
     */
    place: z.object({ path: z.string(), side: Side, line: z.number().int() }).readonly().nullable(),
    /** Null when the comment has no resolved state. */
    resolved: z.boolean().nullable(),
    webUrl: z.string(),
  })
  .readonly();
export type ForgeComment = z.output<typeof ForgeComment>;

/** `undetermined`: the token may not read permissions. Every decision treats it as `none`. */
export type Permission = 'none' | 'read' | 'write' | 'admin' | 'undetermined';

export type Project = {
  readonly id: number;
  /** Readable path such as `group/sub/name`: for messages only, never to address the project. */
  readonly path: string;
  readonly webUrl: string;
  readonly defaultBranch: string;
  /** Why nobody can post a review in this project, whatever their permission. Null when reviews can be posted. */
  readonly unusable: 'archived' | 'change_requests_off' | null;
};

export type BranchFacts = {
  readonly isProtected: boolean;
  readonly isDefault: boolean;
  readonly head: CommitSha;
  /**
   * Whether the forge says that the account may update the branch. False does not exclude a maintainer. Absent if not
   * reported.
   */
  readonly mayUpdate?: boolean;
};

/** Where git fetches from. Built only from the configured base address, never from a payload. */
export type GitSource = {
  readonly url: string;
  /** The ref of the head, such as `refs/pull/7/head` or `refs/merge-requests/7/head`. */
  readonly headRef: string;
  /**
   * The source branch, which is needed because the forge does not update `headRef` after the change request is closed.
   * Null when the branch is unknown or deleted.
   */
  readonly branch?: { readonly url: string; readonly name: string } | null;
};
