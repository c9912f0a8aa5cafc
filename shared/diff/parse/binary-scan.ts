import { advance, failScan, lineEndAt, type Scanner } from './scanner.ts';

const BLOCK_HEAD = /^(?:literal|delta) \d+$/;
/** git writes one block with the new content and one for the reverse patch. */
const MAX_BLOCKS = 2;

/** Contract: `pos` is at the line `GIT binary patch`. */
export const beginBinary = (scanner: Scanner, lineEnd: number): true => {
  advance(scanner, lineEnd);
  scanner.binary = { start: scanner.pos, blocks: 0, inBlock: false };
  scanner.state = 'binary';
  return true;
};

/** Reads one line of the base-85 blocks. Checks the form of the data without decoding it. */
export const stepBinary = (scanner: Scanner): boolean => {
  const { binary } = scanner;
  if (binary === null) return failScan(scanner, 'the binary patch is corrupt');
  if (!binary.inBlock && binary.blocks === MAX_BLOCKS) return endBinary(scanner);
  const lineEnd = lineEndAt(scanner, scanner.pos);
  if (lineEnd === -1) return !binary.inBlock && binary.blocks > 0 ? endBinary(scanner) : false;
  const text = scanner.bytes.toString('latin1', scanner.pos, lineEnd);
  if (!binary.inBlock) return stepBlockHead(scanner, text, lineEnd);
  if (text === '') {
    binary.inBlock = false;
    binary.blocks++;
  } else if (!isDataLine(text)) failScan(scanner, 'the binary patch is corrupt');
  advance(scanner, lineEnd);
  return true;
};

const stepBlockHead = (scanner: Scanner, text: string, lineEnd: number): true => {
  const { binary } = scanner;
  if (binary === null) return failScan(scanner, 'the binary patch is corrupt');
  if (!BLOCK_HEAD.test(text)) {
    return binary.blocks === 0 ? failScan(scanner, 'the binary patch is corrupt') : endBinary(scanner);
  }
  binary.inBlock = true;
  advance(scanner, lineEnd);
  return true;
};

/** The first letter is the number of bytes in the line (A 1 … Z 26, a 27 … z 52); five characters carry four bytes. */
const isDataLine = (text: string): boolean => {
  const code = text.charCodeAt(0);
  const bytes = code >= 97 ? code - 96 + 26 : code - 64;
  return /^[A-Za-z]/.test(text) && text.length === 1 + Math.ceil(bytes / 4) * 5;
};

const endBinary = (scanner: Scanner): true => {
  const { binary, file } = scanner;
  if (binary !== null && file !== null) {
    file.binaryPatch = scanner.bytes.subarray(binary.start, scanner.pos);
  }
  scanner.binary = null;
  scanner.state = 'text';
  return true;
};
