import { z } from 'zod';
import { NOTES_HEADINGS, MAX_NOTES_CHARACTERS } from '../notes.ts';
import { WRITE_NOTES } from '../build-request.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';

const Input = z.strictObject({ text: z.string().describe('Markdown; appended to the notes') });

export const createWriteNotesTool = (): Tool =>
  defineTool({
    name: WRITE_NOTES,
    description: `Adds to your notes what you will need later: older parts of the conversation may be removed; notes are kept. Headings: ${NOTES_HEADINGS.join(', ')}. At most ${MAX_NOTES_CHARACTERS} characters in all.`,
    input: Input,
    maxInputCharacters: TOOL_LIMITS.noteCharacters + 1000,
    habits: { names: { notes: 'text', content: 'text' } },
    run: async ({ text }) => (text.trim() === '' ? failed('the note is empty') : { kind: 'noted', text }),
  });
