/** How many requests the steps of a change request make to its forge, counted on a simulated forge with real services. */
import { AUTHOR, BOT, type Fleet } from './fleet.ts';
import { type FleetSim, handsOn } from './fleet-forge.ts';
import { type FleetQueues, openQueues } from './fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, pushReview, type Told } from './fleet-story.ts';

export type StepRequests = {
  readonly step: string;
  /** Without those of git. */
  readonly total: number;
  /** Number of requests for each method and path; ids in a path are left out. */
  readonly byPurpose: ReadonlyMap<string, number>;
};

type Request = { readonly method: string; readonly path: string };

const IDS = /(?<=\/)(?:\d+|[0-9a-f]{40}|[0-9a-f]{64}|[^/]*%2F[^/]*)(?=\/|$)/g;

const isGit = ({ path }: Request): boolean => /\.git\//.test(path);

const purposeOf = ({ method, path }: Request): string => {
  const [bare = ''] = path.split('?');
  return `${method} ${bare.replace(/^\/api\/v\d/, '').replaceAll(IDS, '…')}`;
};

const countByPurpose = (requests: readonly Request[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const request of requests) counts.set(purposeOf(request), (counts.get(purposeOf(request)) ?? 0) + 1);
  return new Map([...counts].toSorted(([, one], [, other]) => other - one));
};

type Stage = { readonly fleet: Fleet<FleetSim>; readonly queues: FleetQueues };

/** Long enough for webhooks of the last comment to arrive, so that what they cause counts as part of the step. */
const QUIET_MS = 1_000;

/** Waits until the services have made no request for a while and no job is left. */
const settle = async ({ fleet, queues }: Stage): Promise<void> => {
  const { requests } = fleet.sim;
  for (let seen = -1; seen !== requests.length; ) {
    seen = requests.length;
    await queues.idle();
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
};

const measure = async (stage: Stage, step: string, act: () => Promise<void>): Promise<StepRequests> => {
  const { requests } = stage.fleet.sim;
  const from = requests.length;
  await act();
  await settle(stage);
  const made = requests.slice(from).filter((request) => !isGit(request));
  return { step, total: made.length, byPurpose: countByPurpose(made) };
};

/** A review with three findings, one after a push that fixes one of them, the last after the rest is fixed, and a question. */
export const measureRequests = async (fleet: Fleet<FleetSim>): Promise<readonly StepRequests[]> => {
  const queues = openQueues(fleet);
  const stage = { fleet, queues };
  try {
    await commitBase(fleet);
    await settle(stage);
    let told: Told | null = null;
    const opened = await measure(stage, 'first review', async () => {
      told = await openStory(fleet, fleet.repos[0] ?? '', 'one');
      await awaitVerdict(fleet, told);
    });
    const after = async (step: string, act: (told: Told) => Promise<void>): Promise<StepRequests> =>
      measure(stage, step, async () => {
        if (told === null) throw new Error('the change request was not opened');
        await act(told);
      });
    const push = async (step: string, review: number): Promise<StepRequests> =>
      after(step, async (at) => {
        await pushReview(fleet, at, review);
        await awaitVerdict(fleet, at);
      });
    const pushed = await push('review after a push', 2);
    const fixed = await push('review after the last fix', 3);
    const asked = await after('a command', async ({ repo, number }) =>
      handsOn(fleet.sim).comment({ repo, number, as: AUTHOR, body: `@${BOT} help` }),
    );
    return [opened, pushed, fixed, asked];
  } finally {
    await queues.close();
  }
};
