import { z } from 'zod';
import { defineTool, failed, type Tool } from '../tool.ts';
import type { OverlayFiles } from './overlay-files.ts';

const Input = z.strictObject({
  path: z.string().min(1).max(3000).describe('a file of the change request, relative to the root of the repository'),
  old_text: z.string().min(1).describe('text that occurs exactly once in the file; without line numbers'),
  new_text: z.string().describe('the replacement'),
});

const MAX_INPUT_CHARACTERS = 100_000;

export const createEditTool = (files: Pick<OverlayFiles, 'edit'>): Tool =>
  defineTool({
    name: 'Edit',
    description:
      'Replaces one piece of text in a file of the change request. old_text must occur exactly once: include enough surrounding lines. Grep still searches the original tree; Read shows your changes.',
    input: Input,
    maxInputCharacters: MAX_INPUT_CHARACTERS,
    habits: { names: { file_path: 'path', old_string: 'old_text', new_string: 'new_text' } },
    run: async ({ path, old_text: oldText, new_text: newText }, signal) => {
      const change = await files.edit(path, { oldText, newText }, signal);
      return change.kind === 'changed' ? { kind: 'text', text: 'Changed.' } : failed(change.reason);
    },
  });
