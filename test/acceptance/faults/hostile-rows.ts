/** Faults that hostile input triggers. */
import { by, proved, type Proof } from '../named-test.ts';

export const HOSTILE_ROWS: Readonly<Record<string, Proof>> = {
  'F-E1': proved(
    by(
      'test/acceptance/strangers-comment.test.ts',
      'F-E1: comments of 60 KB made of openers in one project do not hold up',
    ),
    by('test/shared/rounds/commands/strip-quoted-text.test.ts', 'F-E1: 64 KB of %j take no longer than two seconds'),
    by(
      'test/acceptance/linear.test.ts',
      'F-E1: takes no longer than two seconds for 64 KB of any text',
      'F-E1: %s takes no longer than its length',
    ),
  ),
  'F-E2': proved(
    by(
      'test/services/ingress/in-flight.test.ts',
      'F-E2: is cut off after ten seconds, whatever it leaves out',
      'F-E2: get 503 and a time to wait past the limit of bytes, the largest first',
      'F-E2: past the limit of connections a request gets 503',
    ),
  ),
  'F-E9': proved(
    by(
      'test/shared/rounds/decide/decide.test.ts',
      'F-E9: a request by the button reviews %s only for one who may command',
    ),
    by('test/acceptance/heard-stories.test.ts', 'F-E9: is not reviewed because its author, who may not write'),
    by('test/services/guard/facts.test.ts', 'F-E9: with the permission %s the button pressed for %s counts'),
  ),
  'F-E10': proved(
    by('test/shared/text/references.test.ts', 'F-E10: to %s does nothing and can be read'),
    by('test/acceptance/references-story.test.ts', 'F-E10: no reference that a model writes does anything on GitLab'),
  ),
};
