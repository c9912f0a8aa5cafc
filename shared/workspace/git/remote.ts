import { readFile } from 'node:fs/promises';
import type { CommitSha } from '../../vocabulary/ids.ts';
import { credentialLines, type GitCredential } from './askpass.ts';
import type { CommandResult } from '../process/command.ts';
import { createGit, failureOf, type Git, type GitRun, gitError, GitError } from './git.ts';
import type { RemoteSource } from './git-source.ts';
import { NO_PROXY_AT_ALL, type ProxySetting } from '../../vocabulary/proxy-setting.ts';
import { proxyVariables } from '../../network/outgoing.ts';

export type RemoteSettings = {
  readonly gitPath: string;
  readonly gitDir: string;
  readonly timeoutMs: number;
  readonly askpass: string;
  readonly source: Pick<RemoteSource, 'url' | 'protocol'>;
  readonly credential: GitCredential | null;
  readonly caFile?: string;
  /** Default: no proxy. */
  readonly proxy?: ProxySetting;
  /** Set only for a push whose objects are in a separate folder. */
  readonly objectDirectory?: string;
};

/** `branch` is a validated name without `refs/heads/`. */
export type PushWish = { readonly branch: string; readonly from: CommitSha; readonly to: CommitSha };

/** The only git calls that use the network and get a credential. */
export type Remote = {
  /** Returns the server's commits for these full ref names. The map may also contain longer names that end with one of them. */
  list(refs: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, CommitSha>>;
  fetch(refspecs: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Fetches the objects of these full ref names in one connection and returns the commit of each name; writes no ref. Null
   * when the server lacks a name, or when git resolved a name to another ref.
   */
  fetchNamed(refs: readonly string[], signal: AbortSignal): Promise<readonly CommitSha[] | null>;
  /**
   * Moves one branch from exactly `from` to exactly `to`. Returns without an error even if the server rejects the push.
   */
  push(wish: PushWish, signal: AbortSignal): Promise<void>;
  /** Like `fetch`, for commits that the server may refuse to send. A refusal is not an error. */
  tryFetch(refspecs: readonly string[], signal: AbortSignal): Promise<void>;
};

const FETCH = [
  'fetch',
  '--quiet',
  '--force',
  '--no-tags',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
  '--no-write-commit-graph',
  '--refmap=',
];
const UNNAMED = '--no-write-fetch-head';
const NAMED = '--write-fetch-head';

const PUSH = [
  'push',
  '--quiet',
  '--porcelain',
  '--no-verify',
  '--no-follow-tags',
  '--no-signed',
  '--recurse-submodules=no',
];

/**
 * True when `--porcelain` output says that the server rejected the push. git also exits with 1 when the connection is
 * lost during the push: https://git-scm.com/docs/git-push#_output
 */
const isRejected = (porcelain: string): boolean =>
  porcelain.split('\n').some((line) => {
    const [flag, , summary = ''] = line.split('\t');
    return flag === '!' && (summary.startsWith('[rejected]') || summary.startsWith('[remote rejected]'));
  });

const LIST_TIMEOUT_MS = 60_000;

/** The result is keyed by full name, because `ls-remote refs/pull/1/head` also lists `refs/heads/refs/pull/1/head`. */
const parseListing = (output: string): ReadonlyMap<string, CommitSha> => {
  const found = new Map<string, CommitSha>();
  for (const line of output.split('\n')) {
    const match = /^([0-9a-f]{40}|[0-9a-f]{64})\t([^ \n]+)$/.exec(line);
    const [, id = '', ref = ''] = match ?? [];
    // The cast is safe because the expression matches full object ids only.
    if (match !== null) found.set(ref, id as CommitSha);
  }
  return found;
};

/**
 * The name that `FETCH_HEAD` gives a ref. When `refs/heads/main` is missing, `git fetch refs/heads/main` falls back to
 * `refs/heads/refs/heads/main`, and only this name reveals it.
 * https://git-scm.com/docs/git-fetch#_output, builtin/fetch.c append_fetch_head
 */
const calledBy = (ref: string): string =>
  ref.startsWith('refs/heads/') ? `branch '${ref.slice('refs/heads/'.length)}'` : `'${ref}'`;

/** Parses `FETCH_HEAD` by splitting at spaces, which ref names cannot contain (other white space they can). */
const parseFetchHead = (text: string): ReadonlyMap<string, CommitSha> => {
  const found = new Map<string, CommitSha>();
  for (const line of text.split('\n')) {
    const match = /^([0-9a-f]{40}|[0-9a-f]{64})\t(?:not-for-merge)?\t((?:branch )?'[^ \n]+') of /.exec(line);
    const [, id = '', name = ''] = match ?? [];
    // The cast is safe because the expression matches full object ids only.
    if (match !== null) found.set(name, id as CommitSha);
  }
  return found;
};

const environment = (settings: RemoteSettings): Record<string, string> => ({
  ...(settings.credential === null ? {} : { GIT_ASKPASS: settings.askpass }),
  ...(settings.caFile === undefined ? {} : { GIT_SSL_CAINFO: settings.caFile }),
  ...proxyVariables(settings.proxy === undefined ? NO_PROXY_AT_ALL : settings.proxy),
});

const runWith =
  (settings: RemoteSettings, git: Git) => (args: readonly string[], options: GitRun, signal: AbortSignal) =>
    git
      .run(
        args,
        {
          ...options,
          env: environment(settings),
          ...(settings.credential === null ? {} : { secretInput: credentialLines(settings.credential) }),
        },
        signal,
      )
      .catch((error: unknown) => {
        if (signal.aborted) throw error;
        throw fromRemote(tooSlow(error, args[0] ?? '', options), args[0] ?? '');
      });

const pushFailure = ({ credential }: RemoteSettings, result: CommandResult): unknown => {
  const secret = credential === null ? {} : { secretInput: credentialLines(credential) };
  return fromRemote(failureOf('push', { ...secret, isRemote: true }, result), 'push');
};

/** Says which time limit ended a fetch or push, and which setting raises it. */
const tooSlow = (error: unknown, command: string, { timeoutMs = 0 }: GitRun): unknown => {
  if (!(error instanceof GitError) || error.code !== 'GIT_TIMEOUT' || !ADJUSTABLE.has(command)) return error;
  const message = `the server was too slow: git ${command} did not finish within ${timeoutMs / 1000} s (mirrors.fetch_timeout_s)`;
  return gitError('GIT_TIMEOUT', message, 'retry', error);
};

const ADJUSTABLE: ReadonlySet<string> = new Set(['fetch', 'push']);

/** Marks errors that an unreachable server may have caused (`remote: true`), so that the caller can wait for the server. */
const fromRemote = (error: unknown, command: string): unknown => {
  if (!(error instanceof GitError) || !['GIT_FAILED', 'GIT_TIMEOUT'].includes(error.code)) return error;
  const { code, message, disposition, cause } = error;
  return new GitError({ code, message, disposition, cause, fields: { ...error.fields, remote: true, command } });
};

/**
 * Returns true when the server refused or cannot be reached. Callers that check what the server has received need not
 * treat this as an error.
 */
export const isRefusal = (error: unknown): boolean => error instanceof GitError && REFUSALS.has(error.code);

const REFUSALS: ReadonlySet<string> = new Set([
  'GIT_FAILED',
  'GIT_UNAUTHORISED',
  'GIT_REPOSITORY_MISSING',
  'GIT_REDIRECTED',
]);

export const createRemote = (settings: RemoteSettings): Remote => {
  const { gitPath, gitDir, source, timeoutMs, objectDirectory } = settings;
  const objects = objectDirectory === undefined ? {} : { objectDirectory };
  const run = runWith(settings, createGit({ gitPath, gitDir, allowProtocols: [source.protocol], ...objects }));
  const fetch: Remote['fetch'] = async (refspecs, signal) => {
    await run([...FETCH, UNNAMED, '--', source.url, ...refspecs], { timeoutMs }, signal);
  };
  return {
    fetch,
    fetchNamed: async (refs, signal) => {
      try {
        await run([...FETCH, NAMED, '--', source.url, ...refs], { timeoutMs }, signal);
      } catch (error) {
        if (error instanceof GitError && error.code === 'GIT_FAILED') return null;
        throw error;
      }
      const found = parseFetchHead(await readFile(`${gitDir}/FETCH_HEAD`, 'utf8'));
      const ids = refs.flatMap((ref) => found.get(calledBy(ref)) ?? []);
      return ids.length === refs.length ? ids : null;
    },
    push: async ({ branch, from, to }, signal) => {
      const ref = `refs/heads/${branch}`;
      const args = [...PUSH, `--force-with-lease=${ref}:${from}`, '--', source.url, `${to}:${ref}`];
      // Exit code 1: the server rejected the push. The caller looks up the branch's commit afterwards.
      const result = await run(args, { timeoutMs, answers: [1] }, signal);
      if (result.exitCode === 1 && !isRejected(result.stdout.toString('utf8'))) throw pushFailure(settings, result);
    },
    list: async (refs, signal) => {
      if (refs.some((ref) => !ref.startsWith('refs/'))) throw gitError('GIT_REFUSED', 'not a full ref name', 'fail');
      const { stdout } = await run(
        ['ls-remote', '--refs', '--quiet', '--', source.url, ...refs],
        { timeoutMs: LIST_TIMEOUT_MS },
        signal,
      );
      return parseListing(stdout.toString('utf8'));
    },
    tryFetch: async (refspecs, signal) => {
      try {
        await fetch(refspecs, signal);
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    },
  };
};
