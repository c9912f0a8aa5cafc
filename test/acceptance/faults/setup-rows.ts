/** Faults of the set-up and of the doctor. */
import { by, type Proof, proved } from '../named-test.ts';

export const SETUP_ROWS: Readonly<Record<string, Proof>> = {
  'F-R10': proved(by('test/shared/queue/words-for.test.ts', 'F-R10: a job that is gone is named as such (code %i)')),
};
