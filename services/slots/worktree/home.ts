/** The branch or commit that was checked out when the loop started. Every slot begins there, and its work is merged there. */
import type { Repository } from './repository.ts';

export type Home =
  /** `ref` is the full name of the branch, `refs/heads/…`. */
  | { readonly kind: 'branch'; readonly ref: string }
  /** HEAD was detached at the commit `id`. */
  | { readonly kind: 'commit'; readonly id: string };

const BRANCHES = 'refs/heads/';

export const nameOf = (home: Home): string =>
  home.kind === 'branch' ? home.ref.slice(BRANCHES.length) : `the commit ${home.id.slice(0, 12)}`;

const checkedOut = async (repository: Repository, signal: AbortSignal): Promise<string | null> => {
  const { exitCode, stdout } = await repository.try(['symbolic-ref', '--quiet', 'HEAD'], {}, signal);
  return exitCode === 0 ? stdout.toString('utf8').trim() : null;
};

/** @throws LoopError when the repository has no commit yet */
export const findHome = async (repository: Repository, signal: AbortSignal): Promise<Home> => {
  const id = await repository.ask(['rev-parse', '--verify', 'HEAD^{commit}'], {}, signal);
  const ref = await checkedOut(repository, signal);
  return ref === null ? { kind: 'commit', id } : { kind: 'branch', ref };
};

export type Ancestry = { readonly older: string; readonly newer: string };

/** Returns true when `older` is an ancestor of `newer` or equal to it, and false when one of the two does not exist. */
export const goesOnFrom = async (
  repository: Repository,
  { older, newer }: Ancestry,
  signal: AbortSignal,
): Promise<boolean> => (await repository.try(['merge-base', '--is-ancestor', older, newer], {}, signal)).exitCode === 0;

export type HomeNow = {
  /** True when the user's work tree has the home checked out, so that work is merged there. */
  readonly isCheckedOut: boolean;
  readonly tip: string;
};

export const findHomeNow = async (repository: Repository, home: Home, signal: AbortSignal): Promise<HomeNow | null> => {
  const head = await repository.ask(['rev-parse', 'HEAD'], {}, signal);
  const ref = await checkedOut(repository, signal);
  if (home.kind === 'commit') {
    const isCheckedOut = ref === null && (await goesOnFrom(repository, { older: home.id, newer: head }, signal));
    return { isCheckedOut, tip: isCheckedOut ? head : home.id };
  }
  const found = await repository.try(['rev-parse', '--quiet', '--verify', `${home.ref}^{commit}`], {}, signal);
  if (found.exitCode !== 0) return null;
  return { isCheckedOut: ref === home.ref, tip: found.stdout.toString('utf8').trim() };
};
