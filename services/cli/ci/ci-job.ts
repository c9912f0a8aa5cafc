/** The change request of a CI job, as described by the job's environment. */
import type { Environment } from '../../../shared/config/secrets.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** The clone made by the runner. It may be shallow. */
export type RunnerClone = { readonly directory: string; readonly base: string; readonly head: string };

export type CiJob = {
  /** Web address of the change request. */
  readonly address: string;
  /** Null when the environment does not say. */
  readonly fromFork: boolean | null;
  /** Null when the environment names no commits. */
  readonly checkout: RunnerClone | null;
};

/** The value of the first of these variables that is set and not empty. */
export const variable = (env: Environment, ...names: readonly string[]): string | undefined =>
  names.map((name) => env[name]).find((value) => value !== undefined && value !== '');

export const missingVariables = (env: Environment, names: readonly string[]): readonly string[] =>
  names.filter((name) => variable(env, name) === undefined);

/** Returns the address of a page of the forge. The forge's own address may end with a slash. */
export const pageAt = (server: string, path: string): string => `${server}${server.endsWith('/') ? '' : '/'}${path}`;

/** Builds the error for a job that reviews no change request. `trigger` says how to trigger such a job. */
export const notAJob = (why: string, trigger: string): UsageError => new UsageError(`${why}; ${trigger}`);
