/**
 * A GitLab with CI as a merge gate. GitLab's own mergeability check is sampled after every request, event and effect of a
 * merge request. It must never be open while the bot's verdict is not a pass.
 */
import type { GitlabSim } from '../sim/gitlab/start.ts';
import type { SimMergeRequest, SimPipeline } from '../sim/gitlab/world.ts';
import { startVerdictStage, type VerdictStage } from './verdict-stage.ts';

/**
 * The time from the creation of a head pipeline to the bot's status in it, when nothing can close the gate. A pipeline that
 * ends in this window opens the gate; that is a known limit.
 */
export type Window = {
  readonly iid: number;
  readonly pipeline: number;
  readonly ms: number;
  readonly requests: number;
};

export type Gate = {
  readonly stage: VerdictStage;
  readonly sim: GitlabSim;
  readonly project: string;
  readonly windows: () => readonly Window[];
  /** Every sample with an open gate and no pass, outside of windows. */
  readonly faults: () => readonly string[];
  /** The same, inside of windows. */
  readonly openWindows: () => readonly string[];
  readonly looks: () => { readonly all: number; readonly open: number };
  readonly watch: (iid: number) => void;
  readonly ours: (pipeline: number) => string | null;
  readonly until: (condition: () => boolean) => Promise<void>;
  readonly close: () => Promise<void>;
};

const BOT = 'fixpoint';
const WAIT_MS = 60_000;

export const startGate = async (more = ''): Promise<Gate> => {
  const stage = await startVerdictStage('gitlab', '', more);
  const { sim, repo: project } = stage;
  if ('traits' in sim) throw new Error('not a GitLab');
  const watched = new Set<number>();
  const waiting = new Map<string, Omit<Window, 'ms'> & { readonly sinceMs: number }>();
  const seen = { windows: [] as Window[], faults: [] as string[], openWindows: [] as string[], all: 0, open: 0 };
  const ours = (id: number): string | null =>
    sim.world.projects
      .flatMap(({ statuses }) => statuses)
      .findLast(({ pipeline, kind, user }) => pipeline.id === id && kind === 'generic' && user.username === BOT)
      ?.state ?? null;
  const time = (iid: number, pipeline: SimPipeline): void => {
    const key = `${iid} ${pipeline.id}`;
    const begun = waiting.get(key);
    const isIn = ours(pipeline.id) !== null;
    const { length: requests } = sim.requests;
    if (!isIn && begun === undefined)
      waiting.set(key, { iid, pipeline: pipeline.id, sinceMs: pipeline.createdAt, requests });
    if (!isIn || begun === undefined) return;
    waiting.delete(key);
    const { sinceMs, requests: before, ...which } = begun;
    seen.windows.push({ ...which, ms: Date.now() - sinceMs, requests: requests - before });
  };
  const lookAt = (iid: number): void => {
    const mr = sim.mergeRequestAt({ project, iid });
    const pipeline = mr.headPipeline?.pipeline ?? null;
    if (pipeline !== null && pipeline.source !== 'external') time(iid, pipeline);
    if (mr.state === 'closed') return;
    seen.all += 1;
    if (mr.state !== 'merged' && !sim.gateOf({ project, iid }).isMergeable) return;
    seen.open += 1;
    if (hasPassed(mr)) return;
    const inWindow = mr.state !== 'merged' && pipeline !== null && ours(pipeline.id) === null;
    seen[inWindow ? 'openWindows' : 'faults'].push(describe(mr, pipeline));
  };
  const look = (): void => {
    for (const iid of watched) lookAt(iid);
  };
  sim.world.watchers.add(look);
  return {
    stage,
    sim,
    project,
    windows: () => seen.windows,
    faults: () => [...new Set(seen.faults)],
    openWindows: () => [...new Set(seen.openWindows)],
    looks: () => ({ all: seen.all, open: seen.open }),
    watch: (iid) => void watched.add(iid),
    ours,
    until: (condition) => sim.until(condition, WAIT_MS),
    close: async () => {
      sim.world.watchers.delete(look);
      await stage.close();
    },
  };
};

/** Uses the bot's summary of this head, because its status is what is tested. */
const hasPassed = ({ notes, headSha }: SimMergeRequest): boolean =>
  notes.some(({ author, body }) => author.username === BOT && isPassOf(headSha, body));

const describe = ({ iid, state }: SimMergeRequest, pipeline: SimPipeline | null): string => {
  const what = state === 'merged' ? 'is merged' : 'may be merged';
  const by = pipeline === null ? 'no pipeline' : `pipeline ${pipeline.id} (${pipeline.source}, ${pipeline.state})`;
  return `!${iid} ${what} by ${by} without a pass`;
};

/** The summary says that nothing blocks, and is about this commit. */
const isPassOf = (headSha: string, body: string): boolean =>
  /^\*\*(?:No problems found|Nothing )/.test(body) && body.includes(`Commit \`${headSha.slice(0, 10)}\``);
