/**
 * What Fixpoint needs of a forge, as small capabilities. A handler names the few it uses; an adapter never stubs a
 * method that its forge cannot honour: what is missing is a row in `traits.ts`.
 *
 * Contract for every method: it takes an `AbortSignal` and has a time limit; reads are retried within bounds, writes
 * are sent once and throw `ForgeUnknownOutcomeError` when nobody can know whether they took effect; every other failure
 * is a `ForgeRequestError` with its disposition. Times are epoch milliseconds. Lists are complete: all pages, sorted by id;
 * what reads one page says so.
 */
import type { Position } from '../diff/position/position.ts';
import type { ForgeVerdict, StandingVerdict, VerdictRefusal } from '../vocabulary/forge-verdict.ts';
import type { ChangeRequest, CommitSha } from '../vocabulary/ids.ts';
import type { Side } from '../vocabulary/finding.ts';
import type { PostableBody } from '../text/postable.ts';
import type { ReadsChecks, ReadsStatuses, WritesStatuses } from './port-statuses.ts';

export type Account = { readonly id: number; readonly login: string };

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
  readonly updatedAtMs: number;
  readonly webUrl: string;
};

/** `mergeBase`: null also where lists do not tell. */
export type OpenChangeRequest = Pick<
  ChangeRequestFacts,
  'changeRequest' | 'head' | 'draft' | 'targetBranch' | 'mergeBase' | 'updatedAtMs'
>;

export type ProjectRef = Pick<Project, 'id' | 'path'>;

/** `page` counts from 1. `tag`: of the last answer for this page, null for whatever is there. */
export type OpenPageAsk = { readonly page: number; readonly tag: string | null };

/** `total`: how many are open in all; null where the forge does not count. `tag`: opaque, equal for equal answers. */
export type OpenPage = {
  readonly open: readonly OpenChangeRequest[];
  readonly last: boolean;
  readonly total: number | null;
  readonly tag: string;
};

/** Everything that the account of the token is a member of, or one group (organisation, person) with those below it. */
export type ProjectPlace = { readonly kind: 'member' } | { readonly kind: 'group'; readonly path: string };

export type ListedProject = ProjectRef & {
  /** Of anything in the project, as the forge dates it; forges are lax about it: for an order, not for a decision. */
  readonly activeAtMs: number;
};

export type ProjectPage = { readonly projects: readonly ListedProject[]; readonly last: boolean };

export type HookOwner =
  | { readonly kind: 'project'; readonly project: ProjectRef }
  | { readonly kind: 'group'; readonly path: string };

export type Hook = {
  readonly url: string;
  /** `paused`: the forge tries again by itself at `untilMs`. `off`: only a person can switch it on. */
  readonly state: 'working' | 'paused' | 'off';
  readonly untilMs: number | null;
  /** In the forge's own words: the events that Fixpoint listens to and this hook does not send. */
  readonly lacks: readonly string[];
  /** Why none of its deliveries can be taken; null where nothing of the kind can be seen. */
  readonly unfit: string | null;
};

export type ForgeComment = {
  /** Id within `kind`; what `editComment` takes. */
  readonly id: string;
  readonly kind: 'conversation' | 'inline' | 'review_body';
  /** Opaque: what `reply` and `resolveThread` take. Null where the comment cannot be answered in place. */
  readonly threadId: string | null;
  readonly author: Account | null;
  readonly body: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** As the forge reads it back, which may differ from what was sent. Null when the comment hangs on no line. */
  readonly place: { readonly path: string; readonly side: Side; readonly line: number } | null;
  /** Null where the forge has no such state. */
  readonly resolved: boolean | null;
  readonly webUrl: string;
};

export type OutgoingInline = { readonly position: Position; readonly body: PostableBody };

export type OutgoingReview = {
  readonly head: CommitSha;
  readonly base: CommitSha;
  readonly targetHead: CommitSha;
  readonly body: PostableBody;
  readonly comments: readonly OutgoingInline[];
  /** Carried by the review where the forge can do that and take it back later. */
  readonly verdict?: ForgeVerdict;
  /** Own unpublished leftovers whose every comment satisfies this are removed first, as by `clearLeftovers`. */
  readonly isOurs?: (body: string) => boolean;
  /**
   * A reading that `fetchComments` has just returned, with nothing written since: what it has shown is not read again.
   */
  readonly seen?: readonly ForgeComment[];
};

/** `body`: shown where the forge has a place for it. */
export type OutgoingVerdict = Pick<OutgoingReview, 'head' | 'body'> & { readonly verdict: ForgeVerdict };

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

export interface ReadsIdentity {
  fetchSelf(signal: AbortSignal): Promise<Account>;
}

export interface ReadsChangeRequest {
  /** Null when the forge says that it does not exist or is not visible. */
  fetchChangeRequest(of: ChangeRequest, signal: AbortSignal): Promise<ChangeRequestFacts | null>;
}

export interface ListsChangeRequests {
  /**
   * One page of the open ones, most recently updated first. Null when the page is still what it was when the forge gave
   * `tag`. Contract: one request; the path is a hint that may be old, the id decides.
   */
  readOpenPage(project: ProjectRef, ask: OpenPageAsk, signal: AbortSignal): Promise<OpenPage | null>;
}

export interface ListsProjects {
  /**
   * One page of projects that take change requests and are not archived, in any order. Null when there is no such
   * group, or the account may not see it. Contract: one request, two for a person's own projects on GitLab.
   */
  readProjectPage(place: ProjectPlace, page: number, signal: AbortSignal): Promise<ProjectPage | null>;
}

export interface ReadsHooks {
  /** Null when the account may not ask: it takes the rights of an admin. Empty where nothing of the kind can be. */
  fetchHooks(owner: HookOwner, signal: AbortSignal): Promise<readonly Hook[] | null>;
}

export interface ReadsProject {
  fetchProject(projectId: number, signal: AbortSignal): Promise<Project | null>;
  /** By human path, for configuration and the command line. */
  findProject(path: string, signal: AbortSignal): Promise<Project | null>;
}

export interface ReadsComments {
  /**
   * Conversation, inline and review bodies by everyone, without system notes.
   * `known`: a reading of a moment ago, and where the caller has written since. Where the forge has several lists, those
   * of what was not written in are not read again.
   */
  fetchComments(of: ChangeRequest, signal: AbortSignal, known?: KnownComments): Promise<readonly ForgeComment[]>;
}

export type KnownComments = {
  readonly comments: readonly ForgeComment[];
  /** `threads`: in those that are there, and in the conversation. */
  readonly written: 'conversation' | 'threads';
};

export interface ReadsPermission {
  fetchPermission(projectId: number, account: Account, signal: AbortSignal): Promise<Permission>;
}

export interface MarksBots {
  /** Whether the forge itself says that the account is no person. False for one that it does not know or show. */
  isMarkedBot(accountId: number, signal: AbortSignal): Promise<boolean>;
}

export interface ReadsBranches {
  /** Null when the project has no such branch, or the token may not see it. */
  fetchBranch(projectId: number, name: string, signal: AbortSignal): Promise<BranchFacts | null>;
}

export interface ReadsApprovals {
  /** Whose approval stands now; dismissed and withdrawn ones do not. */
  fetchApprovers(of: ChangeRequest, signal: AbortSignal): Promise<readonly Account[]>;
}

export interface LocatesGit {
  locateGit(of: ChangeRequest, signal: AbortSignal): Promise<GitSource>;
}

export interface WritesComments {
  createComment(of: ChangeRequest, body: PostableBody, signal: AbortSignal): Promise<void>;
  editComment(of: ChangeRequest, comment: ForgeComment, body: PostableBody, signal: AbortSignal): Promise<void>;
}

export interface WritesReviews {
  /**
   * One review with all its inline comments: one notification.
   * Throws `InlineRefusedError` when the forge accepts none of it because of a position.
   * Resolves to the verdict that the review carried, null when it carried none.
   */
  submitReview(of: ChangeRequest, review: OutgoingReview, signal: AbortSignal): Promise<ForgeVerdict | null>;
  /** Removes own unpublished leftovers, only those whose every comment satisfies `isOurs`. Returns how many. */
  clearLeftovers(of: ChangeRequest, isOurs: (body: string) => boolean, signal: AbortSignal): Promise<number>;
}

export interface AnswersThreads {
  reply(of: ChangeRequest, threadId: string, body: PostableBody, signal: AbortSignal): Promise<void>;
}

export interface ResolvesThreads {
  resolveThread(of: ChangeRequest, threadId: string, signal: AbortSignal): Promise<void>;
}

export interface DeletesComments {
  deleteComment(of: ChangeRequest, comment: ForgeComment, signal: AbortSignal): Promise<void>;
}

/** Contract: never touches what others have said, and a refusal by the forge is a value: the review stands without it. */
export interface WritesVerdicts {
  /** The account's own newest one; null when it gave none or took it back. */
  fetchOwnVerdict(of: ChangeRequest, signal: AbortSignal): Promise<StandingVerdict | null>;
  giveVerdict(of: ChangeRequest, given: OutgoingVerdict, signal: AbortSignal): Promise<VerdictRefusal | null>;
  /** Takes back the account's own ones of these kinds. None there is success. No comment goes with them. */
  withdrawVerdicts(
    of: ChangeRequest,
    which: readonly ForgeVerdict[],
    signal: AbortSignal,
  ): Promise<VerdictRefusal | null>;
}

export interface Reacts {
  /** Adds a reaction to a comment; already there is success. */
  react(of: ChangeRequest, commentId: string, reaction: 'eyes' | '+1' | 'confused', signal: AbortSignal): Promise<void>;
}

export type ReadingForge = ReadsIdentity &
  ReadsChangeRequest &
  ListsChangeRequests &
  ListsProjects &
  ReadsProject &
  ReadsHooks &
  ReadsComments &
  ReadsPermission &
  ReadsBranches &
  ReadsApprovals &
  ReadsStatuses &
  ReadsChecks &
  LocatesGit;

export type WritingForge = WritesComments & WritesReviews & WritesVerdicts & WritesStatuses & DeletesComments & Reacts;

/** What some forges can do and others cannot. Present exactly when the probed traits say so. */
export type OptionalAbilities = {
  readonly threads: AnswersThreads | null;
  readonly resolving: ResolvesThreads | null;
  readonly botMarks: MarksBots | null;
};

export type Forge = {
  readonly id: string;
  readonly read: ReadingForge;
  readonly write: WritingForge;
} & OptionalAbilities;
