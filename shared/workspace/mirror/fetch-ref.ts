/** Fetches one branch or tag of a repository into its mirror. */
import { createHash } from 'node:crypto';
import type { CommitSha } from '../../vocabulary/ids.ts';
import type { GitCredential } from '../git/askpass.ts';
import type { Git } from '../git/git.ts';
import type { Remote } from '../git/remote.ts';
import { readRef } from './fetch-head.ts';

export type RefRequest = {
  readonly url: string;
  /** A branch or a tag, or a full ref name. Contract: it is a valid name. */
  readonly ref: string;
  /** Passed only to the process that fetches. Null for public projects. */
  readonly credential: GitCredential | null;
};

export type RefResult =
  | { readonly kind: 'fetched'; readonly commit: CommitSha }
  /** The repository has no such branch or tag. */
  | { readonly kind: 'missing' }
  /** The repository has both a branch and a tag of this name. */
  | { readonly kind: 'ambiguous' }
  /** The repository's commits have ids of another length than those of the mirror. */
  | { readonly kind: 'other_format' };

const SHA1_LENGTH = 40;

/** Only what the mirror lacks is fetched: an unchanged ref costs one listing. */
export const fetchRef = async (
  { git, remote, isSha1 }: { readonly git: Git; readonly remote: Remote; readonly isSha1: boolean },
  { ref }: Pick<RefRequest, 'ref'>,
  signal: AbortSignal,
): Promise<RefResult> => {
  const names = ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const offered = await remote.list(names, signal);
  const [found, other] = names.flatMap((name) => {
    const id = offered.get(name);
    return id === undefined ? [] : [{ name, id }];
  });
  if (found === undefined) return { kind: 'missing' };
  if (other !== undefined) return { kind: 'ambiguous' };
  if ((found.id.length === SHA1_LENGTH) !== isSha1) return { kind: 'other_format' };
  const local = localRefOf(found.name);
  const known = (await idOf(git, local, signal)) === found.id ? await readRef(git, local, signal) : null;
  if (known !== null) return { kind: 'fetched', commit: known };
  // In a damaged mirror, a ref can be there without its commit. The fetch then brings the commit, or fails.
  await remote.fetch([`+${found.name}:${local}`], signal);
  const commit = await readRef(git, local, signal);
  return commit === null ? { kind: 'missing' } : { kind: 'fetched', commit };
};

/** A hash, because `rules` and `rules/v2`, of which the server had one after the other, cannot both be refs of a mirror. */
const localRefOf = (name: string): string =>
  `refs/fixpoint/rules/${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;

/** The id of a tag object, not of its commit. */
const idOf = async (git: Git, ref: string, signal: AbortSignal): Promise<string | null> => {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', ref];
  const { stdout, exitCode } = await git.run(args, { answers: [1, 128] }, signal);
  return exitCode === 0 ? stdout.toString('latin1').trim() : null;
};
