/** Faults under outages and races. */
import { by, proved, type Proof } from '../named-test.ts';

export const OUTAGE_ROWS: Readonly<Record<string, Proof>> = {
  'F-E4': proved(
    by(
      'test/integration/place-story.test.ts',
      'F-E4: a status that somebody else overwrote is written again by the sweep',
    ),
    by('test/services/poster/acknowledge.test.ts', 'F-E4: a poster that slept through its lease writes nothing'),
  ),
};
