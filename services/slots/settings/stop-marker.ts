import { dropEnd } from '../../../shared/text/drop-end.ts';

/**
 * The word with which an implementer or a fixer reports that no work is left. It counts when it is alone on a line or
 * at the end of the last line. In the middle of a sentence it does not count.
 */
export const DEFAULT_STOP_MARKER = 'no_beads_available';

/** Punctuation and Markdown that people and models put around a word. */
const IN_FRONT = /^[\s>*_`"'#.:;!-]+/;
const BEHIND = /[\s*_`"'.:;!-]/;

const bare = (line: string): string =>
  dropEnd(line.replace(IN_FRONT, ''), (character) => BEHIND.test(character)).toLowerCase();

/** Returns all forms: `no_beads_available` also matches `no beads available`. */
const formsOf = (marker: string): readonly string[] => {
  const word = marker.toLowerCase();
  return word.includes('_') ? [word, word.replaceAll('_', ' ')] : [word];
};

const endsWithWord = (line: string, word: string): boolean =>
  line.endsWith(word) && !/[\p{L}\p{N}_]/u.test(line.at(-word.length - 1) ?? ' ');

/** `said` is the agent's own text, without tool output. Code blocks do not count. */
export const hasStopMarker = (said: string, markers: readonly string[]): boolean => {
  const prose = said.replaceAll(/^(```|~~~)[^\n]*\n[\s\S]*?(?:^\1[^\n]*$|(?![\s\S]))/gm, '');
  const lines = prose
    .split('\n')
    .map(bare)
    .filter((line) => line !== '');
  const last = lines.at(-1) ?? '';
  return markers.some((marker) => {
    const [word = '', ...spoken] = formsOf(marker);
    return [word, ...spoken].some((form) => lines.includes(form)) || endsWithWord(last, word);
  });
};
