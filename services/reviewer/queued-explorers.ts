/**
 * Runs explorers, finders and verifiers as child jobs of the review job, on any machine. While they run, the review
 * occupies no worker slot.
 */
import type { Queue } from 'bullmq';
import type { ExploreJob, ReviewJob } from '../../shared/queue/contracts.ts';
import type { Enqueue } from '../../shared/queue/enqueue.ts';
import type { JobContext } from '../../shared/queue/worker.ts';
import type { Notes, Question } from '../../shared/vocabulary/question.ts';
import type { Asked, Explorers } from './run/explorers.ts';

/** A resumed review gets a higher priority than new reviews; otherwise it would wait behind all of them. */
const RESUMED = { priority: 1 } as const;

export type QueuedExplorersDeps = {
  readonly enqueue: Enqueue;
  readonly queue: Pick<Queue, 'getJob'>;
  readonly saveQuestion: (id: string, question: Question) => Promise<void>;
  readonly loadNotes: (id: string) => Promise<Notes | null>;
  readonly budgets: Readonly<Record<'explore' | 'find' | 'verify', ExploreJob['budget']>>;
  readonly checkpoint: (step: string) => void;
};

export type ParentJob = { readonly review: ReviewJob; readonly job: JobContext['job'] };

const jobIdOf = (question: string): string => `explore-${question}`;

type Standing = { readonly kind: 'ended'; readonly notes: Notes | null } | { readonly kind: 'at_work' };

export const createQueuedExplorers = (deps: QueuedExplorersDeps, parent: ParentJob): Explorers => ({
  ask: async (questions) => {
    const standings: Standing[] = [];
    for (const question of questions) standings.push(await stand(deps, parent, question));
    if (standings.some(({ kind }) => kind === 'at_work')) {
      await parent.job.changePriority(RESUMED);
      deps.checkpoint('before-waiting');
      return null;
    }
    return standings.map((standing) => (standing.kind === 'ended' ? standing.notes : null));
  },
});

/** An explorer has ended when its notes exist; a job that ended without notes was lost. */
const stand = async (deps: QueuedExplorersDeps, parent: ParentJob, asked: Asked): Promise<Standing> => {
  const notes = await deps.loadNotes(asked.id);
  if (notes !== null) return { kind: 'ended', notes };
  const job = await deps.queue.getJob(jobIdOf(asked.id));
  if (job === undefined) {
    await startExplorer(deps, parent, asked);
    return { kind: 'at_work' };
  }
  const state = await job.getState();
  if (state !== 'completed' && state !== 'failed') return { kind: 'at_work' };
  // The job may have stored its notes since they were last read.
  return { kind: 'ended', notes: await deps.loadNotes(asked.id) };
};

const startExplorer = async (
  { enqueue, saveQuestion, budgets, checkpoint }: QueuedExplorersDeps,
  { review, job }: ParentJob,
  { id, question }: Asked,
): Promise<void> => {
  await saveQuestion(id, question);
  checkpoint('before-explorer');
  const { changeRequest, runId, head } = review;
  const parent = { id: job.id ?? '', queue: job.queueQualifiedName };
  await enqueue(
    'explore',
    {
      v: 1,
      changeRequest,
      runId,
      head,
      questionId: id,
      budget: budgets[question.kind === 'who_uses' ? 'explore' : question.kind],
    },
    { jobId: jobIdOf(id), parent },
  );
  checkpoint('after-explorer');
};
