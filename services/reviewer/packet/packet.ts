/** Everything that a reviewer is given at the start of a round, read from git at exact commits. */
import { compareDiffs, type Delta } from '../../../shared/diff/delta.ts';
import { fingerprint } from '../../../shared/diff/fingerprint.ts';
import type { Diff, DiffFile } from '../../../shared/diff/model.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import type { Brief } from '../../../shared/rounds/model/brief.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import { type ContentKind, contentKindOf } from '../../../shared/rules/content-kind.ts';
import type { ChangedFile } from '../../../shared/rules/model/rule.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import { isLink, openFiles } from './open-files.ts';
import type { RepositoryPaths } from './path-filter.ts';
import { type ScanTarget, scanTarget } from './scan-targets.ts';
import { createLeftOut, type SortedChange, sortChange } from './sort-change.ts';
import { createTextReader, type SideReading, type TextReader, textOf } from './text-reader.ts';
import { followThreads, type PacketThread } from './threads.ts';
import { touchedLines } from './touched-lines.ts';

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

export const buildPacket = async (request: PacketRequest, source: PacketSource): Promise<Packet> => {
  const { revisions, limits, signal } = source;
  const { head, targetHead } = request;
  const asked = { target: targetHead, head, maxFiles: limits.maxFiles, maxBytes: limits.maxDiffBytes };
  const result = await revisions.diff(asked, signal);
  const raw = result.kind === 'diff' ? parseDiff(result.patch) : { files: [] };
  const whole = result.kind === 'diff' ? [] : [{ path: '(the whole change)', reason: result.reason }];
  const texts = createTextReader(revisions, { head, base: result.mergeBase }, signal);
  const large = result.kind === 'diff' ? result.large : [];
  const { diff, unreadable, notOnForge } = await openFiles(raw, {
    large,
    texts,
    isLeftOut: createLeftOut(limits),
    signal,
  });
  const sorted = await sortChange(diff, { ...source, base: result.mergeBase });
  const looked = await readChanged(sorted, { texts, signal });
  const { reviewable, excluded, byOperator, onlyRules, quiet, oversized } = sorted;
  return {
    head,
    targetHead,
    base: result.mergeBase,
    diff,
    patchFingerprint: fingerprint(raw),
    reviewable,
    excluded,
    byOperator,
    onlyRules,
    omitted: [
      ...whole,
      ...oversized.map(({ file, reason }) => ({ path: file.newPath, reason: unreadable.get(file.newPath) ?? reason })),
      ...looked.unread,
    ],
    changed: looked.changed,
    kinds: looked.kinds,
    scanOnly: scanTargets(diff, looked.changed, texts),
    notOnForge,
    policy: { unknownLanguages: limits.unknownLanguages, onlyExcluded: limits.onlyExcluded },
    seenBefore: request.previous?.seenBy ?? null,
    quiet: new Set(quiet.map(({ newPath }) => newPath)),
    ...(await compareWithPrevious(request, diff, source)),
    ...(await followThreads(request, { diff, ...source })),
    headText: async (path) => textOf(await texts.head(path)),
    baseText: async (path) => textOf(await texts.base(path)),
  };
};

/** All files with new lines that the rules do not look at, excluded or not. */
const scanTargets = ({ files }: Diff, changed: readonly ChangedFile[], texts: TextReader): readonly ScanTarget[] => {
  const known = new Set(changed.map(({ path }) => path));
  return files.filter((file) => !isLink(file) && !known.has(file.newPath)).map((file) => scanTarget(file, texts));
};

type Looked = Pick<Packet, 'changed' | 'kinds'> & { readonly unread: readonly OmittedFile[] };

/** The rules also look at what is too large to be shown, as far as it can be read. */
const readChanged = async (
  { reviewable, quiet, oversized }: SortedChange,
  { texts, signal }: { readonly texts: TextReader; readonly signal: AbortSignal },
): Promise<Looked> => {
  const changed: ChangedFile[] = [];
  const unread: OmittedFile[] = [];
  const kinds = new Map<string, ContentKind>();
  const large = new Set(oversized.map(({ file }) => file));
  for (const file of new Set([...reviewable, ...quiet, ...large])) {
    signal.throwIfAborted();
    const { newPath, oldPath, status } = file;
    if (isLink(file)) {
      kinds.set(newPath, LINK_KIND);
      continue;
    }
    const reading = await (status === 'deleted' ? texts.base(oldPath) : texts.head(newPath));
    const text = textOf(reading);
    kinds.set(newPath, contentKindOf(newPath, text ?? ''));
    if (status === 'deleted' || file.hunks.length === 0) continue;
    if (text !== null) changed.push({ path: newPath, text, ...touchedLines(file) });
    else if (!large.has(file)) unread.push({ path: newPath, reason: whyUnread(reading) });
  }
  return { changed, unread, kinds };
};

const LINK_KIND: ContentKind = { kind: 'unknown', language: 'links and submodules' };

const whyUnread = (reading: SideReading): string =>
  reading.kind === 'undecodable' ? reading.reason : 'its content could not be read as text';

const compareWithPrevious = async (
  { previous, head }: PacketRequest,
  current: Diff,
  { revisions, limits, signal }: PacketSource,
): Promise<Pick<Packet, 'delta' | 'touchedSince'>> => {
  if (previous === null || !(await hasBoth(revisions, previous, signal))) return NOTHING_BEFORE;
  const caps = { maxFiles: limits.maxFiles, maxBytes: limits.maxDiffBytes };
  const before = await revisions.diff({ target: previous.base, head: previous.head, direct: true, ...caps }, signal);
  const between = await revisions.diff({ target: previous.head, head, direct: true, ...caps }, signal);
  if (before.kind !== 'diff') return NOTHING_BEFORE;
  const since = between.kind === 'diff' ? parseDiff(between.patch) : null;
  const delta = compareDiffs(parseDiff(before.patch), current, since);
  return { delta, touchedSince: since === null ? null : touchedPlaces(since) };
};

const NOTHING_BEFORE = { delta: null, touchedSince: null } as const;

const touchedPlaces = ({ files }: Diff): ReadonlyMap<string, ReadonlySet<number>> =>
  new Map(
    files.map((file) => {
      const { changedLines, removedAfter } = touchedLines(file);
      return [file.newPath, new Set([...changedLines, ...[...removedAfter].flatMap((line) => [line, line + 1])])];
    }),
  );

const hasBoth = async (
  revisions: Revisions,
  { head, base }: { readonly head: CommitSha; readonly base: CommitSha },
  signal: AbortSignal,
): Promise<boolean> => (await revisions.exists(head, signal)) && (await revisions.exists(base, signal));
