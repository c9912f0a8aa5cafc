import type { Delta } from '../../../shared/diff/delta.ts';
import type { Diff, DiffFile } from '../../../shared/diff/model.ts';
import type { Brief, BriefThread } from '../../../shared/rounds/model/brief.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
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
  /** Round limit of the operator; absent in a review without rounds. */
  readonly maxRounds?: number;
  /** Whether a change in unknown languages may pass; absent: inconclusive. */
  readonly unknownLanguages?: 'inconclusive' | 'pass';
  readonly onlyExcluded?: 'inconclusive' | 'pass';
  /** Path filters of the target branch's settings, in addition to the operator's. */
  readonly repositoryPaths?: RepositoryPaths;
};

/** A missing value means `inconclusive`. */
export type PassPolicy = { readonly [Key in 'unknownLanguages' | 'onlyExcluded']?: PacketLimits[Key] | undefined };

/** The part of a brief that a packet needs. A local review has no brief. */
export type PacketRequest = Pick<Brief, 'head' | 'targetHead' | 'openThreads' | 'previous'> &
  Partial<Pick<Brief, 'closedThreads' | 'unverified'>>;

export type Packet = {
  readonly head: CommitSha;
  readonly targetHead: CommitSha;
  /** Null when the histories are unrelated; the whole tree is then new. */
  readonly base: CommitSha | null;
  readonly diff: Diff;
  /** Computed from git's own patch, so that everyone computes the same value. */
  readonly patchFingerprint: string;
  readonly reviewable: readonly DiffFile[];
  /** Files excluded by rule, with reasons; they do not make a review incomplete. */
  readonly excluded: readonly OmittedFile[];
  readonly byOperator: ReadonlySet<string>;
  /** Paths of `excluded` that the repository's settings hide from the model; the rules must have checked them. */
  readonly onlyRules: ReadonlySet<string>;
  readonly omitted: readonly OmittedFile[];
  readonly changed: readonly ChangedFile[];
  /** Content kind of every file that is not excluded, by its head path. */
  readonly kinds: ReadonlyMap<string, ContentKind>;
  /** All other files with new lines; they are only scanned for secrets. */
  readonly scanOnly: readonly ScanTarget[];
  readonly notOnForge: ReadonlySet<string>;
  readonly policy: PassPolicy;
  /** Who saw the unchanged parts in the last complete review; null when unknown or when there was none. */
  readonly seenBefore: 'model' | 'rules' | null;
  /** Paths that the target branch's settings mute: only P0 and P1 findings about them are reported. */
  readonly quiet: ReadonlySet<string>;
  /** Changes since the last complete review; null in the first review or when the earlier commits are gone. */
  readonly delta: Delta | null;
  /** Head lines by path changed since the last complete review, or next to a removal. Null when they cannot be compared. */
  readonly touchedSince: ReadonlyMap<string, ReadonlySet<number>> | null;
  readonly openThreads: readonly PacketThread[];
  /** Closed or handed-over threads with their current places, so that repeated findings are recognised. */
  readonly closedThreads: readonly PacketThread[];
  /** P0 and P1 claims of earlier reviews whose evidence was not found. */
  readonly unverified: readonly PacketThread[];
  readonly headText: (path: string) => Promise<string | null>;
  readonly baseText: (path: string) => Promise<string | null>;
};

export type PacketSource = {
  readonly revisions: Revisions;
  readonly limits: PacketLimits;
  readonly signal: AbortSignal;
};

/**
 * `must`: the lines of the thread changed, or it was answered. `may`: something near them changed. `waits`: neither
 * applies, or no round is left to act in.
 */
export type Handling = 'must' | 'may' | 'waits';

export type PacketThread = BriefThread & {
  /** Set for an open thread. */
  readonly handling?: Handling;
  /** The lines of the thread when it was opened; empty when that commit is no longer available. */
  readonly citedText: string;
  /** The place of those lines at this head; null when they are gone. */
  readonly now: Place | null;
  /** The lines that replaced the thread's lines; absent or null when unknown or when nothing replaced them. */
  readonly replacedBy?: ReplacedBy | null;
  /** What changed since the thread's last cycle or settlement; absent or null when unknown. */
  readonly since?: Diff | null;
  /** For a settled thread: its file when it was settled; absent or null when unavailable. */
  readonly settledText?: string | null;
  /** What happened to the thread's code since its last cycle; absent when unknown. */
  readonly touch?: ThreadTouch;
};

export type ThreadTouch = {
  readonly kind: Touch;
  /** True when a comment that suppresses a check was added on its lines or for its file; a silent rule then proves nothing. */
  readonly silenced: boolean;
};
