import { beginHunk } from './begin-hunk.ts';
import { startFile } from './file-draft.ts';
import { splitBinaryNames } from './file-names.ts';
import { isNoNewlineMarker, markerFits } from './hunk-scan.ts';
import { advance, closeFile, failScan, headerText, lineEndAt, openFile, type Scanner } from './scanner.ts';
import { stepSubmodule } from './submodule-line.ts';

const AT = 64;
const BLANK = 32;
const PLUS = 43;
const MINUS = 45;
const BACKSLASH = 92;

export const stepText = (scanner: Scanner): boolean => {
  const lineEnd = lineEndAt(scanner, scanner.pos);
  if (lineEnd === -1) return false;
  const first = scanner.bytes[scanner.pos] ?? 0;
  if (first === BACKSLASH && scanner.hunk !== null) return stepMarker(scanner, lineEnd);
  if (first === AT) return stepAt(scanner, lineEnd);
  if (first === MINUS && isPlainHeader(scanner, lineEnd)) return beginPlain(scanner, lineEnd);
  return beginOther(scanner, lineEnd) || skipText(scanner, lineEnd);
};

const stepMarker = (scanner: Scanner, lineEnd: number): true => {
  const { hunk } = scanner;
  const fits = hunk !== null && markerFits({ last: scanner.progress.last, oldLeft: 0, newLeft: 0 });
  if (hunk === null || !fits || !isNoNewlineMarker(scanner.bytes, scanner.pos, lineEnd)) {
    return failScan(scanner, 'misplaced marker');
  }
  scanner.progress.last = BACKSLASH;
  advance(scanner, lineEnd);
  return true;
};

const stepAt = (scanner: Scanner, lineEnd: number): true => {
  if (scanner.file !== null && scanner.file.origin !== 'submodule') return beginHunk(scanner, lineEnd);
  if (/^@@+ -\d/.test(headerText(scanner, scanner.pos, lineEnd))) return failScan(scanner, 'a hunk has no file header');
  return skipText(scanner, lineEnd);
};

/** `--- x` is a header only if `+++ ` and `@@ -` lines follow; otherwise it is text or a removed line that was not counted. */
const isPlainHeader = (scanner: Scanner, lineEnd: number): boolean => {
  if (!startsWith(scanner, scanner.pos, '--- ') || !startsWith(scanner, lineEnd + 1, '+++ ')) return false;
  return startsWith(scanner, lineEndAt(scanner, lineEnd + 1) + 1, '@@ -');
};

const startsWith = (scanner: Scanner, at: number, text: string): boolean =>
  scanner.bytes.toString('latin1', at, at + text.length) === text;

const beginPlain = (scanner: Scanner, lineEnd: number): true => {
  const minus = headerText(scanner, scanner.pos, lineEnd).slice(4);
  const file = startFile('plain', minus, scanner.line);
  openFile(scanner, file);
  file.minus = minus;
  advance(scanner, lineEnd);
  const plusEnd = lineEndAt(scanner, scanner.pos);
  file.plus = headerText(scanner, scanner.pos, plusEnd).slice(4);
  advance(scanner, plusEnd);
  return beginHunk(scanner, lineEndAt(scanner, scanner.pos));
};

const GIT_HEADERS = [
  ['diff --git ', 'git'],
  ['diff --cc ', 'combined'],
  ['diff --combined ', 'combined'],
] as const;

const beginOther = (scanner: Scanner, lineEnd: number): boolean => {
  const first = String.fromCharCode(scanner.bytes[scanner.pos] ?? 0);
  if (!'dSB'.includes(first)) return false;
  const text = headerText(scanner, scanner.pos, lineEnd);
  for (const [prefix, origin] of GIT_HEADERS) {
    if (!text.startsWith(prefix)) continue;
    openFile(scanner, startFile(origin, text.slice(prefix.length), scanner.line));
    scanner.state = 'header';
    advance(scanner, lineEnd);
    return true;
  }
  return stepSubmodule(scanner, text, lineEnd) || beginBareBinary(scanner, text, lineEnd);
};

/** GNU diff reports differing binary files in one line without a header. */
const beginBareBinary = (scanner: Scanner, text: string, lineEnd: number): boolean => {
  const pair = splitBinaryNames(text);
  if (pair === null) return false;
  const file = startFile('plain', pair.new, scanner.line);
  openFile(scanner, file);
  file.minus = pair.old;
  file.plus = pair.new;
  file.binary = true;
  advance(scanner, lineEnd);
  closeFile(scanner);
  return true;
};

const SIGNATURE = /^-- ?$/;

/** Ignores text between files. Fails if the text can only be lines that the hunk header did not count. */
const skipText = (scanner: Scanner, lineEnd: number): true => {
  const first = scanner.bytes[scanner.pos] ?? 0;
  const looksCounted = first === BLANK || first === PLUS || first === MINUS;
  if (scanner.hunk !== null && looksCounted && !SIGNATURE.test(headerText(scanner, scanner.pos, lineEnd))) {
    return failScan(scanner, 'a hunk has more lines than its header says');
  }
  closeFile(scanner);
  scanner.sawText ||= lineEnd > scanner.pos;
  advance(scanner, lineEnd);
  return true;
};
