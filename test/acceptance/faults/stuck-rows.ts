/** Faults that block a change request, or stay silent, without cause. */
import { by, type Proof, proved } from '../named-test.ts';

export const STUCK_ROWS: Readonly<Record<string, Proof>> = {
  'F-F19': proved(
    by(
      'test/shared/protocol/escalations.test.ts',
      'F-F19: takes the escalation %s',
      'F-F19: refuses the escalation %s, and names those that it knows',
    ),
  ),
};
