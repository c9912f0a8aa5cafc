/** Lists what an agent left in the repository besides its work: branches, tags, stashes, and dropped commits. */
import type { CommandResult } from '../../../shared/workspace/process/command.ts';
import type { Repository } from './repository.ts';

export type Refs = ReadonlyMap<string, string>;

export const listRefs = async (repository: Repository, signal: AbortSignal): Promise<Refs> => {
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags'];
  const listed = await repository.ask(args, { maxBytes: 64 * 1024 * 1024 }, signal);
  const lines = listed.split('\n').map((line) => line.split(' '));
  return new Map(lines.flatMap(([name, id]) => (name && id ? [[name, id] as const] : [])));
};

export type Stash = { readonly commit: string; readonly words: string };

/** Stashes, newest first, in the order of `git stash list`. */
export const listStashes = async (repository: Repository, signal: AbortSignal): Promise<readonly Stash[]> => {
  const listed = await repository.try(['stash', 'list', '--format=%H %gs'], {}, signal);
  const lines = listed.exitCode === 0 ? listed.stdout.toString('utf8').split('\n') : [];
  return lines
    .filter((line) => line !== '')
    .map((line) => ({ commit: line.split(' ', 1)[0] ?? '', words: line.slice(line.indexOf(' ') + 1) }));
};

type Tree = { readonly path: string; readonly base: string };

const linesOf = ({ exitCode, stdout }: CommandResult): readonly string[] =>
  exitCode === 0
    ? stdout
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

type Visited = { readonly commits: ReadonlySet<string>; readonly branches: ReadonlySet<string> };

/** Earlier values of the work tree's HEAD, from its reflog (`core.logAllRefUpdates`). */
const listVisited = async (repository: Repository, path: string, signal: AbortSignal): Promise<Visited> => {
  const args = ['log', '--walk-reflogs', '--format=%H %gs', 'HEAD', '--'];
  const lines = linesOf(await repository.try(args, { cwd: path }, signal));
  return {
    commits: new Set(lines.flatMap((line) => line.split(' ', 1))),
    branches: new Set(lines.flatMap((line) => /^\S+ checkout: moving from \S+ to (\S+)$/.exec(line)?.[1] ?? [])),
  };
};

/** The `ids` that are reachable neither from the work nor from `named`. */
const listUnnamed = async (
  repository: Repository,
  { tree, ids, named }: { readonly tree: Tree; readonly ids: readonly string[]; readonly named: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  if (ids.length === 0) return new Set();
  const args = ['rev-list', '--no-walk', ...ids, '--not', tree.base, 'HEAD', ...named];
  return new Set(linesOf(await repository.try(args, { cwd: tree.path }, signal)));
};

const short = (name: string): string => name.replace(/^refs\/(?:heads|tags)\//, '');
const some = (names: readonly string[], limit = 5): string =>
  names.length <= limit ? names.join(', ') : `${names.slice(0, limit).join(', ')} and ${names.length - limit} more`;

export type Began = {
  readonly path: string;
  readonly base: string;
  readonly refs: Refs;
  readonly stashes: ReadonlySet<string>;
};

/**
 * Returns one line per kind. These refs are only listed, never removed: other slots or the user may have made them.
 * Branches that were checked out in the user's own work tree are left out, because they belong to the user.
 */
export const describeTraces = async (
  repository: Repository,
  { tree, isOfLoop }: { readonly tree: Began; readonly isOfLoop: (name: string) => boolean },
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const now = [...(await listRefs(repository, signal))].filter(
    ([name]) => !tree.refs.has(name) && !isOfLoop(short(name)),
  );
  const visited = await listVisited(repository, tree.path, signal);
  const mine = (await listVisited(repository, repository.root, signal)).branches;
  const heads = now.filter(([name]) => name.startsWith('refs/heads/') && !mine.has(short(name)));
  const ids = heads.map(([, id]) => id);
  const apart = await listUnnamed(repository, { tree, ids, named: [...tree.refs.keys()] }, signal);
  const branches = heads.flatMap(([name, id]) =>
    apart.has(id) || visited.branches.has(short(name)) ? [short(name)] : [],
  );
  const tags = now.flatMap(([name]) => (name.startsWith('refs/tags/') ? [short(name)] : []));
  const stashes = (await listStashes(repository, signal)).filter(({ commit }) => !tree.stashes.has(commit));
  const named = ['--branches', '--tags', '--remotes'];
  const dropped = [...(await listUnnamed(repository, { tree, ids: [...visited.commits], named }, signal))];
  return [
    ...(branches.length === 0 ? [] : [`branches of the agent, or with unmerged commits: ${some(branches)}`]),
    ...(tags.length === 0 ? [] : [`tags created during the run: ${some(tags)}`]),
    ...(stashes.length === 0 ? [] : [`new stashes (git stash list): ${some(stashes.map(({ words }) => words))}`]),
    ...(dropped.length === 0
      ? []
      : [`dropped commits (git branch NAME COMMIT keeps one): ${some(dropped.map((id) => id.slice(0, 12)))}`]),
  ];
};
