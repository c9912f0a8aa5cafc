import { endElsewhere } from './end-elsewhere.ts';
import type { StatusRefusal, WritesStatuses } from '../../port-statuses.ts';
import type { GitlabContext } from '../api/context.ts';
import { fetchGate, isOutOfReach, targetOf } from './gate-pipeline.ts';
import { mayMakePipeline } from './may-make-pipeline.ts';
import type { ApiStatus } from '../api/schema.ts';
import { fetchNamed, type Into, isIn, isOwn, ownIn, type Target, writeInto } from './status-in-pipeline.ts';

/**
 * Whose pipeline is gone, or a head that this change request has left: what was said of it is ended where it was said,
 * and nothing new is made.
 */
const intoOf = (target: Target, named: readonly ApiStatus[]): Into => {
  const pipeline = targetOf(target.gate);
  if (pipeline !== null) return pipeline;
  if (ownIn(target, null, named) !== undefined) return null;
  const known = named.findLast((each) => isOwn(target, each))?.pipeline_id;
  return known === null || known === undefined ? null : { id: known, sha: target.status.head };
};

/** What was refused once is refused again, until the head or the branch is another one. Lost with the process. */
const keyOf = ({ of, status, gate }: Target): string => {
  const pipeline = targetOf(gate);
  const at = pipeline?.source === 'merge_request_event' ? `pipeline ${pipeline.id}` : status.sourceBranch;
  return `${of.projectId} ${status.head} ${at}`;
};

const KEPT = 2_000;

/**
 * Read first, since the same state again is refused. A status that cannot be set stays unset, and `onStatusUnset` says so;
 * the summary has the verdict.
 */
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
    // Without a pipeline it may be another matter as soon as there is one.
    else if (why !== 'gone' && !makesOne) remember(refused, keyOf(target), why);
    return why;
  };
  return {
    writeStatus: async (of, status, signal) => {
      const gate = await fetchGate(context, of, status.head, signal);
      const { id: selfId } = await context.self(signal);
      const why = gate === null ? 'gone' : await write({ context, of, status, gate, selfId }, signal);
      if (why !== null) context.onStatusUnset({ projectId: of.projectId, number: of.number, head: status.head, why });
      return why;
    },
  };
};

const remember = (refused: Map<string, StatusRefusal>, key: string, why: StatusRefusal): void => {
  if (refused.size >= KEPT) refused.clear();
  refused.set(key, why);
};
