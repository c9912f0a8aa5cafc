/** What a forge says about change requests, comments, projects and branches. */
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
  /** Tip of the target branch as the forge reports it. */
  readonly targetHead: CommitSha;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  /** Null while the forge does not tell. It may lag behind a push. */
  readonly mergeBase: CommitSha | null;
  readonly fromFork: boolean;
  /** Opaque: where at the commit the gate looks for the status. Equal ones share it. Absent: the commit itself. */
  readonly statusPlace?: string;
  readonly forkUrl?: string | null;
  readonly reviewers: readonly Account[];
  /** Absent: none. */
  readonly assignees?: readonly Account[];
  readonly updatedAtMs: number;
  readonly webUrl: string;
};

/** `mergeBase`: null also where lists do not tell. */
export type OpenChangeRequest = Pick<
  ChangeRequestFacts,
  'changeRequest' | 'head' | 'draft' | 'targetBranch' | 'mergeBase' | 'updatedAtMs'
>;

export type ProjectRef = Pick<Project, 'id' | 'path'>;

export const ForgeComment = z
  .object({
    /** Id within `kind`; what `editComment` takes. */
    id: z.string(),
    kind: z.enum(['conversation', 'inline', 'review_body']),
    /** Opaque: what `reply` and `resolveThread` take. Null where the comment cannot be answered in place. */
    threadId: z.string().nullable(),
    author: Account.nullable(),
    body: z.string(),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
    /** As the forge reads it back, which may differ from what was sent. Null when the comment hangs on no line. */
    place: z.object({ path: z.string(), side: Side, line: z.number().int() }).readonly().nullable(),
    /** Null where the forge has no such state. */
    resolved: z.boolean().nullable(),
    webUrl: z.string(),
  })
  .readonly();
export type ForgeComment = z.output<typeof ForgeComment>;

/** `undetermined`: the token may not ask. It counts as `none` for every decision. */
export type Permission = 'none' | 'read' | 'write' | 'admin' | 'undetermined';

export type Project = {
  readonly id: number;
  /** Human path such as `group/sub/name`: for messages only, never for addressing. */
  readonly path: string;
  readonly webUrl: string;
  readonly defaultBranch: string;
  /** Why no review can be posted in it, whatever the rights; null where one can. */
  readonly unusable: 'archived' | 'change_requests_off' | null;
};

export type BranchFacts = {
  readonly isProtected: boolean;
  readonly isDefault: boolean;
  readonly head: CommitSha;
  /** May push or merge, by what the forge tells; a maintainer may all the same. Absent: the forge does not say. */
  readonly mayUpdate?: boolean;
};

/** Where git fetches from. Built from the configured base address only, never from a payload. */
export type GitSource = {
  readonly url: string;
  /** `refs/pull/7/head` or `refs/merge-requests/7/head`. */
  readonly headRef: string;
  /** The head's own branch: the ref of a change request that was closed stays behind. Null: not known, or gone. */
  readonly branch?: { readonly url: string; readonly name: string } | null;
};
