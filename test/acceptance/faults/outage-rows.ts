/** Faults under outages and races. */
import { by, type Proof, proved } from '../named-test.ts';

export const OUTAGE_ROWS: Readonly<Record<string, Proof>> = {
  'F-D1': proved(
    by(
      'test/shared/agent/connection-errors.test.ts',
      'F-D1: a certificate refused with %s was sent nothing, and trying again does not help',
    ),
    by('test/shared/agent/connection-errors.test.ts', 'F-D1: %s was not sent, and is an outage'),
    by(
      'test/shared/agent/run-budgets.test.ts',
      'F-D1: settle what a stopped call cost, and hand on the reason of its caller',
    ),
  ),
  'F-D2': proved(
    by(
      'test/shared/agent/anthropic.test.ts',
      'F-D2: that breaks with an overload event costs its input and what was streamed',
    ),
    by('test/shared/agent/run-budgets.test.ts', 'F-D2: count %s of a call that failed so'),
  ),
  'F-E8': proved(
    by(
      'test/integration/expiry.test.ts',
      'F-E8: every key expires, but for a short list that does not grow with change requests',
    ),
  ),
  'F-E7': proved(
    by('test/shared/rounds/bound-waits.test.ts', 'is cut to its own setting, and guard comes back at its end'),
    by('test/shared/store/steady-clock.test.ts', 'does not notice that the clock of its machine jumps by %i ms'),
    by('test/shared/workspace/file-lock.test.ts', 'F-E7: is not misled by a lock that a clock %i s apart has stamped'),
  ),
};
