/**
 * Decides whether bytes are text. For git, one NUL byte makes a file binary, but interpreters run such a file, and
 * PowerShell scripts are often UTF-16. So this module checks the bytes itself. Without a binary extension, a file is
 * text.
 */
import { hasBinaryName } from './binary-names.ts';

export type TextReading =
  /** `plain`: git shows the same lines as this text. */
  | { readonly kind: 'text'; readonly text: string; readonly plain: boolean }
  | { readonly kind: 'binary' }
  /** The file is text according to its name or content, but its encoding is unknown. */
  | { readonly kind: 'undecodable'; readonly reason: string };

/** As in git, a file is binary if its first 8,000 bytes contain a NUL. */
export const BINARY_WINDOW = 8000;
export const isBinaryToGit = (data: Buffer): boolean => data.subarray(0, BINARY_WINDOW).includes(0);

/** Maximum fractions of all bytes or characters. */
const MAX_NULS = 0.2;
const MAX_ODD = 0.3;
const MAX_ODD_WITHOUT_NAME = 0.1;

const UTF16_LE = [0xff, 0xfe];
const UTF16_BE = [0xfe, 0xff];

const startsWith = (data: Buffer, bytes: readonly number[]): boolean => bytes.every((byte, at) => data[at] === byte);

/** `isKnownText`: returns true for a name of a programming language or text format. */
export const readText = (path: string, data: Buffer, isKnownText: (path: string) => boolean): TextReading => {
  const binaryName = hasBinaryName(path) && !isKnownText(path) && !looksLikeScript(data);
  if (!binaryName && (startsWith(data, UTF16_LE) || startsWith(data, UTF16_BE))) return readUtf16(data);
  const odd = oddShare(data.toString('utf8'));
  if (!data.includes(0)) return readPlain(data, { odd, binaryName });
  if (binaryName) return { kind: 'binary' };
  const nuls = countNuls(data) / data.length;
  if (!isKnownText(path) && !looksLikeScript(data) && (nuls > MAX_NULS || odd > MAX_ODD_WITHOUT_NAME))
    return { kind: 'binary' };
  if (nuls > MAX_NULS) return { kind: 'undecodable', reason: 'its encoding is unknown: many of its bytes are NUL' };
  if (odd > MAX_ODD) return undecodable;
  // Shells drop NUL bytes, and other languages allow them only in comments, if at all. So the remaining bytes are the
  // code that runs.
  return { kind: 'text', text: data.toString('utf8').replaceAll('\0', ''), plain: !isBinaryToGit(data) };
};

const undecodable: TextReading = { kind: 'undecodable', reason: 'its encoding is unknown' };

const readPlain = (data: Buffer, { odd, binaryName }: { odd: number; binaryName: boolean }): TextReading => {
  if (odd > MAX_ODD) return binaryName ? { kind: 'binary' } : undecodable;
  return { kind: 'text', text: data.toString('utf8'), plain: true };
};

const readUtf16 = (data: Buffer): TextReading => {
  const body = data.subarray(2);
  if (body.length % 2 !== 0) return { kind: 'undecodable', reason: 'it begins like UTF-16 but is not valid UTF-16' };
  const text = new TextDecoder(startsWith(data, UTF16_LE) ? 'utf-16le' : 'utf-16be').decode(body);
  // UTF-32 starts with the same bytes, but decoded as UTF-16 it is full of NULs.
  const nuls = text.split('\0').length - 1;
  if (nuls > text.length * MAX_NULS || oddShare(text) > MAX_ODD_WITHOUT_NAME) return undecodable;
  return { kind: 'text', text: text.replaceAll('\0', ''), plain: false };
};

const countNuls = (data: Buffer): number => {
  let count = 0;
  for (let at = data.indexOf(0); at !== -1; at = data.indexOf(0, at + 1)) count += 1;
  return count;
};

const REPLACEMENT = 0xfffd;
/** Fewer unusual characters than this are ignored, for example a Latin-1 name in a short file. */
const FEW_ODD = 16;
/** Control characters that occur in sources; NUL is counted separately. */
const USUAL_CONTROLS: ReadonlySet<number> = new Set([0, 9, 10, 11, 12, 13, 27]);

/** Returns the fraction of replacement characters and of control characters that do not occur in text. */
const oddShare = (text: string): number => {
  let odd = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === REPLACEMENT || ((code < 32 || code === 127) && !USUAL_CONTROLS.has(code))) odd += 1;
  }
  return odd < FEW_ODD ? 0 : odd / text.length;
};

const looksLikeScript = (data: Buffer): boolean =>
  /^(?:\uFEFF)?(?:#!|<\?php|<script)/i.test(data.toString('utf8', 0, 64));
