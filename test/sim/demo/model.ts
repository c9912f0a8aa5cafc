/** The demo's simulated model: the real API's rules, with a scripted reviewer. */
import { seededReviewer } from '../messages/seeded-reviewer.ts';
import { type MessagesSim, startMessagesSim } from '../messages/start.ts';

const SEED = 7;

const QUESTIONS = [
  'Who calls total() of src/cart.js, and does anybody rely on its second argument being absent?',
  'Which tests cover the price list and the monthly report, and what do they leave out?',
] as const;

export type DemoModel = {
  readonly sim: MessagesSim;
  readonly explorers: () => number;
};

/** Two explorers in round 1; later rounds are too small for any. */
export const startDemoModel = async (): Promise<DemoModel> => {
  const sim = await startMessagesSim();
  sim.script(seededReviewer(SEED));
  sim.script(seededReviewer(SEED, { explore: QUESTIONS }), { firstUserText: 'This is review 1.' });
  const isExplorer = ({ request }: (typeof sim.requests)[number]): boolean =>
    request?.tools?.every(({ name }) => name !== 'submit_review') ?? false;
  return {
    sim,
    explorers: () => new Set(sim.requests.filter(isExplorer).map(({ conversation }) => conversation)).size,
  };
};
