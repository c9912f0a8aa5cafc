import type { Diff } from '../../shared/diff/model.ts';
import { moveAnchor } from '../../shared/diff/move-anchor.ts';
import { parseDiff } from '../../shared/diff/parse.ts';
import { type ReplacedBy, replacedLines } from '../../shared/diff/replaced-lines.ts';
import type { BriefThread } from '../../shared/rounds/brief.ts';
import type { CommitSha, Place } from '../../shared/rounds/vocabulary.ts';
import type { Revisions } from '../../shared/workspace/revisions.ts';
import type { Packet, PacketLimits, PacketRequest } from './packet.ts';

export type PacketThread = BriefThread & {
  /** The lines that the thread was hung on, as they were then; empty when that state cannot be had any more. */
  readonly citedText: string;
  /** Where they stand at this head; null when they are gone. */
  readonly now: Place | null;
  /** What was put in the place of lines that are gone; absent or null for nothing that could be told. */
  readonly replacedBy?: ReplacedBy | null;
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
  for (const thread of [...openThreads, ...closedThreads]) {
    if (thread.head !== null && !between.has(thread.head)) {
      between.set(thread.head, await compareHeads(thread.head, head, following));
    }
    const changes = thread.head === null ? null : (between.get(thread.head) ?? null);
    followed.push(await followThread(thread, { ...following, between: changes }));
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
  { between, diff, revisions, limits, signal }: Following & { readonly between: Diff | null },
): Promise<PacketThread> => {
  if (thread.place.side === 'old') return { ...thread, citedText: '', now: thread.place };
  const citedText = thread.head === null ? '' : await readCited(thread, thread.head, { revisions, limits, signal });
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
  { revisions, limits, signal }: Pick<Following, 'revisions' | 'limits' | 'signal'>,
): Promise<string> => {
  if (!(await revisions.exists(commit, signal))) return '';
  const content = await revisions.readFile({ commit, path: place.path, maxBytes: limits.maxFileBytes }, signal);
  if (content.kind !== 'text') return '';
  return content.text
    .split('\n')
    .slice(place.startLine - 1, place.line)
    .join('\n');
};
