import { beginHunk } from './begin-hunk.ts';
import { beginBinary, stepBinary } from './binary-scan.ts';
import { scanCombinedHunk } from './combined-scan.ts';
import { readHeaderLine } from './header-line.ts';
import { scanHunk } from './hunk-scan.ts';
import { advance, failScan, headerText, lineEndAt, type Scanner } from './scanner.ts';
import { stepText } from './text-scan.ts';

const AT = 64;

export const scanLines = (scanner: Scanner): void => {
  let goes = true;
  while (goes) goes = step(scanner);
};

/** Reads one line. Returns false at the end of the input. */
const step = (scanner: Scanner): boolean => {
  switch (scanner.state) {
    case 'text':
      return stepText(scanner);
    case 'header':
      return stepHeader(scanner);
    case 'hunk':
      return stepHunk(scanner);
    case 'binary':
      return stepBinary(scanner);
    default:
      return scanner.state satisfies never;
  }
};

/** Matches lines that end with a name. If the input was cut inside the name, such a line still looks valid. */
const CARRIES_NAME = /^(?:--- |\+\+\+ |rename |copy )/;

const stepHeader = (scanner: Scanner): boolean => {
  const lineEnd = lineEndAt(scanner, scanner.pos);
  if (lineEnd === -1) return false;
  if (scanner.bytes[scanner.pos] === AT) return beginHunk(scanner, lineEnd);
  const text = headerText(scanner, scanner.pos, lineEnd);
  const file = scanner.file;
  if (file === null) return failScan(scanner, 'a header line belongs to no file');
  const outcome = readHeaderLine(file, text);
  if (typeof outcome === 'object') return failScan(scanner, outcome.problem);
  if (outcome === 'other') return leaveHeader(scanner, text, lineEnd);
  if (lineEnd === scanner.bytes.length && CARRIES_NAME.test(text))
    return failScan(scanner, 'the input ends inside a file header');
  advance(scanner, lineEnd);
  return true;
};

const leaveHeader = (scanner: Scanner, text: string, lineEnd: number): true => {
  if (text === 'GIT binary patch' && scanner.file !== null) {
    scanner.file.binary = true;
    return beginBinary(scanner, lineEnd);
  }
  scanner.state = 'text';
  return true;
};

const stepHunk = (scanner: Scanner): boolean => {
  const { bytes, progress, parentsLeft } = scanner;
  progress.pos = scanner.pos;
  const outcome =
    parentsLeft === null ? scanHunk(bytes, progress) : scanCombinedHunk({ bytes, due: parentsLeft, progress });
  scanner.pos = progress.pos;
  scanner.line += progress.rows;
  switch (outcome) {
    case 'done':
      scanner.state = 'text';
      return true;
    case 'cut_off':
      return failScan(scanner, 'the input ends inside a hunk');
    case 'bad_line':
      return failScan(scanner, 'a hunk has fewer lines than its header says');
    case 'too_many':
      return failScan(scanner, 'the lines of a hunk do not add up to its header');
    case 'bad_marker':
      return failScan(scanner, 'misplaced marker');
    default:
      return outcome satisfies never;
  }
};
