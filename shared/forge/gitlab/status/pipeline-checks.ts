import type { CommitSha } from '../../../vocabulary/ids.ts';
import type { CommitStatus } from '../../port-statuses.ts';
import { isOfHead } from './gate-pipeline.ts';
import type { ApiPipeline, ApiStatus } from '../api/schema.ts';
import { toStatus } from './status-state.ts';

export type PipelineReading = {
  readonly head: CommitSha;
  /** The pipeline that the forge returns, possibly for an older head. Null when there is no pipeline. */
  readonly pipeline: ApiPipeline | null;
  /** Parents of the pipeline's commit. */
  readonly parents: readonly string[];
  /** Null when the jobs cannot be read, as in a private fork. */
  readonly jobs: readonly ApiStatus[] | null;
  readonly isOwn: (job: ApiStatus) => boolean;
};

/** Empty when there are no results for the head (yet). */
export const checksOfPipeline = ({
  head,
  pipeline,
  parents,
  jobs,
  isOwn,
}: PipelineReading): readonly CommitStatus[] => {
  if (pipeline === null || !isOfHead(pipeline, head, parents)) return [];
  if (jobs === null) return [asWhole(pipeline, byStatusAlone(pipeline.status))];
  const others = jobs.filter((job) => !isOwn(job));
  // In a project without CI, the bot's own status creates an external pipeline.
  if (others.length === 0 && pipeline.source === 'external') return [];
  const whole = judgeWhole(pipeline, others, jobs.filter(isOwn));
  return [...others.map(toStatus), ...(whole === null ? [] : [asWhole(pipeline, whole)])];
};

type State = CommitStatus['state'];

const asWhole = ({ id }: ApiPipeline, state: State): CommitStatus => ({
  context: `pipeline #${id}`,
  state,
  description: '',
  createdAtMs: 0,
});

/** Follows app/models/concerns/ci/has_status.rb. An unknown status counts as pending. */
const byStatusAlone = (status: string): State => {
  if (status === 'success' || status === 'skipped') return 'success';
  return status === 'failed' || status === 'canceled' ? 'failure' : 'pending';
};

/** The result of the pipeline as a whole. Returns null when the results of the jobs already say the same. */
const judgeWhole = (
  { status, yaml_errors: errors }: ApiPipeline,
  others: readonly ApiStatus[],
  own: readonly ApiStatus[],
): State | null => {
  // An invalid pipeline has no jobs, so the bot's own status alone would make it pass.
  if (errors !== null && errors !== undefined && errors !== '') return 'failure';
  const states = [...others, ...own].map(toStatus).map(({ state }) => state);
  const whole = byStatusAlone(status);
  if (whole === 'failure' && !states.some(isBad)) return 'failure';
  if (others.length === 0) return 'pending';
  if (whole === 'failure') return null;
  return whole === 'pending' && !states.includes('pending') && !states.some(isBad) ? 'pending' : null;
};

const isBad = (state: State): boolean => state === 'failure' || state === 'error';
