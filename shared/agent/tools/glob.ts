import { z } from 'zod';
import { glob } from '../../workspace/tree/glob.ts';
import type { Tree } from '../../workspace/tree/tree.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { plainPath } from '../submission/plain-path.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import { whyNot } from './why-not.ts';

const Input = z.strictObject({
  pattern: z.string().min(1).max(200).describe('such as *.ts, src/**/user*.py or {a,b}/*.go'),
  path: z.string().max(3000).optional(),
});

export const createGlobTool = (tree: Tree): Tool =>
  defineTool({
    name: 'Glob',
    description: `Lists at most ${TOOL_LIMITS.globFiles} files that match; a pattern without a slash matches names at any depth.`,
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    habits: { names: { query: 'pattern', glob: 'pattern', folder: 'path' } },
    run: async ({ pattern: given, path: folder = '' }, signal) => {
      const [pattern, path] = [given.replace(/^\/+/, ''), plainPath(folder)];
      const found = await glob(tree, { pattern, path, maxFiles: TOOL_LIMITS.globFiles }, signal);
      if (found.kind === 'refused')
        return failed(await whyNot(tree, path === '' ? pattern : path, found.reason, signal));
      const files = found.files.length === 0 ? '[no file matches]' : found.files.join('\n');
      return { kind: 'text', text: files + (found.notice === null ? '' : `\n[${found.notice}]`) };
    },
  });
