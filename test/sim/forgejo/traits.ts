/**
 * Features of each release of Forgejo and Gitea. Source of every row: the release's swagger template (forges.md 1 and
 * `forgejo-gitea-availability.json`).
 */
export type Flavour = 'forgejo-11' | 'forgejo-15' | 'forgejo-16' | 'gitea-1.25' | 'gitea-1.26' | 'gitea-1.27';

export type Traits = {
  readonly flavour: Flavour;
  readonly product: 'forgejo' | 'gitea';
  /** Version in `GET /api/v1/version`. */
  readonly version: string;
  /** File with the API description, for checking requests and responses. */
  readonly description: string;
  /** `POST pulls/{n}/reviews/{id}/comments` and single inline comments by id. */
  readonly reviewComments: boolean;
  /** `POST pulls/{n}/comments/{id}/replies`. */
  readonly replies: boolean;
  /** `POST pulls/comments/{id}/resolve` and `/unresolve`. */
  readonly resolve: boolean;
  /** `extra_lines_count` on an inline comment. */
  readonly extraLines: boolean;
  /** `DELETE issues/comments/{id}` also deletes an inline comment; without this, it answers 204 and does nothing. */
  readonly deletesInline: boolean;
  /**
   * An inline comment is stored at the blamed line of either side. Gitea stores the sent line, and blames only the new side,
   * for the commit (Gitea v1.26.5 services/pull/review.go createCodeComment, and seen on a real one).
   */
  readonly storesBlamedLine: boolean;
  /**
   * A comment review with inline comments ends the reviewer's review request, as all other reviews do (Gitea v1.26.5
   * models/issues/review.go SubmitReview, and seen on a real one). In Forgejo the request stays.
   */
  readonly draftEndsRequest: boolean;
  /**
   * `requested_reviewers` includes users who only commented (Gitea models/issues/review_list.go GetReviewsByIssueID, and
   * seen on a real one). Forgejo counts only decisions and requests.
   */
  readonly listsCommenters: boolean;
  /**
   * A duplicate reaction causes a nil pointer error and an HTML page (Forgejo since a48683f064, services/issue/reaction.go,
   * and seen on a real one).
   */
  readonly panicsOnReaction: boolean;
  /**
   * Deleting the target branch closes the pull request (seen on a real Forgejo 16: CloseBranchPulls in services/pull/pull.go
   * searches both branches). Gitea 1.27 changes the target to the default branch, without a webhook; if that is impossible,
   * the pull request stays open with a missing target (AdjustPullsCausedByBranchDeleted, retargetBranchPulls).
   */
  readonly closesWithBase: boolean;
  /** Approving or rejecting a closed pull request fails (Gitea ErrSubmitReviewOnClosedPR, forges.md 5.3). */
  readonly refusesReviewOnClosed: boolean;
};

type Row = Omit<Traits, 'flavour' | 'product' | 'extraLines' | 'replies' | 'deletesInline' | 'panicsOnReaction'> & {
  extraLines?: true;
  replies?: true;
  panicsOnReaction?: true;
};

const forgejo = {
  reviewComments: true,
  resolve: false,
  storesBlamedLine: true,
  draftEndsRequest: false,
  listsCommenters: false,
  refusesReviewOnClosed: false,
  closesWithBase: true,
};
const gitea = {
  reviewComments: false,
  storesBlamedLine: false,
  draftEndsRequest: true,
  listsCommenters: true,
  refusesReviewOnClosed: true,
  closesWithBase: false,
};

// Forgejo's version always contains "gitea-1.22.0" (forges.md 5.1), which means nothing.
const rows: Readonly<Record<Flavour, Row>> = {
  'forgejo-11': { ...forgejo, version: '11.0.15+gitea-1.22.0', description: 'forgejo-v11.0.15' },
  'forgejo-15': { ...forgejo, version: '15.0.3+gitea-1.22.0', description: 'forgejo-v15.0.3' },
  'forgejo-16': {
    ...forgejo,
    version: '16.0.0+gitea-1.22.0',
    description: 'forgejo-v16.0-branch',
    extraLines: true,
    panicsOnReaction: true,
  },
  'gitea-1.25': { ...gitea, version: '1.25.4', description: 'gitea-v1.26.3', resolve: false },
  'gitea-1.26': { ...gitea, version: '1.26.3', description: 'gitea-v1.26.3', resolve: true },
  'gitea-1.27': { ...gitea, version: '1.27.0-rc0', description: 'gitea-v1.26.3', resolve: true, replies: true },
};

export const flavours: readonly string[] = Object.keys(rows);

export const isFlavour = (text: string): text is Flavour => Object.hasOwn(rows, text);

export const traitsOf = (flavour: Flavour): Traits => ({
  extraLines: false,
  replies: false,
  panicsOnReaction: false,
  deletesInline: rows[flavour].replies ?? false,
  ...rows[flavour],
  flavour,
  product: flavour.startsWith('forgejo') ? 'forgejo' : 'gitea',
});
