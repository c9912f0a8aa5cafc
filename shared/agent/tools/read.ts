import { posix } from 'node:path';
import { z } from 'zod';
import { visibleLine } from '../../workspace/tree/visible.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { ShownLines, ToolResult } from '../tool-result.ts';
import { pathsToTry, whyNot } from './why-not.ts';
import type { SafeFile, WorkspaceFiles } from './workspace-files.ts';

const MAX_RANGES = 20;
const MAX_LINE = 10_000_000;

const FIELDS = {
  path: z.string().min(1).max(3000),
  offset: z.int().min(1).max(MAX_LINE).optional(),
  limit: z.int().min(1).max(TOOL_LIMITS.readLines).optional(),
  ranges: z
    .array(z.tuple([z.int().min(1).max(MAX_LINE), z.int().min(1).max(MAX_LINE)]))
    .max(MAX_RANGES)
    .optional()
    .describe('pairs of first and last line'),
};

const HeadInput = z.strictObject(FIELDS);
const Input = z.strictObject({ ...FIELDS, revision: z.enum(['head', 'base']).optional() });
type Input = z.output<typeof Input>;

/** Contract: returns a file as it was before the change. */
export type ReadBase = (path: string, signal: AbortSignal) => Promise<SafeFile>;

/** The rest of the limit is for the fence and the closing remark. */
const MAX_CHARACTERS = TOOL_LIMITS.resultCharacters - 1000;

/** Both inclusive. */
type Range = { readonly first: number; readonly last: number };

const rangesOf = ({ offset = 1, limit = TOOL_LIMITS.readLines, ranges = [] }: Input): readonly Range[] =>
  ranges.length === 0
    ? [{ first: offset, last: offset + limit - 1 }]
    : ranges.map(([one, other]) => ({ first: Math.min(one, other), last: Math.max(one, other) }));

type Room = { readonly lines: number; readonly characters: number };

const takeWindow = (lines: readonly string[], { first, last }: Range, room: Room): readonly string[] => {
  const shown: string[] = [];
  let characters = 0;
  const end = Math.min(last, first + room.lines - 1);
  for (const [index, line] of lines.slice(first - 1, end).entries()) {
    const text = `${first + index}\t${visibleLine(line, TOOL_LIMITS.lineCharacters)}`;
    characters += text.length + 1;
    if (characters > room.characters) break;
    shown.push(text);
  }
  return shown;
};

const isCut = (line: string): boolean => line.length > TOOL_LIMITS.lineCharacters;

/** Ranges of the shown lines that were not cut. */
const wholeLines = (lines: readonly string[], first: number, shown: number): ShownLines['ranges'] => {
  const ranges: ShownLines['ranges'] = [];
  for (const [index, line] of lines.slice(first - 1, first - 1 + shown).entries()) {
    const last = ranges.at(-1);
    const number = first + index;
    if (isCut(line)) continue;
    if (last?.endLine === number - 1) ranges[ranges.length - 1] = { ...last, endLine: number };
    else ranges.push({ startLine: number, endLine: number });
  }
  return ranges;
};

const remark = (lines: number, first: number, shown: number): string => {
  const last = first + shown - 1;
  if (shown === 0) return `[the file has ${lines} lines]`;
  if (last >= lines) return `[end of file, ${lines} ${lines === 1 ? 'line' : 'lines'}]`;
  return `[lines ${first} to ${last} of ${lines}; continue with offset ${last + 1}]`;
};

type Shown = { readonly text: string; readonly ranges: ShownLines['ranges'] };

const showRanges = (lines: readonly string[], ranges: readonly Range[]): Shown => {
  const parts: string[] = [];
  const whole: ShownLines['ranges'] = [];
  let room: Room = { lines: TOOL_LIMITS.readLines, characters: MAX_CHARACTERS };
  for (const range of ranges) {
    const shown = takeWindow(lines, range, room);
    parts.push([...shown, remark(lines.length, range.first, shown.length)].join('\n'));
    whole.push(...wholeLines(lines, range.first, shown.length));
    const characters = shown.reduce((sum, line) => sum + line.length + 1, 0);
    room = { lines: room.lines - shown.length, characters: room.characters - characters };
    if (shown.length < Math.min(range.last, lines.length) - range.first + 1) break;
  }
  return { text: parts.join('\n'), ranges: whole };
};

type Opened = { readonly path: string; readonly lines: readonly string[] } | { readonly reason: string };

const openFirst = async (given: string, read: WorkspaceFiles['read'], signal: AbortSignal): Promise<Opened> => {
  let reason = 'not found';
  for (const path of pathsToTry(given)) {
    const file = await read(path, signal);
    if (file.kind === 'lines') return { path: posix.normalize(path), lines: file.lines };
    reason = file.reason;
    if (reason !== 'not found') break;
  }
  return { reason };
};

const BASE = ' revision base: the file before the change.';

const description = (hasBase: boolean): string =>
  `Reads numbered lines of a text file at the head, at most ${TOOL_LIMITS.readLines} lines and ${TOOL_LIMITS.resultCharacters} characters.${hasBase ? BASE : ''}`;

/** `readBase`: absent if there is no earlier version that could be read. */
export const createReadTool = (files: WorkspaceFiles, readBase?: ReadBase): Tool =>
  defineTool<Input>({
    name: 'Read',
    description: description(readBase !== undefined),
    input: readBase === undefined ? HeadInput : Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    habits: {
      names: { file_path: 'path', file: 'path', start_line: 'offset', line: 'offset', max_lines: 'limit' },
      numbers: { offset: [1, MAX_LINE], limit: [1, TOOL_LIMITS.readLines] },
    },
    run: async (input, signal): Promise<ToolResult> => {
      const isBase = input.revision === 'base' && readBase !== undefined;
      const opened = await openFirst(
        input.path,
        isBase ? readBase : async (path, waiting) => files.read(path, waiting),
        signal,
      );
      if ('reason' in opened) {
        const text = await whyNot(files.tree, input.path, opened.reason, signal);
        return failed(isBase ? `at the base, ${text}` : text);
      }
      const { text, ranges } = showRanges(opened.lines, rangesOf(input));
      return { kind: 'text', text, ...(isBase ? {} : { lines: { path: opened.path, ranges } }) };
    },
  });
