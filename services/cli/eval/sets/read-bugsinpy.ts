/**
 * BugsInPy: `projects/NAME/bugs/N` with the fixed commit and the patch of the fix, and `projects/NAME/project.info` with the
 * repository. https://github.com/soarsmu/BugsInPy (states no licence). The change under review takes the fix back, without
 * its tests, so it brings the bug. Each hunk of the fix is one label.
 */
import { stat } from 'node:fs/promises';
import { AppError } from '../../../../shared/errors.ts';
import { hunkLines } from '../../../../shared/diff/hunk-lines.ts';
import type { DiffFile, Hunk } from '../../../../shared/diff/model.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';
import { collect, idOf, inSet, type LoadedSet, listSet, readSetText, type RefusedCase } from './loaded-set.ts';

type Made = RefusedCase | Readonly<Record<string, unknown>>;

/** @throws UsageError */
export const readBugsInPy = async (root: string): Promise<LoadedSet> => {
  const folder = inSet(root, 'projects');
  const projects = await listSet(folder);
  const made: Made[] = [];
  for (const project of projects) made.push(...(await readProject(folder, project)));
  const remarks = [
    'the set states no licence, so its cases must not be published',
    'each hunk of a fix is one label; a bug with several hunks has several labels',
  ];
  return { ...collect(made), remarks };
};

const isFile = async (file: string): Promise<boolean> => (await stat(file).catch(() => null))?.isFile() === true;

const readProject = async (folder: string, project: string): Promise<readonly Made[]> => {
  const info = inSet(folder, project, 'project.info');
  if (!(await isFile(info))) return [{ id: idOf('bugsinpy', project), why: 'the project has no project.info' }];
  const url = fieldsOf(await readSetText(info))
    .get('github_url')
    ?.replace(/\/$/, '');
  const numbers = (await listSet(inSet(folder, project, 'bugs'))).filter((name) => /^\d+$/.test(name));
  const ordered = numbers.toSorted((one, other) => Number(one) - Number(other));
  const made: Made[] = [];
  for (const number of ordered) {
    const id = idOf('bugsinpy', project, number);
    made.push(
      url === undefined
        ? { id, why: 'project.info names no github_url' }
        : await readBug({ id, url, folder: inSet(folder, project, 'bugs', number) }),
    );
  }
  return made;
};

/** Lines such as `fixed_commit_id="…"`; some have blanks around the sign. */
const fieldsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^\s{0,8}(\w{1,40})\s{0,8}=\s{0,8}"?([^"\s]{0,500})/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );

type Bug = { readonly id: string; readonly url: string; readonly folder: string };

const readBug = async ({ id, url, folder }: Bug): Promise<Made> => {
  const [info, patchFile] = [inSet(folder, 'bug.info'), inSet(folder, 'bug_patch.txt')];
  if (!(await isFile(info)) || !(await isFile(patchFile))) return { id, why: 'bug.info or bug_patch.txt is missing' };
  const base = fieldsOf(await readSetText(info)).get('fixed_commit_id');
  if (base === undefined || base === '') return { id, why: 'bug.info names no fixed_commit_id' };
  const text = await readSetText(patchFile);
  const patch = text.endsWith('\n') ? text : `${text}\n`;
  const golden = labelsOf(patch);
  if (golden === null) return { id, why: 'bug_patch.txt is not a patch' };
  if (golden.length === 0) return { id, why: 'its fix only adds files, so no line can be given for the bug' };
  return {
    id,
    set: 'bugsinpy',
    licence: 'none stated',
    kind: 'defect',
    language: 'Python',
    change: { kind: 'patch', repository: { kind: 'fetch', url }, base, patch, reverse: true },
    golden,
  };
};

const labelsOf = (patch: string) => {
  try {
    return parseDiff(patch).files.flatMap((file) =>
      file.status === 'added' ? [] : file.hunks.map((hunk) => labelOf(file, hunk)),
    );
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
};

/** The lines that the fix removes or, if it only adds lines, the line before which it adds them. */
const labelOf = ({ oldPath }: DiffFile, hunk: Hunk) => {
  const lines = hunkLines(hunk);
  const removed = lines.flatMap(({ kind, oldLine }) => (kind === 'removed' && oldLine !== null ? [oldLine] : []));
  const added = lines.findIndex(({ kind }) => kind === 'added');
  const after = lines.slice(added).find(({ oldLine }) => oldLine !== null)?.oldLine;
  const before = lines.slice(0, Math.max(added, 0)).findLast(({ oldLine }) => oldLine !== null)?.oldLine;
  const near = removed.length > 0 ? removed : [after ?? before ?? 1];
  return {
    path: oldPath,
    from: Math.min(...near),
    to: Math.max(...near),
    text: 'The code here has the bug that the fix of this project removed.',
    severity: 'P1',
    category: 'bug',
  };
};
