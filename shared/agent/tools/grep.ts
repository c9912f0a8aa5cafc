import { z } from 'zod';
import { grep, type GrepMatch } from '../../workspace/tree/grep.ts';
import { visibleLine } from '../../workspace/tree/visible.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

const Input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('regular expression without look-around'),
  path: z.string().max(3000).optional().describe('folder or file to search'),
  fixed: z.boolean().optional().describe('the pattern is plain text'),
  ignore_case: z.boolean().optional(),
});

/** Takes the line from the whole redacted file, because a single line of a secret may not look secret. Null for a binary file. */
const showMatch = async (match: GrepMatch, files: WorkspaceFiles, signal: AbortSignal): Promise<string | null> => {
  const file = await files.read(match.path, signal);
  if (file.kind === 'refused' && file.isBinary === true) return null;
  const line = file.kind === 'lines' ? file.lines[match.line - 1] : undefined;
  const text = line === undefined ? '[not shown]' : visibleLine(line, TOOL_LIMITS.grepLineCharacters);
  return `${match.path}:${match.line}: ${text}`;
};

const present = (line: string | null): readonly string[] => (line === null ? [] : [line]);

export const createGrepTool = (files: WorkspaceFiles): Tool =>
  defineTool({
    name: 'Grep',
    description: `Searches the files at the head line by line. Returns at most ${TOOL_LIMITS.grepMatches} matches as path:line: text.`,
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    run: async ({ pattern, path = '', fixed = false, ignore_case: ignoreCase = false }, signal) => {
      const request = { pattern, path, fixed, ignoreCase, maxMatches: TOOL_LIMITS.grepMatches };
      const found = await grep(files.tree, request, signal);
      if (found.kind === 'refused') return failed(found.reason);
      const shown: string[] = [];
      for (const match of found.matches) shown.push(...present(await showMatch(match, files, signal)));
      if (found.notice !== null) shown.push(`[${found.notice}]`);
      return { kind: 'text', text: shown.length === 0 ? '[no match]' : shown.join('\n') };
    },
  });
