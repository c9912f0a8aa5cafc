/** Faults that block a change request, or stay silent, without cause. */
import { by, type Proof, proved } from '../named-test.ts';

const SETTLE = 'test/services/reviewer/settle-claim.test.ts';
const ROUNDS = 'test/shared/rounds/unverified.test.ts';

export const STUCK_ROWS: Readonly<Record<string, Proof>> = {
  'F-C7': proved(
    by(
      SETTLE,
      'F-C7: the relation follows from the diff',
      'a caller that quotes the changed line',
      'a caller that quotes itself alone',
      'a caller that quotes seven characters of the change',
    ),
  ),
  'F-C9': proved(by(SETTLE, 'a bracket on its line', 'a blank line', 'a bracket on another line')),
  'F-C10': proved(
    by(SETTLE, 'with the number of the annotated diff', 'with the number of Read', 'in a fence', 'on a path with b/'),
    by(SETTLE, 'the text and the nearest line', 'the file that may be meant'),
    by('test/shared/agent/read-submission.test.ts', 'F-C10: a severity in small letters', 'F-C10: a path from here'),
    by('test/shared/agent/submit-review.test.ts', 'F-C10: names which %s has what fault'),
  ),
  'F-R5': proved(
    by(ROUNDS, 'are one comment for each episode, edited for each head that comes', 'are not edited twice for one head'),
    by(ROUNDS, 'are a new comment once another review was completed'),
    by('test/shared/rounds/explore.test.ts', 'and one call of a human'),
  ),
  'F-R7': proved(
    by(ROUNDS, 'opens no thread, and is open again in the table and among the deferred', 'stays open until its lines change'),
  ),
  'F-W5': proved(by('test/shared/agent/read-submission.test.ts', 'F-W5: a P2 without a word on blocking as not blocking')),
};
