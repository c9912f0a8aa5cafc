/**
 * What Fixpoint needs from a forge, as small interfaces. Each handler declares only the interfaces that it uses. An
 * adapter does not stub a method that its forge lacks; the missing ability is a row in `traits.ts`.
 *
 * Contract for every method: it takes an `AbortSignal` and has a time limit. Reads are retried within bounds. Writes
 * are sent once and throw `ForgeUnknownOutcomeError` when the outcome is unknown. Every other failure is a
 * `ForgeRequestError` with its disposition. Times are epoch milliseconds. Lists are complete (all pages, sorted by id)
 * unless the method says that it reads one page.
 */
import type { Position } from '../diff/position/position.ts';
import type { ForgeVerdict, StandingVerdict, VerdictRefusal } from '../vocabulary/forge-verdict.ts';
import type { ChangeRequest, CommitSha } from '../vocabulary/ids.ts';
import type { PostableBody } from '../text/postable-body.ts';
import type { ReadsCiReports } from './port-ci-reports.ts';
import type { ReadsChecks, ReadsStatuses, WritesStatuses } from './port-statuses.ts';
import type { ReadsClosedIssues } from './port-issues.ts';
import type { FindsNames, ReadsFiles } from './port-owners.ts';
import type { ReadsThumbs } from './port-reactions.ts';
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
  /** The forge verdict to submit with the review, used only where the forge can attach it and withdraw it later. */
  readonly verdict?: ForgeVerdict;
  /** When set, the account's unpublished comments are removed first, under the rule of `clearLeftovers`. */
  readonly isOurs?: (body: string) => boolean;
  /**
   * What `fetchComments` has just returned. Nothing has been written since then, so the adapter need not read those
   * lists again.
   */
  readonly seen?: readonly ForgeComment[];
};

/** `body` is shown only where the forge has a place for it. */
export type OutgoingVerdict = Pick<OutgoingReview, 'head' | 'body'> & { readonly verdict: ForgeVerdict };

export interface ReadsIdentity {
  fetchSelf(signal: AbortSignal): Promise<Account>;
}

export interface ReadsChangeRequest {
  /** Returns null when the change request does not exist or is not visible. */
  fetchChangeRequest(of: ChangeRequest, signal: AbortSignal): Promise<ChangeRequestFacts | null>;
}

export interface ReadsProject {
  fetchProject(projectId: number, signal: AbortSignal): Promise<Project | null>;
  /** Finds a project by its readable path, for configuration and the command line. */
  findProject(path: string, signal: AbortSignal): Promise<Project | null>;
}

export interface ReadsComments {
  /** Comments of all accounts, without system notes. `known`: only lists that the caller has written to since are read again. */
  fetchComments(of: ChangeRequest, signal: AbortSignal, known?: KnownComments): Promise<readonly ForgeComment[]>;
}

export type KnownComments = {
  readonly comments: readonly ForgeComment[];
  /**
   * What the caller has written since `comments` was read. `review`: only a review body, by `editComment`. `threads`: existing
   * threads and the conversation.
   */
  readonly written: 'review' | 'conversation' | 'threads';
};

export interface ReadsPermission {
  fetchPermission(projectId: number, account: Account, signal: AbortSignal): Promise<Permission>;
}

export interface MarksBots {
  /** Whether the forge marks the account as a bot. Returns false when the forge does not know or show the account. */
  isMarkedBot(accountId: number, signal: AbortSignal): Promise<boolean>;
}

export interface ReadsBranches {
  /** Returns null when the branch does not exist or is not visible to the token. */
  fetchBranch(projectId: number, name: string, signal: AbortSignal): Promise<BranchFacts | null>;
}

export interface ReadsApprovals {
  /** The accounts whose approval still counts; dismissed and withdrawn approvals do not. */
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
  /** Sends one notification. Throws `InlineRefusedError` for a refused position. Returns the accepted verdict or null. */
  submitReview(of: ChangeRequest, review: OutgoingReview, signal: AbortSignal): Promise<ForgeVerdict | null>;
  /** Deletes own unpublished drafts in which every comment satisfies `isOurs`. Returns how many were deleted. */
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

/** Contract: never changes comments or verdicts of other accounts; a refusal by the forge is a return value, not an error. */
export interface WritesVerdicts {
  /** The account's newest verdict; null when there is none or it was withdrawn. */
  fetchOwnVerdict(of: ChangeRequest, signal: AbortSignal): Promise<StandingVerdict | null>;
  giveVerdict(of: ChangeRequest, given: OutgoingVerdict, signal: AbortSignal): Promise<VerdictRefusal | null>;
  /** Withdraws the account's verdicts of these kinds without deleting a comment. Succeeds when there are none. */
  withdrawVerdicts(
    of: ChangeRequest,
    which: readonly ForgeVerdict[],
    signal: AbortSignal,
  ): Promise<VerdictRefusal | null>;
}

export interface Reacts {
  /** Succeeds when the reaction already exists. */
  react(of: ChangeRequest, commentId: string, reaction: 'eyes' | '+1' | 'confused', signal: AbortSignal): Promise<void>;
}

export type ReadingForge = ReadsIdentity &
  ReadsChangeRequest &
  ReadsClosedIssues &
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
  ReadsThumbs &
  LocatesGit;

export type WritingForge = WritesComments & WritesReviews & WritesVerdicts & WritesStatuses & DeletesComments & Reacts;

/** Abilities that not every forge has. Null when the probed traits say that the forge lacks the ability. */
export type OptionalAbilities = {
  readonly threads: AnswersThreads | null;
  readonly resolving: ResolvesThreads | null;
  readonly botMarks: MarksBots | null;
  readonly ciReports: ReadsCiReports | null;
};

export type Forge = {
  readonly id: string;
  readonly read: ReadingForge;
  readonly write: WritingForge;
} & OptionalAbilities;
