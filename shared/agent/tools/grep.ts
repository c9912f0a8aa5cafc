import { z } from 'zod';
import { grep, type GrepMatch, type GrepRequest, type GrepResult } from '../../workspace/tree/grep.ts';
import { visibleLine } from '../../workspace/tree/visible.ts';
import { plainPath } from '../submission/plain-path.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { ToolResult } from '../tool-result.ts';
import { whyNot } from './why-not.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

const MAX_CONTEXT = 10;

const Input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('regex without look-around'),
  path: z.string().max(3000).optional(),
  glob: z.string().max(200).optional().describe('such as src/**/*.py'),
  context: z.int().min(0).max(MAX_CONTEXT).optional(),
  fixed: z.boolean().optional().describe('plain text'),
  ignore_case: z.boolean().optional(),
});

type Line = { readonly path: string; readonly line: number; readonly isMatch: boolean };

/** Matches with the lines around them, each line once, in order. */
const withContext = (matches: readonly GrepMatch[], context: number): readonly Line[] => {
  const lines: Line[] = [];
  const matched = new Set(matches.map(({ path, line }) => `${path}\0${line}`));
  for (const { path, line } of matches) {
    const last = lines.at(-1);
    const first = Math.max(1, line - context, last?.path === path ? last.line + 1 : 1);
    for (let at = first; at <= line + context; at += 1)
      lines.push({ path, line: at, isMatch: matched.has(`${path}\0${at}`) });
  }
  return lines;
};

/** Takes the line from the whole redacted file, because a single line of a secret may not look secret. Null for a binary file. */
const showLine = async (at: Line, files: WorkspaceFiles, signal: AbortSignal): Promise<string | null> => {
  const { path, line, isMatch } = at;
  const file = await files.read(path, signal);
  if (file.kind === 'refused' && file.isBinary === true) return null;
  const found = file.kind === 'lines' ? file.lines[line - 1] : undefined;
  if (found === undefined && !isMatch) return null;
  const text = found === undefined ? '[not shown]' : visibleLine(found, TOOL_LIMITS.grepLineCharacters);
  return isMatch ? `${path}:${line}: ${text}` : `${path}-${line}- ${text}`;
};

/** As in grep, `--` is between lines that do not follow each other. */
const showAll = async (
  lines: readonly Line[],
  { files, context }: { readonly files: WorkspaceFiles; readonly context: number },
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const shown: string[] = [];
  let last: Line | null = null;
  for (const line of lines) {
    const text = await showLine(line, files, signal);
    if (text === null) continue;
    const follows = last === null || (last.path === line.path && last.line === line.line - 1);
    if (context > 0 && !follows) shown.push('--');
    shown.push(text);
    last = line;
  }
  return shown;
};

type Search = { readonly result: GrepResult; readonly note: string | null };

/** Searches for an invalid regular expression as plain text, because that is how models quote code. */
const search = async (files: WorkspaceFiles, request: GrepRequest, signal: AbortSignal): Promise<Search> => {
  const result = await grep(files.tree, request, signal);
  if (result.kind !== 'refused' || result.isPattern !== true) return { result, note: null };
  const plain = await grep(files.tree, { ...request, fixed: true }, signal);
  const isFound = plain.kind === 'matches' && plain.matches.length > 0;
  return isFound ? { result: plain, note: `${result.reason}; searched as plain text` } : { result, note: null };
};

const HINT = 'escape the characters ( ) [ ] { } . * + ? | ^ $ \\, or set fixed';

const isPattern = (path: string): boolean => /[*?{[]/.test(path);

export const createGrepTool = (files: WorkspaceFiles): Tool =>
  defineTool({
    name: 'Grep',
    description: `Searches the files at the head line by line. At most ${TOOL_LIMITS.grepMatches} matches as path:line: text.`,
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    habits: {
      names: {
        '-C': 'context',
        '-A': 'context',
        '-B': 'context',
        '-i': 'ignore_case',
        include: 'glob',
        query: 'pattern',
      },
      numbers: { context: [0, MAX_CONTEXT] },
      flags: ['fixed', 'ignore_case'],
      silent: ['-n'],
    },
    run: async (
      { pattern, path: given = '', glob, context = 0, fixed = false, ignore_case: ignoreCase = false },
      signal,
    ) => {
      const folder = plainPath(given);
      const filter = glob ?? (isPattern(folder) ? folder : undefined);
      const path = glob === undefined && isPattern(folder) ? '' : folder;
      const request = { pattern, path, fixed, ignoreCase, maxMatches: TOOL_LIMITS.grepMatches };
      const asked = { ...request, ...(filter === undefined ? {} : { glob: filter.replace(/^\/+/, '') }) };
      const { result, note } = await search(files, asked, signal);
      if (result.kind === 'refused') return refusal(result, { files, path }, signal);
      const shown = await showAll(withContext(result.matches, context), { files, context }, signal);
      const notes = [note, result.notice].flatMap((text) => (text === null ? [] : [`[${text}]`]));
      return { kind: 'text', text: [...(shown.length === 0 ? ['[no match]'] : shown), ...notes].join('\n') };
    },
  });

type Searched = { readonly files: WorkspaceFiles; readonly path: string };

const refusal = async (
  { reason, isPattern: ofPattern }: GrepResult & { readonly kind: 'refused' },
  { files, path }: Searched,
  signal: AbortSignal,
): Promise<ToolResult> => {
  if (ofPattern === true) return failed(`${reason}; ${HINT}`);
  return failed(path === '' ? reason : await whyNot(files.tree, path, reason, signal));
};
