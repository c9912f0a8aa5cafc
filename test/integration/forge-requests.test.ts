/**
 * What a change request costs the forge. A step that clearly needs more requests than now fails here; `npm run bench -- requests`
 * prints which ones. Lower a number when a request is saved.
 */
import { expect, onTestFinished, test } from 'vitest';
import { startFleet } from '../support/fleet.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { measureRequests } from '../support/forge-requests.ts';

const MOST: Readonly<Record<(typeof FORGE_KINDS)[number], Readonly<Record<string, number>>>> = {
  forgejo: { 'first review': 24, 'review after a push': 28, 'review after the last fix': 33, 'a command': 14 },
  gitea: { 'first review': 24, 'review after a push': 29, 'review after the last fix': 36, 'a command': 14 },
  gitlab: { 'first review': 32, 'review after a push': 27, 'review after the last fix': 31, 'a command': 8 },
};

/** A webhook that arrives after the pass for which it was sent costs a pass more. */
const SPARE = 5;

test.each(FORGE_KINDS)(
  'a change request on %s makes no more requests than now',
  async (kind) => {
    const fleet = await startFleet({ forge: kind });
    onTestFinished(async () => fleet.close(), 60_000);
    const steps = await measureRequests(fleet);
    // A count of nothing would pass as well.
    expect(steps.map(({ step }) => step)).toEqual(Object.keys(MOST[kind]));
    for (const { total } of steps) expect(total).toBeGreaterThan(0);
    expect(steps.filter(({ step, total }) => total > (MOST[kind][step] ?? 0) + SPARE)).toEqual([]);
  },
  240_000,
);
