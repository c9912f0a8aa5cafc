/** Faults that block a change request, or stay silent, without cause. */
import { by, proved, type Proof } from '../named-test.ts';

export const STUCK_ROWS: Readonly<Record<string, Proof>> = {
  'F-C4': proved(
    by('test/shared/diff/glob-names.test.ts', 'F-C4: the pattern %j means the name %j: %s'),
    by('test/shared/rounds/decide.test.ts', 'F-C4: reviews what a pattern lets pass: %s'),
    by('test/shared/config/load.test.ts', 'F-C4: an unclosed brace', 'F-C4: a full ref', 'F-C4: all paths excluded'),
  ),
  'F-C8': proved(by('test/shared/webhooks/parse-gitlab.test.ts', 'F-C8: a draft title that is gone')),
  'F-C13': proved(
    by('test/services/ingress/in-flight.test.ts', 'F-C13: of a GitLab whose token fits is ignored with 200'),
  ),
  'F-C16': proved(
    by('test/shared/rounds/decide.test.ts', 'F-C16: a request by the button of one who may not command ends no pause'),
  ),
  'F-C17': proved(
    by(
      'test/services/reviewer/guidelines.test.ts',
      'F-C17: whose head has %s is not used, and is named with the reason',
    ),
    by('test/services/reviewer/repository-settings.test.ts', 'F-C17: a rule of the target branch that cannot be used'),
  ),
  'F-R6': proved(by('test/services/guard/facts.test.ts', 'F-R6: a command %s is answered there')),
  'F-R14': proved(by('test/shared/rounds/decide.test.ts', 'F-R14: hears at once of %s')),
  'F-F18': proved(
    by(
      'test/services/guard/author-words.test.ts',
      'tells the reviewer what was changed, and nothing else',
      'tells the reviewer of the work that it follows, or that the packet did not come along',
      '%s counts or does not',
    ),
    by(
      'test/services/ingress/judge-message.test.ts',
      'F-F18: a request brings the hand-off packet that it names along',
    ),
    by('test/shared/rounds/verdict.test.ts', 'F-F18: is remembered as one that a budget ended'),
    by('test/shared/rounds/decide-messages.test.ts', 'F-F18: that a budget of the reviewer was used up'),
    by('test/services/guard/tell-author.test.ts', 'F-F18: where %s, the author hears that'),
    by(
      'test/shared/protocol/history-messages.test.ts',
      'F-F18: a reviewer that ran out of its budget in round %i of 3 says so',
    ),
  ),
  'F-F19': proved(
    by(
      'test/shared/protocol/escalations.test.ts',
      'F-F19: takes the escalation %s',
      'F-F19: refuses the escalation %s, and names those that it knows',
    ),
  ),
};
