import { posix } from 'node:path';
import { absentNotice, whyAbsent } from '../../workspace/tree/absent-files.ts';
import { glob } from '../../workspace/tree/glob.ts';
import type { Tree } from '../../workspace/tree/tree.ts';
import { plainPath } from '../submission/plain-path.ts';

const NEXT_STEPS: Readonly<Record<string, string>> = {
  'a folder': 'list its files with Glob',
  'not a folder': 'give a folder as path',
  'not a regular file': 'only files of the repository can be read',
};

const MAX_MEANT = 3;
const MAX_SHOWN = 200;

/** Files with the same name; empty if the name is no plain file name. */
const sameName = async (tree: Tree, path: string, signal: AbortSignal): Promise<readonly string[]> => {
  const name = posix.basename(path);
  if (!/^[\w.+-]{1,100}$/.test(name)) return [];
  const found = await glob(tree, { pattern: `**/${name}`, maxFiles: MAX_MEANT }, signal);
  return found.kind === 'files' ? found.files : [];
};

/** Says why a path was refused, and what to do next. */
export const whyNot = async (tree: Tree, path: string, reason: string, signal: AbortSignal): Promise<string> => {
  const shown = path.slice(0, MAX_SHOWN);
  if (reason !== 'not found') {
    const next = NEXT_STEPS[reason];
    return `${shown}: ${reason}${next === undefined ? '' : `; ${next}`}`;
  }
  const absent = whyAbsent(tree.absent, plainPath(path));
  if (absent !== null) return `${shown}: a file of the commit that is not in this tree: ${absent}`;
  const meant = await sameName(tree, path, signal);
  const next = meant.length === 0 ? 'look for it with Glob' : `did you mean ${meant.join(' or ')}?`;
  const notice = absentNotice(tree.absent, { folder: plainPath(path), inText: false });
  return `${shown}: not found; ${next}${notice === null ? '' : `; ${notice}`}`;
};

/** The paths to try in this order: the given path, then the path without the prefix of a diff. */
export const pathsToTry = (given: string): readonly string[] => {
  const path = plainPath(given);
  return /^[ab]\/./.test(path) ? [path, path.slice(2)] : [path];
};
