/** Ends pending statuses of the bot in pipelines that the gate no longer reads, unless another merge request reads them. */
import { MergeRequests } from '@gitbeaker/rest';
import { z } from 'zod';
import { hasForgeCode } from '../../errors.ts';
import { fetchParents, isOfHead, targetOf } from './gate-pipeline.ts';
import { orNull } from '../api/or-null.ts';
import { ApiMergeRequest, ApiMergeRequestEntry, ApiPipeline, type ApiStatus } from '../api/schema.ts';
import { fetchStatusesOf } from './statuses.ts';
import { fetchNamed, type Into, type Target, writeInto } from './status-in-pipeline.ts';

const OPEN: ReadonlySet<string> = new Set(['pending', 'running']);

/** Statuses beyond these limits stay pending, which blocks no merge. */
const MAX_ENDED = 10;
const MAX_OTHERS = 20;

const FIRST_PAGE = { page: 1, perPage: 100 } as const;

export const endElsewhere = async (
  target: Target,
  into: Into,
  named: readonly ApiStatus[],
  signal: AbortSignal,
): Promise<void> => {
  const { status, gate, selfId } = target;
  if (status.state === 'pending') return;
  const isWaiting = (each: ApiStatus): boolean => OPEN.has(each.status) && each.author?.id === selfId;
  // If the write did not name a pipeline, GitLab chose one by the ref. A second read shows which one.
  const now = into === null && named.some(isWaiting) ? await fetchNamed(target, signal) : named;
  const waiting = new Set(
    now.filter((each) => isWaiting(each) && each.pipeline_id !== into?.id).map(({ pipeline_id: at }) => at),
  );
  const isLeft = targetOf(gate) === null;
  const mayBeTrialMerges = targetOf(gate)?.sha !== status.head;
  if (waiting.size === 0 && !mayBeTrialMerges) return;
  const own = (await fetchPipelines(target, signal)).filter(({ id }) => id !== into?.id);
  const known = own.filter(({ id }) => waiting.has(id));
  const running = own.filter(
    (each) => each.source === 'merge_request_event' && each.sha !== status.head && isRunning(each),
  );
  const trials = isLeft ? await ofThisHead(target, running, signal) : running;
  const read = known.every(({ source }) => source === 'merge_request_event')
    ? []
    : await fetchReadByOthers(target, signal);
  const ended = [...known, ...trials].filter(({ id }) => !read.includes(id)).slice(0, MAX_ENDED);
  for (const pipeline of ended) {
    const { id: pipelineId, sha } = pipeline;
    const query = { projectId: target.of.projectId, sha, pipelineId, name: status.context };
    const there = waiting.has(pipelineId) ? now : await fetchStatusesOf(target.context, query, signal);
    if (there.some((each) => isWaiting(each) && each.pipeline_id === pipelineId))
      await writeInto(target, pipeline, there, signal);
  }
};

/** Keeps only pipelines of this head. The pipeline of a trial merge with a newer head has the status of that head. */
const ofThisHead = async (
  { context, of: { projectId }, status }: Target,
  pipelines: readonly ApiPipeline[],
  signal: AbortSignal,
): Promise<readonly ApiPipeline[]> => {
  const found: ApiPipeline[] = [];
  for (const pipeline of pipelines.slice(0, MAX_ENDED)) {
    const parents = await fetchParents(context, { projectId, sha: pipeline.sha }, signal);
    if (isOfHead(pipeline, status.head, parents)) found.push(pipeline);
  }
  return found;
};

const isRunning = ({ status }: ApiPipeline): boolean => OPEN.has(status);

/**
 * Includes pipelines of the source branch, but none of a fork.
 * GET /projects/:id/merge_requests/:iid/pipelines: https://docs.gitlab.com/api/merge_requests/#list-merge-request-pipelines
 */
const fetchPipelines = async ({ context, of }: Target, signal: AbortSignal): Promise<readonly ApiPipeline[]> => {
  try {
    const found = await context.api.read(z.array(ApiPipeline), signal, (options) =>
      new MergeRequests(options).allPipelines(of.projectId, of.number, FIRST_PAGE),
    );
    return found.filter(({ project_id: at }) => (at ?? of.projectId) === of.projectId);
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN')) return [];
    throw error;
  }
};

/** Ids of head pipelines of other open merge requests from the same branch. */
const fetchReadByOthers = async ({ context, of, gate }: Target, signal: AbortSignal): Promise<readonly number[]> => {
  const listed = await context.api.read(z.array(ApiMergeRequestEntry), signal, (options) =>
    new MergeRequests(options).all({
      projectId: of.projectId,
      state: 'opened',
      sourceBranch: gate.sourceBranch,
      perPage: MAX_OTHERS,
      page: 1,
      maxPages: 1,
    }),
  );
  const read: number[] = [];
  for (const { iid } of listed.filter((each) => each.iid !== of.number)) {
    const other = await orNull(
      context.api.read(ApiMergeRequest, signal, (options) => new MergeRequests(options).show(of.projectId, iid)),
    );
    if (other?.head_pipeline) read.push(other.head_pipeline.id);
  }
  return read;
};
