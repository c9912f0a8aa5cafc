/** What CI says about a change, read off the one pipeline that merging looks at. Pure. */
import type { CommitSha } from '../../../vocabulary/ids.ts';
import type { CommitStatus } from '../../port-statuses.ts';
import { isOfHead } from './gate-pipeline.ts';
import type { ApiPipeline, ApiStatus } from '../api/schema.ts';
import { toStatus } from './status-state.ts';

export type PipelineReading = {
  readonly head: CommitSha;
  /** As the forge gives it, which may be one of an older head; null for none. */
  readonly pipeline: ApiPipeline | null;
  /** Of the pipeline's commit. */
  readonly parents: readonly string[];
  /** Null: they cannot be read, as in a private fork. */
  readonly jobs: readonly ApiStatus[] | null;
  /** Whether a job is the status of the bot itself. */
  readonly isOwn: (job: ApiStatus) => boolean;
};

/** Everything that is recorded for the head; empty where nothing is (yet). */
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
  // The bot's own status makes such a pipeline where there is no CI.
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

/** GL app/models/concerns/ci/has_status.rb. A state of a later release has not passed. */
const byStatusAlone = (status: string): State => {
  if (status === 'success' || status === 'skipped') return 'success';
  return status === 'failed' || status === 'canceled' ? 'failure' : 'pending';
};

/** What the pipeline says beyond its jobs; null for nothing. */
const judgeWhole = (
  { status, yaml_errors: errors }: ApiPipeline,
  others: readonly ApiStatus[],
  own: readonly ApiStatus[],
): State | null => {
  // Such a pipeline has no jobs: the bot's own status alone would let it pass.
  if (errors !== null && errors !== undefined && errors !== '') return 'failure';
  const states = [...others, ...own].map(toStatus).map(({ state }) => state);
  const whole = byStatusAlone(status);
  if (whole === 'failure' && !states.some(isBad)) return 'failure';
  if (others.length === 0) return 'pending';
  if (whole === 'failure') return null;
  return whole === 'pending' && !states.includes('pending') && !states.some(isBad) ? 'pending' : null;
};

const isBad = (state: State): boolean => state === 'failure' || state === 'error';
