import { AppError } from '../../shared/errors.ts';
import type { ReviewJob } from '../../shared/queue/contracts.ts';
import type { Handler } from '../../shared/queue/worker.ts';
import type { Brief } from '../../shared/rounds/brief.ts';
import type { RunEvent } from '../../shared/rounds/events.ts';
import { StoredDocumentMissingError } from '../../shared/store/documents.ts';
import { openHead } from '../../shared/workspace/open-head.ts';
import type { Revisions } from '../../shared/workspace/revisions.ts';
import type { ReviewerDeps } from './deps.ts';
import { reviewOnce } from './review.ts';

export const createReviewHandler =
  (deps: ReviewerDeps): Handler<'review'> =>
  async (job, { signal, log }) => {
    const brief = await deps.loadBrief(job.runId);
    if (brief === null) throw new StoredDocumentMissingError('the brief of the run');
    const budget = AbortSignal.any([signal, AbortSignal.timeout(job.budget.maxRuntimeS * 1000)]);
    const outcome = await runOnce(deps, { job, brief, signal: budget });
    const { forge, projectId, number } = job.changeRequest;
    log.info(
      { forge, project: projectId, changeRequest: number, round: job.round, headSha: job.head, outcome },
      'run ended',
    );
    deps.checkpoint('before-report');
    await report(deps, job, outcome, null);
    return { kind: 'done' };
  };

/** Guard learns of a run that will never give a draft; it counts as a failed attempt. */
export const reportLostRun =
  (deps: ReviewerDeps) =>
  async (job: ReviewJob, code: string): Promise<void> =>
    report(deps, job, 'failed', code);

const report = async (
  deps: ReviewerDeps,
  job: ReviewJob,
  kind: RunEvent['kind'],
  code: string | null,
): Promise<void> => {
  const id = `${kind}-${job.runId}`;
  await deps.deliver(job.changeRequest, { source: 'run', kind, id, atMs: deps.nowMs(), runId: job.runId, code });
};

type OneRun = { readonly job: ReviewJob; readonly brief: Brief; readonly signal: AbortSignal };

const runOnce = async (deps: ReviewerDeps, run: OneRun): Promise<'drafted' | 'superseded'> => {
  const { job, brief, signal } = run;
  if (await isSuperseded(deps, job)) return 'superseded';
  const access = deps.mirrors.get(job.changeRequest.forge);
  if (access === undefined) throw new WorkspaceUnavailableError('the forge is not configured');
  deps.checkpoint('before-fetch');
  const opened = await openHead(
    access,
    {
      changeRequest: job.changeRequest,
      source: brief.git,
      head: job.head,
      targetBranch: brief.targetBranch,
      earlierHeads: earlierHeads(brief),
      evenIfMoved: job.mustFinish,
    },
    signal,
  );
  if (opened.kind === 'head_moved') return 'superseded';
  if (opened.kind === 'missing') throw new WorkspaceUnavailableError(`the forge does not offer the ${opened.what}`);
  return reviewOpened(deps, run, opened.revisions);
};

const reviewOpened = async (
  deps: ReviewerDeps,
  { job, brief, signal }: OneRun,
  revisions: Revisions,
): Promise<'drafted' | 'superseded'> => {
  try {
    deps.checkpoint('before-review');
    const source = { revisions, limits: deps.limits, signal };
    const draft = await reviewOnce({ identity: job, request: brief, source, runner: deps.runner, redact: deps.redact });
    if (await isSuperseded(deps, job)) return 'superseded';
    deps.checkpoint('before-draft');
    await deps.saveDraft(draft);
    return 'drafted';
  } finally {
    revisions.close();
  }
};

const isSuperseded = async (deps: ReviewerDeps, job: ReviewJob): Promise<boolean> => {
  if (job.mustFinish) return false;
  const wanted = await deps.wantedHead(job.changeRequest);
  return wanted !== null && wanted !== job.head;
};

const earlierHeads = ({ openThreads, previous }: Brief): Brief['head'][] => {
  const heads = openThreads.flatMap(({ head }) => (head === null ? [] : [head]));
  return [...new Set([...heads, ...(previous === null ? [] : [previous.head, previous.base])])];
};

export class WorkspaceUnavailableError extends AppError {
  constructor(reason: string) {
    super({
      code: 'WORKSPACE_UNAVAILABLE',
      message: `the change cannot be laid down for review: ${reason}`,
      disposition: { kind: 'retry' },
    });
  }
}
