import { z } from 'zod';
import { defineTool, failed, type Tool } from '../tool.ts';
import type { OverlayFiles } from './overlay-files.ts';

const Input = z.strictObject({
  path: z.string().min(1).max(3000).describe('the file, relative to the root of the repository'),
  content: z.string().describe('the whole content of the file'),
});

const MAX_INPUT_CHARACTERS = 200_000;

const USE = 'Replaces the whole content of a file of the change request. For small changes use Edit.';
const ADD = 'Write can also add a new file, next to the files of the change or in a test folder.';

export const createWriteTool = (files: Pick<OverlayFiles, 'replace'>, { mayAdd }: { readonly mayAdd: boolean }): Tool =>
  defineTool({
    name: 'Write',
    description: `${USE} ${mayAdd ? ADD : 'The tool cannot add new files.'}`,
    input: Input,
    maxInputCharacters: MAX_INPUT_CHARACTERS,
    habits: { names: { file_path: 'path', contents: 'content' } },
    run: async ({ path, content }, signal) => {
      const change = await files.replace(path, content, signal);
      return change.kind === 'changed' ? { kind: 'text', text: 'Written.' } : failed(change.reason);
    },
  });
