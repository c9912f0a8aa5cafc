/** What a stranger writes must cost no parser more than its length. `npm run bench -- linear` measures the ratios. */
import { describe, expect, it } from 'vitest';
import { PIECES, repeated } from '../support/adversarial-texts.ts';
import { LINEAR_SUBJECTS } from '../support/linear-subjects.ts';

const CHARACTERS = 64 * 1024;
/** Generous: most take some milliseconds. What takes the square of its text takes minutes. */
const MOST_SECONDS = 2;

const IS_DEEP = process.env['FIXPOINT_DEEP'] === '1';

const secondsOf = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};

describe.each(LINEAR_SUBJECTS.map((subject, index) => ({ ...subject, index })))('$name', ({ read, index }) => {
  // Each parser gets other pieces in the usual run, so that together they get all.
  const pieces = PIECES.filter((_piece, at) => IS_DEEP || at % 20 === index % 20);

  it('F-E1: takes no longer than two seconds for 64 KB of any piece', () => {
    const slow = pieces.filter((piece) => secondsOf(() => read(repeated(piece, CHARACTERS))) >= MOST_SECONDS);
    expect(slow).toEqual([]);
  });
});
