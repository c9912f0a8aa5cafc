/** Decides what a job may do. Anybody can create a fork, so by default its review calls no model and posts nothing. */
import type { RunnerClone, CiJob } from './ci-job.ts';

export type CiPlan =
  | { readonly kind: 'post' }
  /** Reviews the change request from the forge, only with the built-in rules. */
  | { readonly kind: 'print'; readonly why: string }
  /** Reviews the runner's clone, only with the built-in rules. */
  | { readonly kind: 'checkout'; readonly why: string; readonly checkout: RunnerClone };

export type Circumstances = Pick<CiJob, 'fromFork' | 'checkout'> & {
  readonly allowForks: boolean;
  readonly tokenEnv: string;
  readonly hasToken: boolean;
};

const FROM_FORK = 'the change request comes from a fork';

export const FORK_PRINTS = {
  kind: 'print',
  why: `${FROM_FORK}: the built-in rules review it, no model is called and nothing is posted (--allow-forks changes that)`,
} as const;

/** Without a token, only a fork's checkout can be reviewed. In other cases the missing token is reported later as a mistake. */
export const planCi = ({ fromFork, checkout, allowForks, tokenEnv, hasToken }: Circumstances): CiPlan => {
  if (fromFork !== true) return { kind: 'post' };
  if (!hasToken && checkout !== null) {
    const why = `${FROM_FORK} and ${tokenEnv} is not set: the built-in rules review the checkout, and nothing is posted`;
    return { kind: 'checkout', why, checkout };
  }
  return allowForks ? { kind: 'post' } : FORK_PRINTS;
};
