/** Faults of the set-up and of the doctor. */
import { by, type Proof, proved } from '../named-test.ts';

const REDIS = 'test/shared/store/server/redis-safety.test.ts';
const DOCTOR = 'test/services/cli/doctor-forge.test.ts';
const DOCTOR_GITLAB = 'test/services/cli/doctor-gitlab.test.ts';
const OWN_REDIS = 'test/services/cli/redis/own-redis.test.ts';

export const SETUP_ROWS: Readonly<Record<string, Proof>> = {
  'F-F1': proved(
    by('test/deploy/guide/run.test.ts', 'F-F1: %s can be run where it stands'),
    by('test/deploy/readme.test.ts', 'F-F1: start scripts that there are', 'F-F1: are commands that the program has'),
  ),
  'F-F2': proved(
    by(
      OWN_REDIS,
      'F-F2: its address is on disk while it runs, and a configured one goes before it',
      'is found by $name, which without it says that the address is missing',
      'is looked for in one place, and every command that loads an address of Redis does so there',
      'is ended by the next start, which goes on with its data',
      'does not outlive it, and neither does its address',
    ),
    by('test/services/cli/up.test.ts', 'F-F2: nothing outlives one that was killed, and the next one starts at once'),
  ),
  'F-F3': proved(
    by('test/integration/private-network.test.ts', 'carries the forge, git and the model'),
    by('test/shared/network/outgoing.test.ts', 'when %s'),
  ),
  'F-F4': proved(
    by('test/integration/private-network.test.ts', 'carries the forge, git and the model'),
    by('test/shared/store/redis.test.ts', 'F-F4: rejects at once with the reason when nobody trusts the certificate'),
  ),
  'F-F5': proved(by(REDIS, 'F-F5: that is %s is refused in words', 'F-F5: that wants a password, or another one')),
  'F-F6': proved(by('test/shared/config/wrong-types.test.ts', 'at %s is a mistake and never an exception')),
  'F-F8': proved(by('test/services/cli/up.test.ts', 'F-F8: ')),
  'F-F12': proved(by('test/shared/config/text/locate-setting.test.ts', 'is told with file, line and what was given')),
  'F-F17': proved(by('test/services/cli/plain-words.test.ts', '%j is answered in words')),
  'F-R2': proved(
    by(
      DOCTOR,
      'F-R2: a token without the scope for comments',
      'F-R2: a token without the scope for reviews and statuses',
    ),
    by(DOCTOR_GITLAB, 'F-R2: tries what the token may where a GitLab does not tell it (%s)'),
  ),
  'F-R3': proved(
    by(
      DOCTOR,
      'F-R3: a pattern that finds a project without a webhook',
      'F-R3: a pattern for a group that is not there',
    ),
    by(DOCTOR, 'are looked at up to a bound, which is said'),
    by(DOCTOR_GITLAB, 'F-R3: looks at what a pattern finds, and says when it finds nothing'),
  ),
  'F-R4': proved(
    by(DOCTOR, 'F-R4: and sends pushes alone is not one that works'),
    by(DOCTOR_GITLAB, 'F-R4: pushes alone'),
    by('test/services/guard/sweep/sweep-hooks.test.ts', 'a webhook without the events that matter'),
  ),
  'F-R8': proved(by(OWN_REDIS, 'F-R8: its folder is closed to others')),
  'F-R11': proved(by('test/deploy/readme.test.ts', 'F-R11: who may edit the comments of the bot is said')),
  'F-R15': proved(
    by('test/deploy/readme.test.ts', 'F-R15: where `@bot fix` is heard is said alike, and as the code does it'),
  ),
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
