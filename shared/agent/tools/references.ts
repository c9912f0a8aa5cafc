import { z } from 'zod';
import { enclosingName } from '../../diff/position/block-name.ts';
import { visibleLine } from '../../workspace/tree/visible.ts';
import { type SymbolUse, whoUses } from '../../workspace/tree/who-uses.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { SafeFile, WorkspaceFiles } from './workspace-files.ts';

const Input = z.strictObject({ symbol: z.string().min(1).max(200).describe('one name, without dots') });

/** Maximum number of lines in each group, which also limits the number of files that are opened. */
const MAX_LINES = 40;

const blockOf = (file: SafeFile, line: number): string | null =>
  file.kind === 'lines' ? enclosingName(file.lines, line) : null;

/** Takes the line from the whole redacted file, because a single line of a secret may not look secret. Null for a binary file. */
const showUse = async (use: SymbolUse, files: WorkspaceFiles, signal: AbortSignal): Promise<string | null> => {
  const { path, line, role } = use;
  const file = await files.read(path, signal);
  if (file.kind === 'refused' && file.isBinary === true) return null;
  const found = file.kind === 'lines' ? file.lines[line - 1] : undefined;
  const text = found === undefined ? '[not shown]' : visibleLine(found.trim(), TOOL_LIMITS.grepLineCharacters);
  const block = role === 'import' ? 'import' : blockOf(file, line);
  return `${path}:${line}${block === null ? '' : ` (${block})`}: ${text}`;
};

const showGroup = async (
  heading: string,
  uses: readonly SymbolUse[],
  { files, signal }: { readonly files: WorkspaceFiles; readonly signal: AbortSignal },
): Promise<readonly string[]> => {
  const shown: string[] = [];
  for (const use of uses.slice(0, MAX_LINES)) {
    const text = await showUse(use, files, signal);
    if (text !== null) shown.push(text);
  }
  const more = uses.length - MAX_LINES;
  const count = shown.length + Math.max(0, more);
  return [`${heading}: ${count === 0 ? 'none' : count}`, ...shown, ...(more > 0 ? [`[${more} more]`] : [])];
};

/**
 * Finds names in the text, not in the syntax. It finds every use that spells the name, but may also show something else
 * with the same name.
 */
export const createReferencesTool = (files: WorkspaceFiles): Tool =>
  defineTool({
    name: 'References',
    description: 'Lists definitions, uses and tests of a name, each with the function around it.',
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    habits: { names: { name: 'symbol', query: 'symbol', identifier: 'symbol' } },
    run: async ({ symbol: given }, signal) => {
      const symbol = given
        .trim()
        .replace(/\(\)$/, '')
        .replace(/^.*(?:\.|::|#|->)/, '');
      const found = await whoUses(files.tree, symbol, signal);
      if (found.kind === 'refused')
        return failed(`${given.slice(0, 200)}: ${found.reason}; give one name, or use Grep`);
      const lines: string[] = [];
      for (const { heading, uses } of found.sections.toSorted(
        (one, other) => ORDER[one.heading] - ORDER[other.heading],
      ))
        lines.push(...(await showGroup(NAMES[heading], uses, { files, signal })));
      if (found.notice !== null) lines.push(`[${found.notice}]`);
      return { kind: 'text', text: lines.join('\n') };
    },
  });

const NAMES = { 'Type Definitions': 'definitions', Callers: 'uses', Tests: 'tests' } as const;
const ORDER = { 'Type Definitions': 0, Callers: 1, Tests: 2 } as const;
