/** Faults of the set-up and of the doctor. */
import { by, type Proof, proved } from '../named-test.ts';

export const SETUP_ROWS: Readonly<Record<string, Proof>> = {
  'F-F16': proved(
    by(
      'test/services/cli/replay-unrecorded.test.ts',
      'F-F16: a run by %s cannot be replayed, and the reason is said',
      'F-F16: a run by the rules is reviewed again where its mirror is',
      'F-F16: what the validations said of a run does not tell its replay apart',
    ),
  ),
};
