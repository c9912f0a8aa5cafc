/** The demo's simulated model: the real API's rules, with recorded answers. */
import { type MessagesSim, startMessagesSim } from '../messages/start.ts';
import { recordedReviewer } from './recorded-reviewer.ts';

export type DemoModel = {
  readonly sim: MessagesSim;
  readonly explorers: () => number;
};

/** Two explorers in the first review; later ones are too small for any. */
export const startDemoModel = async (clock?: () => number): Promise<DemoModel> => {
  const sim = await startMessagesSim(clock === undefined ? {} : { clock });
  sim.script(recordedReviewer);
  // Finders and verifiers, which the product sends by itself, are no explorers of the reviewer.
  const isExplorer = ({ body }: (typeof sim.requests)[number]): boolean =>
    body.includes("Answer the reviewer's question and nothing else");
  return {
    sim,
    explorers: () => new Set(sim.requests.filter(isExplorer).map(({ conversation }) => conversation)).size,
  };
};
