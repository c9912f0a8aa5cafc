import { cutPoint } from '../text/cut.ts';

/** Notes are text in memory, never a file. They survive compaction and an exceeded budget. */

export const MAX_NOTES_CHARACTERS = 50_000;

export const NOTES_HEADINGS = [
  '## Callers',
  '## Tests',
  '## Type Definitions',
  '## Knock-on Effects',
  '## Additional Context',
] as const;

const CUT = '\n\n(The notes were cut here: they are full.)\n';

/** Returns false for empty text and for text with only headings. */
export const hasNotes = (notes: string): boolean => notes.split('\n').some((line) => /^\s*(?!#)\S/.test(line));

export const appendNotes = (notes: string, text: string): string => {
  if (text.trim() === '') return notes;
  const joined = notes === '' ? text.trim() : `${notes}\n\n${text.trim()}`;
  if (joined.length <= MAX_NOTES_CHARACTERS) return joined;
  if (notes.endsWith(CUT)) return notes;
  return joined.slice(0, cutPoint(joined, MAX_NOTES_CHARACTERS - CUT.length)) + CUT;
};

export const notesAreFull = (notes: string): boolean => notes.endsWith(CUT);
