import { mkdir } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { createBubblewrap } from './bubblewrap.ts';
import type { Cage } from './cage.ts';
import type { CageLimits, CageProfile } from './cage-profile.ts';
import { reachableProgram, whereItEnds } from './cage-programs.ts';
import { checkCage } from './check-cage.ts';
import { findRipgrep } from '../process/ripgrep.ts';
import { isFiltered, seccompFilter } from './seccomp-filter.ts';
import { isProgram } from '../process/programs.ts';

export type CageWish = {
  readonly dataFolder: string;
  readonly path: string;
  /** The account that the cage runs under when the service runs as root. */
  readonly uid: number;
  readonly limits: CageLimits;
  readonly readOnlyPaths: readonly string[];
};

export type FoundCage =
  | { readonly kind: 'caged'; readonly cage: Cage }
  /** Contract: at least one reason. */
  | { readonly kind: 'none'; readonly reasons: readonly string[] };

const none = (...reasons: readonly string[]): FoundCage => ({ kind: 'none', reasons });

/** Ignores relative entries of `PATH`, because they depend on the current folder. */
const findOnPath = (name: string, path: string): string | null => {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
};

const isRoot = (): boolean => process.getuid?.() === 0;

type Means = Omit<CageProfile, 'countsNamespaces'>;

const accountOf = async (wish: CageWish): Promise<CageProfile['account'] | { readonly reason: string }> => {
  if (!isRoot()) return null;
  const setpriv = findOnPath('setpriv', '/usr/bin:/bin');
  if (setpriv === null) return { reason: 'setpriv (util-linux) is not installed, and the service runs as root' };
  const end = await whereItEnds(wish.dataFolder);
  if (end === null) return { setpriv, uid: wish.uid };
  return {
    reason: `${end} is closed to the account ${wish.uid} of the cage (chmod o+x), and the service runs as root`,
  };
};

const programsOf = async ({ dataFolder }: CageWish): Promise<CageProfile['programs']> => {
  if (!isRoot()) return { node: process.execPath, ripgrep: findRipgrep() };
  const folder = join(dataFolder, 'cage');
  return {
    node: await reachableProgram(process.execPath, folder),
    ripgrep: await reachableProgram(findRipgrep(), folder),
  };
};

const gather = async (wish: CageWish): Promise<Means | { readonly reason: string }> => {
  if (process.platform !== 'linux') return { reason: 'cages are available only on Linux' };
  if (!isFiltered(process.arch)) return { reason: `there is no system call filter for ${process.arch}` };
  const bwrap = findOnPath('bwrap', wish.path);
  if (bwrap === null) return { reason: 'bubblewrap (bwrap) is not installed' };
  if (!isProgram('/usr/bin/prlimit')) return { reason: 'prlimit (util-linux) is not installed' };
  await mkdir(wish.dataFolder, { recursive: true });
  const account = await accountOf(wish);
  if (account !== null && 'reason' in account) return account;
  const programs = await programsOf(wish);
  const readOnlyPaths = [...wish.readOnlyPaths, programs.node, programs.ripgrep];
  return { bwrap, account, limits: wish.limits, programs, readOnlyPaths, filter: seccompFilter(process.arch) };
};

/**
 * If the number of user namespaces cannot be limited (in most containers), only the seccomp filter forbids new
 * namespaces.
 */
export const findCage = async (wish: CageWish, signal: AbortSignal): Promise<FoundCage> => {
  const means = await gather(wish);
  if ('reason' in means) return none(means.reason);
  let wrong: readonly string[] = [];
  for (const countsNamespaces of [true, false]) {
    const cage = createBubblewrap({ ...means, countsNamespaces });
    const check = { cage, folder: wish.dataFolder, maxProcesses: wish.limits.processes };
    wrong = await checkCage(check, signal);
    if (wrong.length === 0) return { kind: 'caged', cage };
  }
  return none(...wrong);
};
