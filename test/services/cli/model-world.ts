/** A simulated Messages API with a reviewer behind it, for reviews on the command line. */
import { fileURLToPath } from 'node:url';
import { type MessagesSim, startMessagesSim } from '../../sim/messages/start.ts';
import { seededReviewer, type SeededReviewerOptions } from '../../sim/messages/seeded-reviewer.ts';
import type { Script } from '../../sim/messages/script.ts';

/** For what has nothing to do with the cage, which takes a while to be checked. */
export const WITHOUT_CAGE = fileURLToPath(new URL('../../fixtures/settings/without-cage.toml', import.meta.url));

export type ModelWorld = {
  readonly sim: MessagesSim;
  /** What a process needs to call it. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes the place of what was said before. */
  readonly says: (script: Script) => void;
  readonly reviews: (options?: SeededReviewerOptions) => void;
};

export const startModelWorld = async (): Promise<ModelWorld> => {
  const sim = await startMessagesSim();
  const says = (script: Script): void => void sim.script(script);
  return {
    sim,
    env: { ANTHROPIC_API_KEY: sim.apiKey, ANTHROPIC_BASE_URL: sim.url },
    says,
    reviews: (options = {}) => says(seededReviewer(1, options)),
  };
};
