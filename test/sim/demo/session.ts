/** What the demo's page shows while the story is played and the poster is killed. */
import { killMidPost, type KillState } from './kill.ts';
import type { DemoState } from './page/demo-state.ts';
import { stepNames } from './story-texts.ts';
import { TITLE, type Witness } from './story.ts';
import type { DemoWorld } from './world.ts';

export type DemoSession = {
  readonly state: () => DemoState;
  readonly add: Witness;
  /** Kills the poster during the next review. Resolves with what became of it. */
  readonly kill: () => Promise<KillState>;
};

/** Each kill leaves a change request on the forge. */
const MAX_KILLS = 20;

export const createSession = (world: DemoWorld): DemoSession => {
  let change: DemoState['change'] = null;
  let kill: KillState | null = null;
  let kills = 0;
  const steps: DemoState['steps'][number][] = [];
  const names = stepNames(world.model === null ? 'rules' : 'agent');
  return {
    state: () => ({
      title: TITLE,
      forgeUrl: world.forge.url,
      change,
      names,
      steps,
      limitUsd: world.limitUsd,
      posterPid: world.poster().pid,
      kill,
      killsLeft: MAX_KILLS - kills,
    }),
    add: (step, { number, url }) => {
      change = { number, url };
      steps.push(step);
    },
    kill: async () => {
      kills += 1;
      const begun = {
        attempt: kills,
        phase: 'opening',
        number: null,
        url: null,
        events: [],
        counts: [],
        atKill: null,
      } as const;
      kill = begun;
      kill = await killMidPost(world, kills, (state) => {
        kill = state;
      });
      return kill;
    },
  };
};
