/** A simulated Messages API with a reviewer behind it, for reviews on the command line. */
import { type MessagesSim, startMessagesSim } from '../../sim/messages/start.ts';
import { seededReviewer, type SeededReviewerOptions } from '../../sim/messages/seeded-reviewer.ts';
import type { Script } from '../../sim/messages/script.ts';

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
