import type { FileHandle } from 'node:fs/promises';
import { openInside } from './open-inside.ts';
import { visibleLine } from './visible.ts';

export type ReadRequest = {
  /** Relative to the root of the workspace. */
  readonly path: string;
  /** First line, from 1. */
  readonly offset?: number;
  /** At most 2,000. */
  readonly limit?: number;
};

export type ReadResult =
  | {
      readonly kind: 'text';
      /** Each line as `NUMBER TAB TEXT`. */
      readonly text: string;
      readonly firstLine: number;
      /** `firstLine - 1` when there is no line at the offset. */
      readonly lastLine: number;
      /** Why this is not all that was asked for or all there is; null when it is. */
      readonly notice: string | null;
    }
  | { readonly kind: 'refused'; readonly reason: string };

export const MAX_LINES = 2000;
export const MAX_LINE_CHARACTERS = 2000;
const MAX_READ_BYTES = 8 * 1024 * 1024;
const MAX_TEXT_CHARACTERS = 400_000;
const BINARY_WINDOW = 8000;

const readStart = async (handle: FileHandle, bytes: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(Math.min(bytes, MAX_READ_BYTES));
  let have = 0;
  while (have < buffer.length) {
    const { bytesRead } = await handle.read(buffer, have, buffer.length - have, have);
    if (bytesRead === 0) break;
    have += bytesRead;
  }
  return buffer.subarray(0, have);
};

const clamp = (value: number | undefined, fallback: number, max: number): number => {
  if (value === undefined || !Number.isFinite(value)) return fallback;
  return Math.min(Math.max(Math.trunc(value), 1), max);
};

const splitLines = (data: Buffer): readonly string[] => {
  const lines = data.toString('utf8').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};

type Window = { readonly numbered: readonly string[]; readonly full: boolean };

const takeWindow = (lines: readonly string[], first: number, limit: number): Window => {
  const numbered: string[] = [];
  let characters = 0;
  for (const [index, line] of lines.slice(first - 1, first - 1 + limit).entries()) {
    const text = `${first + index}\t${visibleLine(line, MAX_LINE_CHARACTERS)}`;
    characters += text.length + 1;
    if (characters > MAX_TEXT_CHARACTERS) return { numbered, full: true };
    numbered.push(text);
  }
  return { numbered, full: false };
};

const describeCut = (facts: { lastLine: number; lines: number; bytes: number; shown: number }): string | null => {
  const isWhole = facts.bytes <= facts.shown;
  if (isWhole && facts.lastLine >= facts.lines) return null;
  const total = isWhole ? `of ${facts.lines}` : `of a file of ${facts.bytes} bytes, read up to byte ${facts.shown}`;
  return `shown up to line ${facts.lastLine} ${total}; continue with a larger offset`;
};

const render = (data: Buffer, bytes: number, request: ReadRequest): ReadResult => {
  if (data.subarray(0, BINARY_WINDOW).includes(0))
    return { kind: 'refused', reason: `a binary file of ${bytes} bytes` };
  const lines = splitLines(data);
  const firstLine = clamp(request.offset, 1, Number.MAX_SAFE_INTEGER);
  const { numbered } = takeWindow(lines, firstLine, clamp(request.limit, MAX_LINES, MAX_LINES));
  const lastLine = firstLine + numbered.length - 1;
  const notice =
    numbered.length === 0 && firstLine > 1
      ? `the file has ${lines.length} lines${bytes > data.length ? ' within reach' : ''}`
      : describeCut({ lastLine, lines: lines.length, bytes, shown: data.length });
  return { kind: 'text', text: numbered.join('\n'), firstLine, lastLine, notice };
};

/** Reads lines of one regular file of the workspace. Every refusal is a value; what is cut is said. */
export const readLines = async (root: string, request: ReadRequest, signal: AbortSignal): Promise<ReadResult> => {
  signal.throwIfAborted();
  const opened = await openInside(root, request.path);
  if (opened.kind === 'refused') return opened;
  try {
    return render(await readStart(opened.handle, opened.bytes), opened.bytes, request);
  } finally {
    await opened.handle.close();
  }
};
