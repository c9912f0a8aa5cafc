/** Faults that hostile input triggers. */
import { by, proved, type Proof } from '../named-test.ts';

export const HOSTILE_ROWS: Readonly<Record<string, Proof>> = {
  'F-E1': proved(
    by('test/acceptance/strangers-comment.test.ts', 'F-E1: comments of 60 KB made of openers do not hold up'),
    by('test/shared/rounds/own-words.test.ts', 'F-E1: 64 KB of %j take no longer than two seconds'),
  ),
};
