import type { Delta } from '../../../shared/diff/delta.ts';
import type { ChangedSince } from '../../../shared/diff/position/changed-since.ts';
import type { Diff, DiffFile } from '../../../shared/diff/model.ts';
import type { Brief, BriefThread } from '../../../shared/rounds/model/brief.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import type { Analysis } from '../../../shared/rules/model/analysis.ts';
import type { ContentKind } from '../../../shared/rules/content-kind.ts';
import type { ChangedFile } from '../../../shared/rules/model/rule.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import type { RepositoryPaths } from './path-filter.ts';
import type { ScanTarget } from './scan-targets.ts';
import type { ReplacedBy } from '../../../shared/diff/replaced-lines.ts';
import type { Place } from '../../../shared/vocabulary/finding.ts';
import type { Touch } from '../../../shared/diff/position/touched.ts';

export type PacketLimits = {
  readonly maxFiles: number;
  readonly maxDiffBytes: number;
  readonly maxFileBytes: number;
  readonly includePaths: readonly string[];
  readonly excludePaths: readonly string[];
  /** The operator's limit on rounds; absent in a review without rounds. */
  readonly maxRounds?: number;
  /** Whether a change in unknown languages may pass; if absent, its verdict is `inconclusive`. */
  readonly unknownLanguages?: 'inconclusive' | 'pass';
  readonly onlyExcluded?: 'inconclusive' | 'pass';
  /** Path filters from the target branch's settings; they apply in addition to the operator's. */
  readonly repositoryPaths?: RepositoryPaths;
};

/** A missing value means `inconclusive`. */
export type PassPolicy = { readonly [Key in 'unknownLanguages' | 'onlyExcluded']?: PacketLimits[Key] | undefined };

/** The part of a brief that a packet needs. A local review has no brief. */
export type PacketRequest = Pick<Brief, 'head' | 'targetHead' | 'openThreads' | 'previous'> &
  Partial<Pick<Brief, 'closedThreads' | 'unverified' | 'only'>>;

export type Packet = {
  readonly head: CommitSha;
  readonly targetHead: CommitSha;
  /** Null if the histories are unrelated; then the whole tree counts as new. */
  readonly base: CommitSha | null;
  readonly diff: Diff;
  /** Computed from git's own patch, so that every process computes the same value. */
  readonly patchFingerprint: string;
  readonly reviewable: readonly DiffFile[];
  /** Files excluded by rule, each with a reason; a review is complete without them. */
  readonly excluded: readonly OmittedFile[];
  readonly byOperator: ReadonlySet<string>;
  /** Paths of `excluded` that the repository's settings hide from the model; the rules must have checked them. */
  readonly onlyRules: ReadonlySet<string>;
  readonly omitted: readonly OmittedFile[];
  readonly changed: readonly ChangedFile[];
  /** Content kind of every file that is not excluded, by its head path. */
  readonly kinds: ReadonlyMap<string, ContentKind>;
  /** All other files with new lines; these are only scanned for secrets. */
  readonly scanOnly: readonly ScanTarget[];
  readonly notOnForge: ReadonlySet<string>;
  readonly policy: PassPolicy;
  /** Who saw the unchanged parts in the previous review; null if this is unknown or there was no such review. */
  readonly seenBefore: 'model' | 'rules' | null;
  /** Paths that the target branch's settings mute: only P0 and P1 findings about them are reported. */
  readonly quiet: ReadonlySet<string>;
  /** The head of the previous review; absent if there was none. */
  readonly previousHead?: CommitSha;
  /** Changes since the previous review; null in the first review, or if the earlier commits are gone. */
  readonly delta: Delta | null;
  /** Head lines, by path, that changed since the previous review or are next to a removal. Null if they cannot be compared. */
  readonly touchedSince: ReadonlyMap<string, ReadonlySet<number>> | null;
  /**
   * Paths that an earlier review left out and that this review was not asked to cover. They are not shown and still
   * count as unseen.
   */
  readonly withheld: ReadonlySet<string>;
  readonly openThreads: readonly PacketThread[];
  /** Closed or handed-over threads with their current places, so that repeated findings are recognised. */
  readonly closedThreads: readonly PacketThread[];
  /** P0 and P1 claims of earlier reviews whose evidence was not found. */
  readonly unverified: readonly PacketThread[];
  readonly headText: (path: string) => Promise<string | null>;
  readonly baseText: (path: string) => Promise<string | null>;
  /** Contract: runs the operator's analyzers at the first call, and then returns the same. Absent if there are none. */
  readonly analyze?: () => Promise<Analysis>;
};

export type PacketSource = {
  readonly revisions: Revisions;
  readonly limits: PacketLimits;
  readonly signal: AbortSignal;
};

/**
 * `must`: the lines of the thread changed, or the thread was answered. `may`: something near its lines changed. `waits`:
 * neither applies, or no round is left in which to act.
 */
export type Handling = 'must' | 'may' | 'waits';

export type PacketThread = BriefThread & {
  /** Set only for an open thread. */
  readonly handling?: Handling;
  /** The lines of the thread when it was opened; empty if that commit is no longer available. */
  readonly citedText: string;
  /** The place of those lines at this head; null if they are gone. */
  readonly now: Place | null;
  /** The lines that replaced the thread's lines; absent or null if they are unknown or do not exist. */
  readonly replacedBy?: ReplacedBy | null;
  /** Which lines of this head changed since the commit of `place`; absent if this is unknown. */
  readonly isChanged?: ChangedSince;
  /** What changed since the thread's last cycle or settlement; absent or null if this is unknown. */
  readonly since?: Diff | null;
  /** Only for a settled thread: the text of its file when it was settled; absent or null if it is unavailable. */
  readonly settledText?: string | null;
  /** What happened to the thread's code since its last cycle; absent if this is unknown. */
  readonly touch?: ThreadTouch;
};

export type ThreadTouch = {
  readonly kind: Touch;
  /**
   * True if a comment that suppresses a check was added on its lines or for its file. If so, a rule that no longer
   * fires is no evidence of a fix.
   */
  readonly silenced: boolean;
};
