/** Finds the forge of a clone from the address of its remote `origin`. */
import { createGit, findGit } from '../../../shared/workspace/git/git.ts';
import { findGitDir } from '../../../shared/workspace/local/local.ts';

/** Address of a remote's web pages. `path` may begin with the sub-path of the forge. */
export type RemoteAddress = { readonly origin: string; readonly path: readonly string[] };

const SCP = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+):(?!\/\/)([^\s]+)$/;

/** Returns null for a path on this machine. User name and password in the address are dropped, and so is the port of SSH. */
export const parseRemote = (url: string): RemoteAddress | null => {
  const [, host, scpPath] = URL.canParse(url) && url.includes('://') ? [] : (SCP.exec(url) ?? []);
  if (host !== undefined && scpPath !== undefined) return { origin: `https://${host}`, path: pathOf(scpPath) };
  if (!URL.canParse(url)) return null;
  const { protocol, host: web, hostname, pathname } = new URL(url);
  if (protocol === 'https:' || protocol === 'http:') return { origin: `${protocol}//${web}`, path: pathOf(pathname) };
  return protocol === 'ssh:' && hostname !== '' ? { origin: `https://${hostname}`, path: pathOf(pathname) } : null;
};

const pathOf = (pathname: string): readonly string[] =>
  pathname
    .replace(/\.git\/?$/, '')
    .split('/')
    .filter((segment) => segment !== '');

/** Returns null when there is no repository or no remote, or when the remote is not a web address. */
export const readOrigin = async (
  { directory, searchPath }: { readonly directory: string; readonly searchPath: string },
  signal: AbortSignal,
): Promise<RemoteAddress | null> => {
  const gitDir = await findGitDir(directory);
  if (gitDir === null) return null;
  const git = createGit({ gitPath: findGit(searchPath), gitDir, allowProtocols: [] });
  const { stdout, exitCode } = await git.run(['config', '--get', 'remote.origin.url'], { answers: [1] }, signal);
  return exitCode === 0 ? parseRemote(stdout.toString('utf8').trim()) : null;
};
