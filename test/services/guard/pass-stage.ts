/** What the tests of one pass of guard share. */
import { EventEmitter } from 'node:events';
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import type { GuardDeps, GuardForge } from '../../../services/guard/deps.ts';
import { createGuardHandler } from '../../../services/guard/handle.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { GuardJob } from '../../../shared/queue/contracts.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { type CiJob, createModelForge } from './model-forge.ts';
import { createModelJobs } from './model-jobs.ts';
import { guardDeps } from './model-stage.ts';

export const OF = { ...make.changeRequest().changeRequest, forge: ForgeId.parse('main') };
export const HEAD = make.sha('head');

/** What the forge says of the change request; null if it is gone. */
export type Shown = Partial<ChangeRequestFacts> | null;

export type Wish = {
  readonly facts?: Shown;
  readonly comments?: readonly ForgeComment[];
  readonly forge?: Partial<GuardForge>;
  readonly deps?: Partial<GuardDeps>;
  /** What the CI job that makes a report does. */
  readonly job?: CiJob;
  /** False: no poster has published the posting account. */
  readonly isKnown?: boolean;
};

/** One guard on a real Redis, and a forge in memory that says what the test wants. */
export const createPassStage = async (
  redis: Redis,
  { facts = {}, comments = [], forge: moreOfForge = {}, deps: more = {}, isKnown = true, job = 'ended' }: Wish = {},
) => {
  const jobs = createModelJobs();
  const model = createModelForge(jobs.nowMs);
  model.setJob(job);
  const asked: string[] = [];
  const steps: string[] = [];
  const logged: string[] = [];
  const real = guardDeps({ redis, policy: make.policy(), jobs, forge: model, newRunId: () => make.runId('fresh') });
  const reading = (name: string): void => void asked.push(name);
  const forge: GuardForge = {
    ...model.guard,
    read: {
      ...model.guard.read,
      fetchChangeRequest: async () => {
        reading('change request');
        return facts === null ? null : make.changeRequest({ head: HEAD, ...facts });
      },
      fetchComments: async () => {
        reading('comments');
        return comments;
      },
      fetchStatuses: async () => {
        reading('statuses');
        return [];
      },
    },
    ...moreOfForge,
  };
  const deps: GuardDeps = {
    ...real,
    forges: new Map([['main', forge]]),
    checkpoint: (step) => void steps.push(step),
    ...more,
  };
  if (isKnown) await deps.identities.publish('main', { id: make.BOT_ID, login: 'fixpoint' });
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(String(JSON.parse(line).msg)) });
  const attend = async (job: GuardJob = { v: 1, kind: 'wake', changeRequest: OF }, by: GuardDeps = deps) => {
    // The handler only hands the library's job on.
    const unused = new EventEmitter() as unknown as Job;
    const sweep = async () => ({ kind: 'defer', delayMs: 77 }) as const;
    return createGuardHandler(by, sweep)(job, { signal: never(), log, job: unused, attempt: 1 });
  };
  const deliver = async (event: InboxEvent): Promise<void> => {
    await deps.inbox.deliver({ changeRequest: OF, event, dedupKey: event.id, deliveryId: null });
  };
  const keep = async (state: GuardState): Promise<void> => {
    const lease = { key: deps.keys.ofChangeRequest(OF, 'lock'), token: 'token', fence: 1 };
    await redis.set(lease.key, lease.token);
    await deps.states.save(OF, state, lease);
    await redis.del(lease.key);
  };
  const waiting = async () => (await deps.inbox.read(OF)).events.map(({ id }) => id);
  return { deps, asked, steps, logged, attend, deliver, keep, waiting };
};
