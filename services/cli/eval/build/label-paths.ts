/** Which files of a change the labels mean whose path may lack its first folders. */
import type { EvalGolden } from '../../../../shared/eval/case.ts';
import { createGit, type Git } from '../../../../shared/workspace/git/git.ts';
import type { BuiltChange } from './build-change.ts';
import { EvalBuildError } from './build-error.ts';

type Placed = EvalGolden & { readonly path: string };

const LIST_MS = 60_000;
const MAX_LIST_BYTES = 32 * 1024 * 1024;
/** Bundled dependencies are no files of the change's author. */
const BUNDLED = /(?:^|\/)node_modules\//;

/**
 * By the path of the label. A label means the file with exactly its path, or else the only file whose path ends with it. A file
 * that ends before the line of the label does not count.
 * @throws EvalBuildError if a label means no file, or more than one; GitError
 */
export const findLabelPaths = async (
  golden: readonly EvalGolden[],
  { directory, base, head, gitPath }: BuiltChange & { readonly gitPath: string },
  signal: AbortSignal,
): Promise<Record<string, string>> => {
  const labels = golden.filter((label): label is Placed => label.pathEnd === true && label.path !== undefined);
  const git = createGit({ gitPath, gitDir: directory, allowProtocols: [] });
  const found: [string, string][] = [];
  for (const label of labels)
    found.push([label.path, await findLabelPath(label, { git, commit: label.side === 'new' ? head : base }, signal)]);
  return Object.fromEntries(found);
};

type Tree = { readonly git: Git; readonly commit: string };

const findLabelPath = async (label: Placed, tree: Tree, signal: AbortSignal): Promise<string> => {
  const paths = (await listFiles(tree, signal)).filter((path) => isEndOf(label.path, path));
  const long: string[] = [];
  for (const path of paths) if (await hasLine(path, label.from ?? 1, tree, signal)) long.push(path);
  const [only, ...others] = long.includes(label.path) ? [label.path] : long;
  const name = `a label names ${label.path}${label.from === undefined ? '' : `:${label.from}`}`;
  if (only === undefined) throw new EvalBuildError(`${name}, which the change does not have`);
  if (others.length > 0) throw new EvalBuildError(`${name}, which could be any of ${long.join(', ')}`);
  return only;
};

const isEndOf = (end: string, path: string): boolean =>
  path === end || (path.endsWith(`/${end}`) && !BUNDLED.test(path));

const listFiles = async ({ git, commit }: Tree, signal: AbortSignal): Promise<readonly string[]> => {
  const options = { timeoutMs: LIST_MS, maxBytes: MAX_LIST_BYTES };
  const { stdout } = await git.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit], options, signal);
  return stdout.toString('utf8').split('\0');
};

const hasLine = async (path: string, line: number, { git, commit }: Tree, signal: AbortSignal): Promise<boolean> => {
  const options = { timeoutMs: LIST_MS, maxBytes: MAX_LIST_BYTES };
  const { stdout } = await git.run(['cat-file', 'blob', `${commit}:${path}`], options, signal);
  return stdout.toString('latin1').split('\n').length >= line;
};
