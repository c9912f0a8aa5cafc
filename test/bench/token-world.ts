/** All services beside the simulated Messages API, whose cache runs on a clock that the bench moves. */
import type { FileMap } from '../sim/forgejo/git.ts';
import { AUTHOR, OWNER } from '../sim/demo/forge.ts';
import { startDemoWorld } from '../sim/demo/world.ts';
import type { RequestEntry } from '../sim/messages/log.ts';
import type { MessagesSim } from '../sim/messages/start.ts';

const REVIEW_MS = 120_000;
export const MINUTE_MS = 60_000;

export type Push = { readonly branch: string; readonly files: FileMap; readonly title?: string };

export type TokenWorld = {
  readonly model: MessagesSim;
  /** Moves the clock of the cache. */
  readonly pass: (ms: number) => void;
  /** Pushes, opens the change request at the first push, waits for the verdict and returns the reviewer's requests. */
  readonly review: (push: Push) => Promise<readonly RequestEntry[]>;
  /** The bot's inline comments. */
  readonly inline: (branch: string) => readonly string[];
  readonly comments: (branch: string) => number;
};

const isOfReviewer = ({ request }: RequestEntry): boolean =>
  request?.tools?.some(({ name }) => name === 'submit_review') ?? false;

export const withTokenWorld = async (work: (world: TokenWorld) => Promise<void>): Promise<void> => {
  let offsetMs = 0;
  const world = await startDemoWorld({
    tell: () => {},
    runner: 'agent',
    modelClock: () => Date.now() + offsetMs,
    log: { logTo: { write: () => {} }, logLevel: 'error' },
  });
  try {
    const { forge, model } = world;
    if (model === null) throw new Error('the bench has no model');
    const { sim } = model;
    await forge.commit({ branch: 'main', files: { 'README.md': '# Shop\n' }, message: 'Begin\n', author: OWNER });
    const numbers = new Map<string, number>();
    const numberOf = (branch: string): number => numbers.get(branch) ?? 0;
    const isJudged = (branch: string): boolean => {
      const state = forge.look(numberOf(branch)).headStatuses['fixpoint'];
      return state !== undefined && state !== 'pending';
    };
    await work({
      model: sim,
      pass: (ms) => {
        offsetMs += ms;
      },
      review: async ({ branch, files, title = 'A change' }) => {
        const from = sim.requests.length;
        await forge.commit({ branch, files, message: `${title} ${from}\n`, author: AUTHOR });
        if (!numbers.has(branch)) numbers.set(branch, (await forge.open({ branch, title, description: '' })).number);
        await forge.until(() => isJudged(branch), REVIEW_MS);
        await world.calm();
        return sim.requests.slice(from).filter(isOfReviewer);
      },
      inline: (branch) => forge.look(numberOf(branch)).inline.map(({ body }) => body),
      comments: (branch) => forge.look(numberOf(branch)).comments.length,
    });
    if (sim.violations.length > 0) throw new Error(sim.violations.join('\n'));
  } finally {
    await world.close();
  }
};
