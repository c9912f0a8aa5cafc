/** Faults of the set-up and of the doctor. */
import { by, type Proof, proved } from '../named-test.ts';

const REDIS = 'test/shared/store/redis-safety.test.ts';
const OWN_REDIS = 'test/services/cli/own-redis.test.ts';

export const SETUP_ROWS: Readonly<Record<string, Proof>> = {
  'F-F2': proved(by(OWN_REDIS, 'F-F2: its address is on disk while it runs, and a configured one goes before it')),
  'F-F5': proved(by(REDIS, 'F-F5: that is %s is refused in words', 'F-F5: that wants a password, or another one')),
  'F-F6': proved(by('test/shared/config/wrong-types.test.ts', 'at %s is a mistake and never an exception')),
  'F-F8': proved(by('test/services/cli/up.test.ts', 'F-F8: ')),
  'F-F12': proved(by('test/shared/config/locate-setting.test.ts', 'is told with file, line and what was given')),
  'F-F17': proved(by('test/services/cli/plain-words.test.ts', '%j is answered in words')),
  'F-R8': proved(by(OWN_REDIS, 'F-R8: its folder is closed to others')),
  'F-R10': proved(by('test/shared/queue/words-for.test.ts', 'F-R10: a job that is gone is named as such (code %i)')),
  'F-F16': proved(
    by(
      'test/services/cli/replay-unrecorded.test.ts',
      'F-F16: a run by %s cannot be replayed, and the reason is said',
      'F-F16: a run by the rules is reviewed again where its mirror is',
      'F-F16: what the validations said of a run does not tell its replay apart',
    ),
  ),
};
