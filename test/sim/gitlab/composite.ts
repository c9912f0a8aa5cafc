/** GL lib/gitlab/ci/status/composite.rb: a pipeline's state from its jobs. */
import type { SimStatus } from './world.ts';

type Job = Pick<SimStatus, 'state' | 'allowFailure'>;

const consumed = ({ state, allowFailure }: Job): string => {
  if (!allowFailure) return state;
  if (state === 'failed' || state === 'canceled') return 'success_with_warnings';
  return state === 'manual' ? 'ignored' : state;
};

const MILD = ['success_with_warnings', 'ignored'];

const ONLY: readonly (readonly [string, readonly string[]])[] = [
  ['skipped', ['skipped', 'ignored']],
  ['success', ['success', 'skipped', ...MILD]],
  ['created', ['created', ...MILD]],
  ['preparing', ['preparing', ...MILD]],
  ['canceled', ['canceled', 'success', 'skipped', ...MILD]],
  ['pending', ['pending', 'created', 'skipped', ...MILD]],
];

const ANY: readonly (readonly [string, readonly string[]])[] = [
  ['running', ['running', 'pending']],
  ['waiting_for_resource', ['waiting_for_resource']],
  ['waiting_for_callback', ['waiting_for_callback']],
  ['manual', ['manual']],
  ['scheduled', ['scheduled']],
  ['preparing', ['preparing']],
  ['running', ['created']],
  ['canceling', ['canceling']],
];

/** Null without jobs: the pipeline's state then stays unchanged. */
export const compositeStatus = (jobs: readonly Job[]): string | null => {
  if (jobs.length === 0) return null;
  const states = jobs.map(consumed);
  const only = ONLY.find(([, fitting]) => states.every((state) => fitting.includes(state)));
  if (only !== undefined) return only[0];
  return ANY.find(([, fitting]) => fitting.some((state) => states.includes(state)))?.[0] ?? 'failed';
};
