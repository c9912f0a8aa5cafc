/** The requests to the forge for each step of a change request, for each kind of forge. Nothing is timed. */
import { startFleet } from '../support/fleet.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { measureRequests } from '../support/forge-requests.ts';

export const benchRequests = async (): Promise<void> => {
  for (const kind of FORGE_KINDS) {
    console.log(`\nrequests to ${kind}, without those of git`);
    const fleet = await startFleet({ forge: kind });
    try {
      for (const { step, total, byPurpose } of await measureRequests(fleet)) {
        console.log(`  ${step}: ${total}`);
        for (const [purpose, count] of byPurpose) console.log(`    ${String(count).padStart(3)}  ${purpose}`);
      }
    } finally {
      await fleet.close();
    }
  }
};
