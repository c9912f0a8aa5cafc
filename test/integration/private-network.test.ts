/**
 * F-F3, F-F4: forge, git and model have names that only the operator's proxy resolves, and certificates of a private
 * authority. A whole review goes through the proxy, and everything that does not is refused.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MessagesSim, startMessagesSim } from '../sim/messages/start.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type Fleet, type FleetWish, startFleet } from '../support/fleet.ts';
import type { FleetSim } from '../support/fleet-forge.ts';
import { awaitVerdict, commitBase, openStory, statusOf } from '../support/fleet-story.ts';
import { hasOpenssl } from '../support/openssl.ts';
import { type PrivateNetwork, startPrivateNetwork } from '../support/private-network.ts';

const START_MS = 240_000;
const STORY_MS = 120_000;
const FORGE = 'forge.internal';
const MODEL = 'model.internal';

/** How the services learn of the proxy. */
const WAYS = [
  {
    how: 'the variables of the environment, with a password',
    kind: 'forgejo' as const,
    isGuarded: true,
    settings: () => '',
    env: (network: PrivateNetwork) => ({ HTTPS_PROXY: network.proxyWithPassword, NO_PROXY: '127.0.0.1' }),
  },
  {
    how: 'the settings, whatever the environment says',
    kind: 'gitlab' as const,
    isGuarded: false,
    settings: (network: PrivateNetwork) => `proxy = "${network.proxy}"\n`,
    env: () => ({ HTTPS_PROXY: 'http://127.0.0.1:1' }),
  },
];

describe.skipIf(!hasOpenssl)('F-F3, F-F4: a private network (needs openssl)', () => {
  describe.each(WAYS)('that $how describe', ({ kind, isGuarded, settings, env }) => {
    let network: PrivateNetwork;
    let sim: MessagesSim;
    let fleet: Fleet<FleetSim>;

    beforeAll(async () => {
      network = await startPrivateNetwork({ names: [FORGE, MODEL], isGuarded });
      sim = await startMessagesSim();
      sim.script(seededReviewer(7));
      const more = `ca_file = "${network.caFile}"\n${settings(network)}`;
      const model = {
        apiKey: sim.apiKey,
        requests: sim.requests,
        url: await network.publish(MODEL, sim.url),
        toml: `[agent]\n${more}`,
      };
      const reach: FleetWish<typeof kind>['reach'] = async (url) => ({
        forgeUrl: await network.publish(FORGE, url),
        forgeToml: more,
        env: env(network),
      });
      fleet = await startFleet({ forge: kind, reach, knobs: { model } });
      await commitBase(fleet);
    }, START_MS);
    afterAll(async () => {
      await fleet?.close();
      await sim?.close();
      await network?.close();
    }, START_MS);

    test(
      'carries the forge, git and the model',
      async () => {
        const told = await openStory(fleet, fleet.repos[0] ?? '', 'behind-a-proxy');
        await awaitVerdict(fleet, told, STORY_MS);
        expect(statusOf(fleet, told)).toMatch(/^fail/);
        expect(new Set(network.tunnels)).toEqual(new Set([`${FORGE}:443`, `${MODEL}:443`]));
        expect(sim.requests.length).toBeGreaterThan(0);
        expect(JSON.stringify(fleet.processes.flatMap(({ output }) => output))).not.toContain(network.password);
      },
      STORY_MS,
    );
  });
});
