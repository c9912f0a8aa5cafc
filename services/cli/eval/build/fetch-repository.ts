/** Fetches the named commits of a repository into a bare repository that later cases use too. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { delayOrAbort } from '../../../../shared/time-limit.ts';
import { createGit, type Git, GitError } from '../../../../shared/workspace/git/git.ts';
import { createRevisionNames } from '../../../../shared/workspace/local/revision-names.ts';
import { initBare } from '../../../../shared/workspace/mirror/mirror-folder.ts';
import { EvalBuildError } from './build-error.ts';
import { ownerAndName } from './find-clone.ts';

export type Fetching = {
  readonly url: string;
  /** Commits by id or by name. */
  readonly named: readonly string[];
  readonly folder: string;
  readonly gitPath: string;
};

const FETCH_MS = 30 * 60_000;
const PAUSES_MS = [1_000, 10_000] as const;
const HEAD_HERE = 'refs/heads/fetched';

/** @throws EvalBuildError */
export const fetchRepository = async (fetching: Fetching, signal: AbortSignal): Promise<Git> => {
  const { url, folder, gitPath } = fetching;
  const named = ownerAndName(url);
  if (named === null) throw new EvalBuildError(`the address ${url} does not end with OWNER/NAME`);
  const gitDir = path.resolve(folder, `${named.join('+')}.git`);
  const git = createGit({ gitPath, gitDir, allowProtocols: [] });
  await mkdir(gitDir, { recursive: true });
  // Also in a known folder: an earlier run may have been killed between these steps.
  await initBare(git, 'sha1', signal);
  await git.run(['symbolic-ref', 'HEAD', HEAD_HERE], {}, signal);
  const missing = await missingOf(git, fetching.named, signal);
  if (missing.length > 0) await fetchAll({ ...fetching, gitDir, missing }, signal);
  return git;
};

const missingOf = async (git: Git, named: readonly string[], signal: AbortSignal): Promise<readonly string[]> => {
  const names = createRevisionNames(git);
  const missing: string[] = [];
  for (const name of new Set(named)) if ((await names.resolveRevision(name, signal)) === null) missing.push(name);
  return missing;
};

/** An id is fetched as it is; a name keeps its name, and the remote's HEAD becomes that of this repository. */
const refspecOf = (name: string): string => {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) return name;
  if (name === 'HEAD') return `+HEAD:${HEAD_HERE}`;
  return name.startsWith('refs/') ? `+${name}:${name}` : `+refs/heads/${name}:refs/heads/${name}`;
};

type FetchingMissing = Fetching & { readonly gitDir: string; readonly missing: readonly string[] };

const fetchAll = async ({ url, gitPath, gitDir, missing }: FetchingMissing, signal: AbortSignal): Promise<void> => {
  const remote = createGit({ gitPath, gitDir, allowProtocols: ['https', 'http'] });
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--end-of-options', url];
  for (const pauseMs of [...PAUSES_MS, null]) {
    try {
      return void (await remote.run([...args, ...missing.map(refspecOf)], { timeoutMs: FETCH_MS }, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GitError)) throw error;
      if (pauseMs === null || error.disposition.kind !== 'retry')
        throw new EvalBuildError(`${url}: ${error.message}`, error);
      await delayOrAbort(pauseMs, signal);
    }
  }
};
