import { describe, expect, it } from 'vitest';
import { DEFAULT_STOP_MARKER, hasStopMarker } from '../../../../services/slots/settings/stop-marker.ts';

const has = (said: string): boolean => hasStopMarker(said, [DEFAULT_STOP_MARKER]);

describe('the stop marker', () => {
  it.each([
    ['alone', 'no_beads_available'],
    ['on a line of its own', 'I asked bd.\nno_beads_available\nGood bye.'],
    ['decorated', '**`no_beads_available`**'],
    ['as a quotation and with a full stop', '> "no_beads_available".'],
    ['as the last word', 'Nothing is left to do: no_beads_available'],
    ['in other case', 'NO_BEADS_AVAILABLE'],
    ['in natural language', 'No beads available.'],
  ])('counts %s', (_, said) => {
    expect(has(said)).toBe(true);
  });

  it.each([
    ['in the middle of a sentence', 'I shall say no_beads_available when I am done with the rest.'],
    ['as part of a longer word', 'the flag is is_no_beads_available'],
    ['as the beginning of one', 'no_beads_available_yet'],
    ['in a code block', 'The prompt says:\n```\nno_beads_available\n```\nso I go on.'],
    ['in a code block that is never closed', 'The prompt says:\n```\nno_beads_available\n'],
    ['in natural language inside a sentence', 'There are no beads available errors in the log, I fixed them.'],
    ['not at all', 'Done.'],
    ['in nothing', ''],
  ])('does not count %s', (_, said) => {
    expect(has(said)).toBe(false);
  });

  it('may be another word, and several', () => {
    expect(hasStopMarker('ALL-DONE', ['no_beads_available', 'all-done'])).toBe(true);
    expect(hasStopMarker('no_beads_available', ['all-done'])).toBe(false);
    expect(hasStopMarker('all done', [])).toBe(false);
  });
});
