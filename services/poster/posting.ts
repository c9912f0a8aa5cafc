/** One posting: a plan, the forge and what carries it out. */
import type { Logger } from 'pino';
import type { PostPlan } from '../../shared/rounds/model/post-plan.ts';
import type { PosterDeps, PosterForge } from './deps.ts';

export type Posting = {
  readonly deps: PosterDeps;
  readonly forge: PosterForge;
  readonly plan: PostPlan;
  readonly log: Logger;
  readonly signal: AbortSignal;
};
