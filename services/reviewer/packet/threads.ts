import type { Diff } from '../../../shared/diff/model.ts';
import { createChangedSince } from '../../../shared/diff/position/changed-since.ts';
import { moveAnchor } from '../../../shared/diff/position/move-anchor.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import { type ReplacedBy, replacedLines } from '../../../shared/diff/replaced-lines.ts';
import { isGrave } from '../../../shared/rounds/model/blocking.ts';
import type { BriefThread } from '../../../shared/rounds/model/brief.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { Place } from '../../../shared/vocabulary/finding.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import type { Packet, PacketLimits, PacketRequest, PacketThread } from './packet.ts';
import { readSide, textOf } from './text-reader.ts';
import { handlingOf, touchOfThread } from './thread-touch.ts';

type Following = {
  readonly diff: Diff;
  readonly revisions: Revisions;
  readonly limits: PacketLimits;
  readonly signal: AbortSignal;
};

/** Adds each thread's place at the new head. Commits shared by several threads are compared once. */
export const followThreads = async (
  { openThreads, closedThreads = [], unverified = [], head }: PacketRequest,
  following: Following,
): Promise<Pick<Packet, 'openThreads' | 'closedThreads' | 'unverified'>> => {
  const between = new Map<CommitSha, Diff | null>();
  const all = [...openThreads, ...closedThreads, ...unverified];
  const changesSince = async (from: CommitSha | null): Promise<Diff | null> => {
    if (from !== null && !between.has(from)) between.set(from, await compareHeads(from, head, following));
    return from === null ? null : (between.get(from) ?? null);
  };
  const moved: Moved[] = [];
  for (const thread of all)
    moved.push(await followThread(thread, { ...following, between: await changesSince(thread.head) }));
  const followed: PacketThread[] = [];
  for (const now of withoutTaken(moved))
    followed.push({ ...now, ...(await eventsOf(now, { ...following, changesSince })) });
  const [open, closed] = [openThreads.length, openThreads.length + closedThreads.length];
  return {
    openThreads: followed.slice(0, open).map(withHandling),
    closedThreads: followed.slice(open, closed),
    unverified: followed.slice(closed),
  };
};

/** Decides how the thread is to be handled, and restricts its legal actions accordingly: see `gate-threads.ts`. */
const withHandling = (thread: PacketThread): PacketThread => {
  const { legalActions, severity } = thread;
  const isClosing = legalActions.every((action) => action === 'resolve');
  const handling = handlingOf(thread);
  if (handling === 'must' && !isClosing) return { ...thread, handling };
  // If a change elsewhere seems to fix a P0 or P1 finding, a person must verify that.
  const mayResolve = handling !== 'waits' || !isGrave(severity);
  return { ...thread, handling: handling === 'must' ? 'may' : handling, legalActions: mayResolve ? ['resolve'] : [] };
};

type Comparing = Following & { readonly changesSince: (from: CommitSha | null) => Promise<Diff | null> };

const eventsOf = async (
  thread: PacketThread,
  following: Comparing,
): Promise<Pick<PacketThread, 'since' | 'settledText' | 'touch'>> => {
  const { settled, place } = thread;
  const cycle = settled === undefined ? (thread.cycledAt ?? thread.head) : settled.head;
  const since = await following.changesSince(cycle);
  const textAt = async (path: string): Promise<string | null> => readAt(path, cycle, following);
  const placed = cycle === thread.head ? place : await placeAtCycle(thread, cycle, following);
  const touch = await touchOfThread(thread, { since, placed, textAt, diff: following.diff });
  const settledText = settled === undefined ? {} : { settledText: await textAt(place.path) };
  return { since, touch, ...settledText };
};

/** Where the thread's lines, or the lines that replaced them, were at that cycle. Null if this is unknown. */
const placeAtCycle = async (
  { place, head, citedText }: PacketThread,
  cycle: CommitSha | null,
  { revisions, limits, signal, diff }: Following,
): Promise<Place | null> => {
  if (cycle === null || head === null || place.side === 'old') return place;
  if (!(await revisions.exists(cycle, signal))) return place;
  const between = await compareHeads(head, cycle, { revisions, limits, signal, diff });
  if (between === null) return place;
  const moved = moveAnchor({ place, text: citedText, between, current: { files: [] } });
  if (moved.kind !== 'gone') return moved.place;
  const replaced = replacedLines(between, place);
  return replaced === null ? null : { ...place, ...replaced };
};

const compareHeads = async (
  from: CommitSha,
  to: CommitSha,
  { revisions, limits, signal }: Following,
): Promise<Diff | null> => {
  if (!(await revisions.exists(from, signal))) return null;
  const result = await revisions.diff({ target: from, head: to, direct: true, maxBytes: limits.maxDiffBytes }, signal);
  return result.kind === 'diff' ? parseDiff(result.patch) : null;
};

type Moved = {
  readonly thread: PacketThread;
  readonly byText: boolean;
  readonly replacedBy: ReplacedBy | null;
};

/** A text that was found at the place of another thread is that thread's code: the lines of this thread are gone. */
const withoutTaken = (moved: readonly Moved[]): readonly PacketThread[] => {
  const keyOf = ({ path, side, startLine, line }: Place): string => `${side} ${startLine} ${line} ${path}`;
  const taken = new Set(moved.flatMap(({ thread: { now }, byText }) => (byText || now === null ? [] : [keyOf(now)])));
  return moved.map(({ thread, byText, replacedBy }) => {
    const isGone = thread.now === null || (byText && taken.has(keyOf(thread.now)));
    return isGone ? { ...thread, now: null, replacedBy } : thread;
  });
};

const followThread = async (
  thread: BriefThread,
  { between, diff, revisions, signal }: Following & { readonly between: Diff | null },
): Promise<Moved> => {
  if (thread.place.side === 'old') {
    return { thread: { ...thread, citedText: '', now: thread.place }, byText: false, replacedBy: null };
  }
  const citedText = thread.head === null ? '' : await readCited(thread, thread.head, { revisions, signal });
  const moved = moveAnchor({ place: thread.place, text: citedText, between, current: diff });
  const known = { ...thread, citedText, now: moved.kind === 'gone' ? null : moved.place };
  return {
    thread: between === null ? known : { ...known, isChanged: createChangedSince(between) },
    byText: moved.kind === 'at' && moved.by === 'text',
    replacedBy: between === null ? null : replacedLines(between, thread.place),
  };
};

const readCited = async (
  { place }: BriefThread,
  commit: CommitSha,
  { revisions, signal }: Pick<Following, 'revisions' | 'signal'>,
): Promise<string> => {
  const text = await readAt(place.path, commit, { revisions, signal });
  return (text ?? '')
    .split('\n')
    .slice(place.startLine - 1, place.line)
    .join('\n');
};

const readAt = async (
  path: string,
  commit: CommitSha | null,
  { revisions, signal }: Pick<Following, 'revisions' | 'signal'>,
): Promise<string | null> => {
  if (commit === null || !(await revisions.exists(commit, signal))) return null;
  return textOf(await readSide(revisions, { commit, path }, signal));
};
