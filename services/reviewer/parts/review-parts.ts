/**
 * If a packet does not fit into one prompt, divides it into parts, each of which is reviewed like a separate packet.
 */
import { annotatedBytes, splitFile } from '../../../shared/diff/annotate/split-file.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import type { Packet, PacketThread } from '../packet/packet.ts';
import { filesToShow } from '../packet/show-diff.ts';
import { type PlanFile, planParts } from './plan-parts.ts';
import { importedFiles, testedFiles } from './related-files.ts';

export type ReviewPart = {
  /** From 1, in the order in which the parts are reviewed. */
  readonly number: number;
  /** The files to show: whole files, or pieces of a file that is larger than a part. */
  readonly files: readonly DiffFile[];
  readonly bytes: number;
  readonly changedLines: number;
};

/** Redaction may lengthen a line, so a part is planned a little smaller than what can be shown. */
const SHARE = 0.95;

/** Returns one part, or none, if everything fits into one prompt of `maxBytes`. Depends on the packet only. */
export const partsOf = (packet: Packet, maxBytes: number): readonly ReviewPart[] => {
  const room = Math.floor(maxBytes * SHARE);
  const whole = filesToShow(packet);
  const sized = whole.map((file) => ({ file, bytes: annotatedBytes(file) }));
  if (sized.reduce((sum, { bytes }) => sum + bytes, 0) <= room) return whole.length === 0 ? [] : [onlyPart(sized)];
  const pieces = sized.flatMap(({ file, bytes }) =>
    bytes <= room
      ? [{ file, bytes }]
      : splitFile(file, room).map((piece) => ({ file: piece, bytes: annotatedBytes(piece) })),
  );
  return planParts(planFiles(pieces, packet), room).map(({ files, bytes, changedLines }, index) => ({
    number: index + 1,
    files: files.flatMap((at) => pieces[at]?.file ?? []),
    bytes,
    changedLines,
  }));
};

type Sized = { readonly file: DiffFile; readonly bytes: number };

const linesOf = ({ added, removed }: DiffFile): number => added + removed;

const onlyPart = (sized: readonly Sized[]): ReviewPart => ({
  number: 1,
  files: sized.map(({ file }) => file),
  bytes: sized.reduce((sum, { bytes }) => sum + bytes, 0),
  changedLines: sized.reduce((sum, { file }) => sum + linesOf(file), 0),
});

const planFiles = (pieces: readonly Sized[], { changed, openThreads }: Packet): readonly PlanFile[] => {
  const tests = testedFiles([...new Set(pieces.map(({ file }) => file.newPath))]);
  const imports = importedFiles(changed);
  const urgent = new Set(
    openThreads.flatMap(({ handling, ...thread }) => (handling === 'must' ? [pathOf(thread)] : [])),
  );
  return pieces.map(({ file, bytes }) => {
    const { newPath: path } = file;
    const [tested, imported] = [tests.get(path), imports.get(path)];
    return {
      path,
      bytes,
      changedLines: linesOf(file),
      ...(tested === undefined ? {} : { tests: tested }),
      ...(imported === undefined ? {} : { imports: imported }),
      ...(urgent.has(path) ? { urgent: true } : {}),
    };
  });
};

const pathOf = ({ now, place }: Pick<PacketThread, 'now' | 'place'>): string => (now ?? place).path;

const shows = ({ files }: ReviewPart, path: string): boolean =>
  files.some(({ newPath, oldPath }) => newPath === path || oldPath === path);

/** A thread belongs to the part that shows its file, otherwise to the first part. */
export const partOfThread = (
  thread: Pick<PacketThread, 'now' | 'place'>,
  parts: readonly ReviewPart[],
): ReviewPart | undefined => parts.find((part) => shows(part, pathOf(thread))) ?? parts[0];

/** The packet as the reviewer of one part sees it: with that part's files and threads. */
export const packetOfPart = (packet: Packet, part: ReviewPart, parts: readonly ReviewPart[]): Packet => {
  const paths = new Set(part.files.map(({ newPath }) => newPath));
  const own = (threads: readonly PacketThread[]): readonly PacketThread[] =>
    threads.filter((thread) => partOfThread(thread, parts) === part);
  return {
    ...packet,
    reviewable: packet.reviewable.filter(({ newPath }) => paths.has(newPath)),
    openThreads: own(packet.openThreads),
    closedThreads: own(packet.closedThreads),
    unverified: own(packet.unverified),
    omitted: [],
    excluded: [],
    withheld: new Set(),
  };
};
