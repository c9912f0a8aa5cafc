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
import type { PostableBody } from '../text/postable-body.ts';
import type { ReadsChecks, ReadsStatuses, WritesStatuses } from './port-statuses.ts';
import type { FindsNames, ReadsFiles } from './port-owners.ts';
import type { ListsChangeRequests, ListsProjects, ReadsHooks } from './port-listing.ts';
import type {
  Account,
  BranchFacts,
  ChangeRequestFacts,
  ForgeComment,
  GitSource,
  Permission,
  Project,
} from './port-facts.ts';

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

export interface ReadsIdentity {
  fetchSelf(signal: AbortSignal): Promise<Account>;
}

export interface ReadsChangeRequest {
  /** Null when the forge says that it does not exist or is not visible. */
  fetchChangeRequest(of: ChangeRequest, signal: AbortSignal): Promise<ChangeRequestFacts | null>;
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
  ReadsFiles &
  FindsNames &
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
