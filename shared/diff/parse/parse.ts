import type { Diff } from '../model.ts';
import { createScanner, finishScan } from './scanner.ts';
import { scanLines } from './scan-lines.ts';

/** The result refers to `bytes`, which must not change. An empty input is a diff without files. @throws `DiffParseError`. */
export const parseDiff = (bytes: Uint8Array | string): Diff => {
  const scanner = createScanner(toBuffer(bytes));
  scanLines(scanner);
  finishScan(scanner);
  return { files: scanner.out };
};

const toBuffer = (bytes: Uint8Array | string): Buffer =>
  typeof bytes === 'string'
    ? Buffer.from(bytes, 'utf8')
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
