import { endElsewhere } from './end-elsewhere.ts';
import type { StatusRefusal, WritesStatuses } from '../../port-statuses.ts';
import type { GitlabContext } from '../api/context.ts';
import { fetchGate, isOutOfReach, targetOf } from './gate-pipeline.ts';
import { mayMakePipeline } from './may-make-pipeline.ts';
import type { ApiStatus } from '../api/schema.ts';
import { fetchNamed, type Into, isIn, isOwn, ownIn, type Target, writeInto } from './status-in-pipeline.ts';

/**
 * Without a gate pipeline, the status is written into the pipeline of an earlier own status. This ends the earlier
 * status and creates no new pipeline.
 */
const intoOf = (target: Target, named: readonly ApiStatus[]): Into => {
  const pipeline = targetOf(target.gate);
  if (pipeline !== null) return pipeline;
  if (ownIn(target, null, named) !== undefined) return null;
  const known = named.findLast((each) => isOwn(target, each))?.pipeline_id;
  return known === null || known === undefined ? null : { id: known, sha: target.status.head };
};

/** Key of a cached refusal, which is valid until the head or the branch changes. The cache is kept in this process only. */
const keyOf = ({ of, status, gate }: Target): string => {
  const pipeline = targetOf(gate);
  const at = pipeline?.source === 'merge_request_event' ? `pipeline ${pipeline.id}` : status.sourceBranch;
  return `${of.projectId} ${status.head} ${at}`;
};

const KEPT = 2_000;

/** Refusals that apply to one write only and are not cached. */
const PASSING: ReadonlySet<StatusRefusal> = new Set(['gone', 'kept']);

/** GitLab refuses to repeat a state, so the status is read first. `onStatusUnset` reports a status that cannot be set. */
export const writesStatuses = (context: GitlabContext): WritesStatuses => {
  const refused = new Map<string, StatusRefusal>();
  const write = async (target: Target, signal: AbortSignal): Promise<StatusRefusal | null> => {
    if (isOutOfReach(target.gate)) return 'fork';
    const known = refused.get(keyOf(target));
    if (known !== undefined) return known;
    const named = await fetchNamed(target, signal);
    const into = intoOf(target, named);
    const makesOne = into === null && !named.some((each) => isIn(target, null, each));
    const why =
      makesOne && !(await mayMakePipeline(target, signal)) ? 'protected' : await writeInto(target, into, named, signal);
    if (why === null) await endElsewhere(target, into, named, signal);
    // A refusal is not cached while there is no pipeline, because it can change as soon as a pipeline exists.
    else if (!PASSING.has(why) && !makesOne) remember(refused, keyOf(target), why);
    return why;
  };
  return {
    writeStatus: async (of, status, signal) => {
      const gate = await fetchGate(context, of, status.head, signal);
      const { id: selfId } = await context.self(signal);
      const why = gate === null ? 'gone' : await write({ context, of, status, gate, selfId }, signal);
      if (why !== null && why !== 'kept')
        context.onStatusUnset({ projectId: of.projectId, number: of.number, head: status.head, why });
      return why;
    },
  };
};

const remember = (refused: Map<string, StatusRefusal>, key: string, why: StatusRefusal): void => {
  if (refused.size >= KEPT) refused.clear();
  refused.set(key, why);
};
