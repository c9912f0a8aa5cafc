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
  'F-R9': proved(
    by('test/shared/forge/conformance-posting.ts', 'F-R9: reacts, and reacting again is no failure'),
    by('test/sim-tests/as-the-real-forges.test.ts', 'F-R9: answers a second equal reaction with 500 and a page'),
    by(
      'test/services/poster/acknowledge-reactions.test.ts',
      'F-R9: writes the pending status whatever the reaction does',
      'F-R9: reacts to the other comments when one is gone',
    ),
  ),
  'F-R13': proved(
    by(
      'test/integration/requests-per-round.test.ts',
      'F-R13: asks at most so often in a round, beside what it writes comment by comment',
    ),
    by(
      'test/services/guard/one-reading.test.ts',
      'F-R13: looks once at its own change request, and anew at every other',
      'F-R13: does not look at all where the poster has just looked',
    ),
    by('test/shared/store/readings.test.ts', 'F-R13: is taken once', 'F-R13: is gone once the poster begins to write'),
  ),
  'F-R14': proved(by('test/shared/rounds/decide.test.ts', 'F-R14: hears at once of %s')),
  'F-F19': proved(
    by(
      'test/shared/protocol/escalations.test.ts',
      'F-F19: takes the escalation %s',
      'F-F19: refuses the escalation %s, and names those that it knows',
    ),
  ),
};
