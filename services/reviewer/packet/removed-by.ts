/** Finds the commits that last touched the lines that a change removes: their subjects often say why the lines were there. */
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile, Hunk } from '../../../shared/diff/model.ts';
import { isCodeLine } from '../../../shared/diff/code-line.ts';
import { AppError } from '../../../shared/errors.ts';
import type { BlamedLine, BlameRange } from '../../../shared/workspace/git/blame.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import type { Packet } from './packet.ts';

const MAX_HUNKS = 12;
const MAX_FILES = 6;
const MAX_PER_HUNK = 2;
const MAX_SUBJECT = 120;
const TIMEOUT_MS = 3_000;

type Removal = { readonly file: DiffFile; readonly ranges: readonly BlameRange[] };

/** The range from the first to the last removed line; empty if the hunk removes only blank lines or comments. */
const rangeOf = (hunk: Hunk): readonly BlameRange[] => {
  const removed = hunkLines(hunk).filter(({ kind }) => kind === 'removed');
  const numbers = removed.flatMap(({ oldLine }) => (oldLine === null ? [] : [oldLine]));
  const [startLine, line] = [numbers[0], numbers.at(-1)];
  if (startLine === undefined || line === undefined || !removed.some(({ text }) => isCodeLine(text))) return [];
  return [{ startLine, line }];
};

/** In a later review, only hunks that changed since the last one. */
const hunksOf = (file: DiffFile, { delta }: Pick<Packet, 'delta'>): readonly Hunk[] => {
  const known = delta?.files.find((each) => each.file === file);
  if (known === undefined) return file.hunks;
  return known.hunks.flatMap(({ hunk, state }) => (state === 'unchanged' ? [] : [hunk]));
};

const removalsOf = (packet: Pick<Packet, 'reviewable' | 'delta'>): readonly Removal[] => {
  const removals: Removal[] = [];
  let left = MAX_HUNKS;
  for (const file of packet.reviewable) {
    if (removals.length >= MAX_FILES || left === 0) break;
    if (file.parents !== 1 || file.status === 'added' || file.status === 'copied') continue;
    const ranges = hunksOf(file, packet).flatMap(rangeOf).slice(0, left);
    left -= ranges.length;
    if (ranges.length > 0) removals.push({ file, ranges });
  }
  return removals;
};

const cutSubject = (subject: string): string =>
  subject.length <= MAX_SUBJECT ? subject : `${subject.slice(0, MAX_SUBJECT - 1)}…`;

/** The commits of one hunk, ordered by their number of lines, most first. */
const commitsIn = (blamed: readonly BlamedLine[], { startLine, line }: BlameRange): readonly string[] => {
  const counts = new Map<string, number>();
  for (const { line: at, sha, subject, boundary } of blamed) {
    if (at < startLine || at > line || boundary || subject === '') continue;
    const name = `${sha.slice(0, 10)} ${cutSubject(subject)}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].toSorted(([, one], [, other]) => other - one).map(([name]) => name);
  return names.slice(0, MAX_PER_HUNK);
};

const linesOf = ({ file, ranges }: Removal, blamed: readonly BlamedLine[]): readonly string[] =>
  ranges.flatMap((range) => {
    const { startLine, line } = range;
    const place = `${file.oldPath}:${startLine === line ? line : `${startLine}-${line}`}`;
    return commitsIn(blamed, range).map((commit) => `${place} ${commit}`);
  });

/**
 * `path:lines commit subject`, for at most 12 hunks of 6 files and within 3 s in all. Anything that git does not answer in
 * that time is omitted, because a review does not depend on it.
 */
export const removedBy = async (
  packet: Pick<Packet, 'reviewable' | 'delta' | 'base'>,
  revisions: Pick<Revisions, 'blame'>,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const { base } = packet;
  if (base === null) return [];
  const endsAtMs = performance.now() + TIMEOUT_MS;
  const found: string[] = [];
  for (const removal of removalsOf(packet)) {
    const timeoutMs = Math.floor(endsAtMs - performance.now());
    if (timeoutMs <= 0) break;
    const { file, ranges } = removal;
    try {
      found.push(
        ...linesOf(removal, await revisions.blame({ commit: base, path: file.oldPath, ranges, timeoutMs }, signal)),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
    }
  }
  return found;
};
