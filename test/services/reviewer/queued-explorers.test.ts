import type { Job, Queue } from 'bullmq';
import { describe, expect, test } from 'vitest';
import { answersOf, type Asked, NO_EXPLORERS } from '../../../services/reviewer/run/explorers.ts';
import { explorerId } from '../../../shared/vocabulary/question.ts';
import { createQueuedExplorers, type ParentJob } from '../../../services/reviewer/queued-explorers.ts';
import { ExploreJob } from '../../../shared/queue/contracts.ts';
import type { Enqueue } from '../../../shared/queue/enqueue.ts';
import { Question, type Notes } from '../../../shared/vocabulary/question.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { runId, sha } from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';

const RUN = runId('run');

const asked = (n: number): Asked => ({
  id: explorerId(RUN, { turns: 1, index: n - 1 }),
  question: {
    v: 1,
    kind: 'explore',
    question: `Who calls number ${n}?`,
    files: ['a.ts'],
    changedPaths: ['a.ts', 'b.ts'],
  },
});

const waiting = (n: number) => ({ callId: `call-${n}`, question: '', files: [] });

const notes = (text: string, outcome: Notes['outcome'] = 'answered'): Notes => ({
  v: 1,
  outcome,
  text,
  spent: NOTHING_SPENT,
});

/** A queue that says what it is told to say about its jobs, and a store. What happens is told in order. */
const stage = (crashAt: string | null = null) => {
  const log: string[] = [];
  const states = new Map<string, string>();
  const stored = new Map<string, Notes>();
  const questions = new Map<string, Question>();
  const jobs: { readonly payload: unknown; readonly options: unknown }[] = [];
  const enqueue: Enqueue = async (name, payload, options) => {
    log.push(`enqueue ${options.jobId}`);
    jobs.push({ payload, options: { name, ...options } });
    // A job of the same id is the same job.
    if (!states.has(options.jobId)) states.set(options.jobId, 'waiting-children');
  };
  const queue = {
    getJob: async (id: string) => {
      const state = states.get(id);
      // Nothing else of a job is looked at.
      return state === undefined ? undefined : ({ getState: async () => state } as Job);
    },
  } as Pick<Queue, 'getJob'>;
  const job = {
    id: `review-${RUN}`,
    queueQualifiedName: '{test}:review',
    changePriority: async ({ priority }: { readonly priority: number }) => void log.push(`priority ${priority}`),
  };
  const parent: ParentJob = {
    review: {
      v: 1,
      changeRequest: { forge: 'main', projectId: 1, number: 2 },
      runId: RUN,
      head: sha('head'),
      review: 1,
      attempt: 1,
      mustFinish: false,
      budget: { maxTurns: 8, maxRuntimeS: 600 },
    },
    // The three things that a parent is asked for.
    job: job as unknown as ParentJob['job'],
  };
  const explorers = createQueuedExplorers(
    {
      enqueue,
      queue,
      saveQuestion: async (id, question) => {
        log.push(`question ${id}`);
        questions.set(id, Question.parse(question));
      },
      loadNotes: async (id) => stored.get(id) ?? null,
      budgets: {
        explore: { maxTurns: 32, maxRuntimeS: 300 },
        find: { maxTurns: 8, maxRuntimeS: 300 },
        verify: { maxTurns: 6, maxRuntimeS: 300 },
      },
      checkpoint: (step) => {
        log.push(step);
        if (step === crashAt) throw new Error(`killed ${step}`);
      },
    },
    parent,
  );
  const ask = async (...all: readonly Asked[]) => explorers.ask(all, never());
  return { ask, log, states, stored, questions, jobs };
};

const jobId = (n: number): string => `explore-${RUN}-1-${n}`;

describe('explorers of the queue', () => {
  test('are started once, as children of the review, each behind its stored question', async () => {
    const { ask, log, jobs, questions } = stage();
    expect(await ask(asked(1), asked(2))).toBeNull();
    expect(log).toEqual([
      `question ${RUN}-1-1`,
      'before-explorer',
      `enqueue ${jobId(1)}`,
      'after-explorer',
      `question ${RUN}-1-2`,
      'before-explorer',
      `enqueue ${jobId(2)}`,
      'after-explorer',
      'priority 1',
      'before-waiting',
    ]);
    expect(jobs[0]).toEqual({
      payload: {
        v: 1,
        changeRequest: { forge: 'main', projectId: 1, number: 2 },
        runId: RUN,
        head: sha('head'),
        questionId: `${RUN}-1-1`,
        budget: { maxTurns: 32, maxRuntimeS: 300 },
      },
      options: { name: 'explore', jobId: jobId(1), parent: { id: `review-${RUN}`, queue: '{test}:review' } },
    });
    expect(jobs.map(({ payload }) => ExploreJob.parse(payload).questionId)).toEqual([`${RUN}-1-1`, `${RUN}-1-2`]);
    expect(questions.get(`${RUN}-1-2`)).toEqual({
      v: 1,
      kind: 'explore',
      question: 'Who calls number 2?',
      files: ['a.ts'],
      changedPaths: ['a.ts', 'b.ts'],
    });
  });

  test.each(['waiting', 'active', 'delayed', 'prioritized', 'waiting-children', 'unknown'])(
    'are waited for while one of them is %s, without another start',
    async (state) => {
      const { ask, states, stored, jobs, log } = stage();
      stored.set(`${RUN}-1-1`, notes('Callers.'));
      states.set(jobId(2), state);
      expect(await ask(asked(1), asked(2))).toBeNull();
      expect(jobs).toEqual([]);
      expect(log).toEqual(['priority 1', 'before-waiting']);
    },
  );

  test.each(['completed', 'failed'])(
    'that ended as %s without notes are lost, which is not nothing found',
    async (state) => {
      const { ask, states, stored, log } = stage();
      stored.set(`${RUN}-1-1`, notes('', 'nothing_found'));
      states.set(jobId(1), 'completed');
      states.set(jobId(2), state);
      const heard = await ask(asked(1), asked(2));
      expect(heard).toEqual([notes('', 'nothing_found'), null]);
      expect(answersOf([waiting(1), waiting(2)], heard ?? []).map(({ outcome }) => outcome)).toEqual([
        'nothing_found',
        'failed',
      ]);
      expect(log).toEqual([]);
    },
  );

  test('are heard when their notes came while their job was looked at', async () => {
    const { ask, states, stored } = stage();
    states.set(jobId(1), 'completed');
    const late = { ...asked(1) };
    const loads: string[] = [];
    const first = stored.get.bind(stored);
    stored.get = (id) => {
      loads.push(id);
      return loads.length === 1 ? undefined : first(id);
    };
    stored.set(late.id, notes('Just in time.'));
    expect(await ask(late)).toEqual([notes('Just in time.')]);
  });

  test('whose notes are there need no job any more, and come in the order of the questions', async () => {
    const { ask, stored, jobs } = stage();
    for (const n of [3, 1, 2]) stored.set(`${RUN}-1-${n}`, notes(`${n}`));
    expect((await ask(asked(1), asked(2), asked(3)))?.map((one) => one?.text)).toEqual(['1', '2', '3']);
    expect(jobs).toEqual([]);
  });

  test('asked for again by another execution are the same: whoever is missing is started, nobody twice', async () => {
    const { ask, states, jobs } = stage();
    states.set(jobId(1), 'active');
    expect(await ask(asked(1), asked(2))).toBeNull();
    expect(await ask(asked(1), asked(2))).toBeNull();
    expect(jobs.map(({ payload }) => ExploreJob.parse(payload).questionId)).toEqual([`${RUN}-1-2`]);
  });

  test.each(['before-explorer', 'after-explorer', 'before-waiting'])('survive a kill %s', async (step) => {
    const first = stage(step);
    await expect(first.ask(asked(1), asked(2))).rejects.toThrow('killed');
    const second = stage();
    for (const [id, state] of first.states) second.states.set(id, state);
    expect(await second.ask(asked(1), asked(2))).toBeNull();
    const started = [...first.jobs, ...second.jobs].map(({ payload }) => ExploreJob.parse(payload).questionId);
    expect(started.toSorted()).toEqual([`${RUN}-1-1`, `${RUN}-1-2`]);
    expect(second.log.slice(-2)).toEqual(['priority 1', 'before-waiting']);
  });
});

test('where there are no explorers, none of them found anything out', async () => {
  expect(await NO_EXPLORERS.ask([asked(1), asked(2)], never())).toEqual([null, null]);
});
