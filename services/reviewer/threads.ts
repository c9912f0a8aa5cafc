import type { Diff } from '../../shared/diff/model.ts';
import { moveAnchor } from '../../shared/diff/move-anchor.ts';
import { parseDiff } from '../../shared/diff/parse.ts';
import { type ReplacedBy, replacedLines } from '../../shared/diff/replaced-lines.ts';
import type { BriefThread } from '../../shared/rounds/brief.ts';
import type { CommitSha, Place } from '../../shared/rounds/vocabulary.ts';
import type { Revisions } from '../../shared/workspace/revisions.ts';
import type { Packet, PacketLimits, PacketRequest } from './packet.ts';
import { readSide, textOf } from './text-reader.ts';

export type PacketThread = BriefThread & {
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
};

type Following = {
  readonly diff: Diff;
  readonly revisions: Revisions;
  readonly limits: PacketLimits;
  readonly signal: AbortSignal;
};

/** Every thread with its place at the new head. States that several threads share are compared once. */
export const followThreads = async (
  { openThreads, closedThreads = [], head }: PacketRequest,
  following: Following,
): Promise<Pick<Packet, 'openThreads' | 'closedThreads'>> => {
  const between = new Map<CommitSha, Diff | null>();
  const followed: PacketThread[] = [];
  const changesSince = async (from: CommitSha | null): Promise<Diff | null> => {
    if (from !== null && !between.has(from)) between.set(from, await compareHeads(from, head, following));
    return from === null ? null : (between.get(from) ?? null);
  };
  for (const thread of [...openThreads, ...closedThreads]) {
    const now = await followThread(thread, { ...following, between: await changesSince(thread.head) });
    const { settled } = thread;
    if (settled === undefined) followed.push(now);
    else {
      const settledText = await readAt(thread.place.path, settled.head, following);
      followed.push({ ...now, since: await changesSince(settled.head), settledText });
    }
  }
  return { openThreads: followed.slice(0, openThreads.length), closedThreads: followed.slice(openThreads.length) };
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

const followThread = async (
  thread: BriefThread,
  { between, diff, revisions, signal }: Following & { readonly between: Diff | null },
): Promise<PacketThread> => {
  if (thread.place.side === 'old') return { ...thread, citedText: '', now: thread.place };
  const citedText = thread.head === null ? '' : await readCited(thread, thread.head, { revisions, signal });
  const moved = moveAnchor({ place: thread.place, text: citedText, between, current: diff });
  if (moved.kind !== 'gone') return { ...thread, citedText, now: moved.place };
  return {
    ...thread,
    citedText,
    now: null,
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
