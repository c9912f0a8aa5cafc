/** Faults of what a reader clicks or copies. */
import { by, type Proof, proved } from '../named-test.ts';

const SETTLE = 'test/services/reviewer/check/settle-claim.test.ts';
const ROUNDS = 'test/shared/rounds/unverified.test.ts';

export const CLICK_ROWS: Readonly<Record<string, Proof>> = {
  'F-B5': proved(
    by(
      SETTLE,
      'three lines were named and one is quoted',
      'as many lines are quoted whole',
      'the text repeats the line below',
      'the draft, and with it ledger and marker, hold the corrected place',
    ),
  ),
  'F-B6': proved(
    by('test/shared/agent/submission/read-submission.test.ts', 'F-B6: a suggestion without its final line feed'),
    by('test/shared/agent/submission/read-submission.test.ts', 'F-B6: a suggestion of a CRLF file'),
    by(SETTLE, 'two lines of a CRLF file'),
  ),
  'F-B7': proved(
    by(
      'test/services/poster/compose.test.ts',
      'where a click applies it: %j',
      'where it is shown: %j',
      'in the words of a finding: %j',
      'and says in words that it is not, where something would act on it',
    ),
    by('test/shared/text/sanitize.test.ts', 'F-B7: leaves the code in %s as it is'),
  ),
  'F-B8': proved(
    by(ROUNDS, 'belongs to the open thread', 'names the thread when it is grave'),
    by('test/services/reviewer/check/suggested-by.test.ts', 'F-B8: knows its own suggestion, applied word for word'),
    by('test/shared/rounds/memory/finding-comment.test.ts', 'F-B8: reads body and suggestion back'),
    by('test/shared/agent/prompt.test.ts', 'F-B8: shows what a thread says and suggests'),
  ),
  'F-C18': proved(by(ROUNDS, 'shows where an open finding is today, and remembers it')),
};
