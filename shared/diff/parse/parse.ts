import type { Diff, DiffFile } from '../model.ts';
import { createScanner, finishScan, type Scanner } from './scanner.ts';
import { scanLines } from './scan-lines.ts';

/**
 * Parses a whole unified diff, as git, GNU diff and friends write it. The result refers to `bytes`: do not change them.
 * Throws `DiffParseError` when the input is damaged; an empty input is a diff without files.
 */
export const parseDiff = (bytes: Uint8Array | string): Diff => {
  const scanner = createScanner(toBuffer(bytes), Number.POSITIVE_INFINITY);
  scanner.final = true;
  scanLines(scanner);
  finishScan(scanner);
  return { files: scanner.out };
};

const toBuffer = (bytes: Uint8Array | string): Buffer =>
  typeof bytes === 'string'
    ? Buffer.from(bytes, 'utf8')
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export type DiffParserOptions = {
  /** Of one file: hunks beyond are counted but not kept, and the file says `complete: false`. Default 32 MiB. */
  readonly maxFileBytes?: number;
};

export type DiffParser = {
  /** Files that became complete. Throws `DiffParseError`; the parser is of no use afterwards. */
  push(chunk: Uint8Array): readonly DiffFile[];
  end(): readonly DiffFile[];
};

const LF = 10;
const DEFAULT_MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Parses in chunks cut anywhere. Memory holds one file at most, and of that at most `maxFileBytes` and a line. */
export const createDiffParser = (options: DiffParserOptions = {}): DiffParser => {
  const scanner = createScanner(Buffer.alloc(0), options.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES);
  return {
    push: (chunk) => {
      appendChunk(scanner, chunk);
      // Without a line end nothing can go on, and looking again through a line of many chunks would take its square.
      if (chunk.includes(LF)) scanLines(scanner);
      return takeFiles(scanner);
    },
    end: () => {
      scanner.final = true;
      scanLines(scanner);
      finishScan(scanner);
      return takeFiles(scanner);
    },
  };
};

const takeFiles = (scanner: Scanner): readonly DiffFile[] => {
  const files = scanner.out;
  scanner.out = [];
  return files;
};

/** Bytes of the open hunk are still needed; those of finished hunks stay alive through the hunks themselves. */
const keepFrom = (scanner: Scanner): number => scanner.hunk?.headerStart ?? scanner.binary?.start ?? scanner.pos;

/** Makes room by doubling, into a new buffer: finished hunks point into the old one. */
const appendChunk = (scanner: Scanner, chunk: Uint8Array): void => {
  const from = keepFrom(scanner);
  const kept = scanner.end - from;
  if (scanner.end + chunk.length > scanner.bytes.length) {
    const grown = Buffer.allocUnsafeSlow(Math.max(kept + chunk.length, kept * 2));
    scanner.bytes.copy(grown, 0, from, scanner.end);
    moveOffsets(scanner, from);
    scanner.bytes = grown;
    scanner.end = kept;
  }
  scanner.bytes.set(chunk, scanner.end);
  scanner.end += chunk.length;
};

const moveOffsets = (scanner: Scanner, by: number): void => {
  scanner.pos -= by;
  if (scanner.hunk !== null) {
    scanner.hunk.headerStart -= by;
    scanner.hunk.bodyStart -= by;
  }
  if (scanner.binary !== null) scanner.binary.start -= by;
};
