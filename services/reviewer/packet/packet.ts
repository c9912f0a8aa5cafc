/** Everything that a reviewer is given at the start of a round, read from git at exact commits. */
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
  /** The operator's cap of rounds; absent where nobody counts them. */
  readonly maxRounds?: number;
  /** Whether such a change may pass; absent: it is inconclusive. */
  readonly unknownLanguages?: 'inconclusive' | 'pass';
  readonly onlyExcluded?: 'inconclusive' | 'pass';
  /** Of the target branch's settings, on top of the others. */
  readonly repositoryPaths?: RepositoryPaths;
};

/** Absent: inconclusive. */
export type PassPolicy = { readonly [Key in 'unknownLanguages' | 'onlyExcluded']?: PacketLimits[Key] | undefined };

/** The part of a brief that a packet needs; a local review has no forge behind it. */
export type PacketRequest = Pick<Brief, 'head' | 'targetHead' | 'openThreads' | 'previous'> &
  Partial<Pick<Brief, 'closedThreads' | 'unverified'>>;

export type Packet = {
  readonly head: CommitSha;
  readonly targetHead: CommitSha;
  /** Null when the histories are unrelated: then the whole tree is new. */
  readonly base: CommitSha | null;
  readonly diff: Diff;
  /** Of the patch as git gives it, so that it is the same for everybody who computes it. */
  readonly patchFingerprint: string;
  readonly reviewable: readonly DiffFile[];
  /** Excluded by rule, with reasons: they do not make a review incomplete. */
  readonly excluded: readonly OmittedFile[];
  /** Of those, what the operator's own patterns leave out. */
  readonly byOperator: ReadonlySet<string>;
  /** Of those, what no model is shown because of the repository's settings: the rules of its language must have seen it. */
  readonly onlyRules: ReadonlySet<string>;
  /** Files that should have been reviewed and cannot be. */
  readonly omitted: readonly OmittedFile[];
  readonly changed: readonly ChangedFile[];
  /** Of every file that is not excluded, by its path at the head. */
  readonly kinds: ReadonlyMap<string, ContentKind>;
  /** All other files with new lines: only secrets are looked for in them. */
  readonly scanOnly: readonly ScanTarget[];
  /** Paths whose lines the forge does not show. */
  readonly notOnForge: ReadonlySet<string>;
  /** Of the operator. */
  readonly policy: PassPolicy;
  /** Who looked at what stood the same in the last complete review; null when there was none, or nobody knows. */
  readonly seenBefore: 'model' | 'rules' | null;
  /** Paths that the target branch's settings keep from being discussed: only what is grave is said about them. */
  readonly quiet: ReadonlySet<string>;
  /** What changed since the last complete round; null in round 1 or when the old state cannot be had. */
  readonly delta: Delta | null;
  /**
   * Lines of the head that differ from the head of the last complete round, by path; where something only went away, the
   * lines around it. Null when that head cannot be compared.
   */
  readonly touchedSince: ReadonlyMap<string, ReadonlySet<number>> | null;
  readonly openThreads: readonly PacketThread[];
  /** Closed or handed over: whoever raises one again is to be recognised where its code stands now. */
  readonly closedThreads: readonly PacketThread[];
  /** Grave claims of earlier reviews whose evidence nobody has found. */
  readonly unverified: readonly PacketThread[];
  /** Text at the head; null when there is none. */
  readonly headText: (path: string) => Promise<string | null>;
  /** Text at the merge base; null when there is none. */
  readonly baseText: (path: string) => Promise<string | null>;
};

export type PacketSource = {
  readonly revisions: Revisions;
  readonly limits: PacketLimits;
  readonly signal: AbortSignal;
};

/**
 * `must`: the lines of the thread changed, or it was answered. `may`: something near them changed. `waits`: neither, or no
 * round is left to act in.
 */
export type Handling = 'must' | 'may' | 'waits';

export type PacketThread = BriefThread & {
  /** Set for an open thread. */
  readonly handling?: Handling;
  /** The lines that the thread was hung on, as they were then; empty when that state cannot be had any more. */
  readonly citedText: string;
  /** Where they stand at this head; null when they are gone. */
  readonly now: Place | null;
  /** What was put in the place of lines that are gone; absent or null for nothing that could be told. */
  readonly replacedBy?: ReplacedBy | null;
  /** Of a settled one: what changed between the head at which it was settled and this one; absent or null: unknown. */
  readonly since?: Diff | null;
  /** Of a settled one: its file as it was then; absent or null for none that can be had. */
  readonly settledText?: string | null;
  /** Of an open or settled one: what happened to its code since its last cycle. Absent: nothing that is known. */
  readonly touch?: ThreadTouch;
};

export type ThreadTouch = {
  readonly kind: Touch;
  /** A comment that silences a check was added on its lines or for its file: that its rule is silent proves nothing. */
  readonly silenced: boolean;
};
