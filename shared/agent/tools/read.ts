import { posix } from 'node:path';
import { z } from 'zod';
import { visibleLine } from '../../workspace/tree/visible.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { ShownLines } from '../tool-result.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

const Input = z.strictObject({
  path: z.string().min(1).max(3000).describe('from the root of the repository'),
  offset: z.int().min(1).optional().describe('first line, from 1'),
  limit: z.int().min(1).max(TOOL_LIMITS.readLines).optional(),
});

/** The rest is for the fence and the closing remark. */
const MAX_CHARACTERS = TOOL_LIMITS.resultCharacters - 1000;

const takeWindow = (lines: readonly string[], first: number, limit: number): readonly string[] => {
  const shown: string[] = [];
  let characters = 0;
  for (const [index, line] of lines.slice(first - 1, first - 1 + limit).entries()) {
    const text = `${first + index}\t${visibleLine(line, TOOL_LIMITS.lineCharacters)}`;
    characters += text.length + 1;
    if (characters > MAX_CHARACTERS) break;
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
  return last < lines ? `\n[lines ${first} to ${last} of ${lines}; continue with offset ${last + 1}]` : '';
};

export const createReadTool = (files: WorkspaceFiles): Tool =>
  defineTool({
    name: 'Read',
    description: `Reads numbered lines of a text file at the head, at most ${TOOL_LIMITS.readLines} lines and ${TOOL_LIMITS.resultCharacters} characters.`,
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    run: async ({ path, offset = 1, limit = TOOL_LIMITS.readLines }, signal) => {
      const file = await files.read(path, signal);
      if (file.kind === 'refused') return failed(file.reason);
      const shown = takeWindow(file.lines, offset, limit);
      const lines = { path: posix.normalize(path), ranges: wholeLines(file.lines, offset, shown.length) };
      return { kind: 'text', text: shown.join('\n') + remark(file.lines.length, offset, shown.length), lines };
    },
  });
