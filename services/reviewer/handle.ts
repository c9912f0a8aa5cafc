import { AppError } from '../../shared/errors.ts';
import type { ReviewJob } from '../../shared/queue/contracts.ts';
import type { Handler } from '../../shared/queue/worker.ts';
import type { Brief } from '../../shared/rounds/brief.ts';
import type { RunEvent } from '../../shared/rounds/events.ts';
import { StoredDocumentMissingError } from '../../shared/store/documents.ts';
import { openHead } from '../../shared/workspace/open-head.ts';
import type { Revisions } from '../../shared/workspace/revisions.ts';
import type { ReviewerDeps } from './deps.ts';
import type { ParentJob } from './queued-explorers.ts';
import { reviewOnce } from './review.ts';
import { taskOf } from './task.ts';

/** Fetching, reading and checking, on top of the runner's own time. */
const PREPARE_S = 180;

export const createReviewHandler =
  (deps: ReviewerDeps): Handler<'review'> =>
  async (review, { signal, log, job }) => {
    const brief = await deps.loadBrief(review.runId);
    if (brief === null) throw new StoredDocumentMissingError('the brief of the run');
    const budget = AbortSignal.any([signal, AbortSignal.timeout((review.budget.maxRuntimeS + PREPARE_S) * 1000)]);
    const ended = await runOnce(deps, { parent: { review, job }, brief, signal: budget });
    const { forge, projectId, number } = review.changeRequest;
    log.info(
      {
        forge,
        project: projectId,
        changeRequest: number,
        round: review.round,
        headSha: review.head,
        outcome: ended.kind,
      },
      ended.kind === 'waits' ? 'run waits for explorers' : 'run ended',
    );
    if (ended.kind === 'waits') return { kind: 'wait_for_children' };
    deps.checkpoint('before-report');
    await report(deps, review, ended.kind, ended.kind === 'failed' ? ended.code : null);
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

type OneRun = { readonly parent: ParentJob; readonly brief: Brief; readonly signal: AbortSignal };

type Ended = { readonly kind: 'drafted' | 'superseded' | 'waits' } | { readonly kind: 'failed'; readonly code: string };

const runOnce = async (deps: ReviewerDeps, run: OneRun): Promise<Ended> => {
  const { brief, signal } = run;
  const { review: job } = run.parent;
  if (await isSuperseded(deps, job)) return { kind: 'superseded' };
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
  if (opened.kind === 'head_moved') return { kind: 'superseded' };
  if (opened.kind === 'missing') throw new WorkspaceUnavailableError(`the forge does not offer the ${opened.what}`);
  try {
    deps.checkpoint('before-review');
    return await reviewOpened(deps, run, opened.revisions);
  } finally {
    opened.revisions.close();
  }
};

const reviewOpened = async (deps: ReviewerDeps, run: OneRun, revisions: Revisions): Promise<Ended> => {
  const { brief, signal } = run;
  const { review: job } = run.parent;
  const result = await reviewOnce({
    identity: job,
    request: brief,
    task: taskOf(brief, await deps.loadNotes(job.changeRequest)),
    scope: {
      runId: job.runId,
      changeRequest: job.changeRequest,
      ...job.budget,
      explorers: deps.explorersOf(run.parent),
      isSuperseded: async () => isSuperseded(deps, job),
    },
    source: { revisions, limits: deps.limits, signal },
    runner: deps.runner,
    redact: deps.redact,
  });
  if (result.kind === 'failed' && result.rawText !== null) await deps.saveRawText(job.runId, result.rawText);
  if (result.kind !== 'draft') return result;
  if (await isSuperseded(deps, job)) return { kind: 'superseded' };
  deps.checkpoint('before-draft');
  await deps.saveDraft(result.draft);
  return { kind: 'drafted' };
};

/** Guard gave the run up, or wants another head: unless this one has to be finished. */
const isSuperseded = async (deps: ReviewerDeps, job: ReviewJob): Promise<boolean> => {
  if (!(await deps.isCurrent(job.changeRequest, job.runId))) return true;
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
