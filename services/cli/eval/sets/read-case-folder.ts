/**
 * Cases of one's own: YAML files in a folder, each with one case or a list of cases in the neutral form. `set` may be left
 * out (the name of the folder), and so may `licence` (`own`).
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { EvalCase } from '../../../../shared/eval/case.ts';
import { checkShape } from '../../../../shared/protocol/yaml/check-shape.ts';
import { printProblem } from '../../../../shared/protocol/yaml/problem.ts';
import { readYaml, type Places } from '../../../../shared/protocol/yaml/read-yaml.ts';
import { unreadable, UsageError } from '../../terminal/usage-error.ts';
import { collect, idOf, type LoadedSet, readSetText } from './loaded-set.ts';

/** Keys whose values stay text even if they look like numbers. */
const TEXT_KEYS = new Set(['id', 'base', 'head', 'before', 'after', 'version', 'title', 'description', 'text', 'path']);

/** @throws UsageError with every mistake of every file, with its line */
export const readCaseFolder = async (root: string): Promise<LoadedSet> => {
  const names = await readdir(root, { recursive: true }).catch((error: unknown) => {
    throw unreadable(root, error);
  });
  const files = names.filter((name) => /\.ya?ml$/.test(name)).toSorted();
  if (files.length === 0) throw new UsageError(`${root}: no YAML file in this folder`);
  const defaults = { set: idOf(path.basename(path.resolve(root))).replaceAll(/[._]/g, '-'), licence: 'own' };
  const read: FileCases[] = [];
  for (const name of files) read.push(await readCaseFile({ root, name, defaults }));
  const problems = read.flatMap((each) => each.problems);
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return { ...collect(read.flatMap((each) => each.cases)), remarks: [] };
};

type CaseFile = {
  readonly root: string;
  readonly name: string;
  readonly defaults: Readonly<Record<string, string>>;
};

type FileCases = { readonly cases: readonly EvalCase[]; readonly problems: readonly string[] };

const readCaseFile = async ({ root, name, defaults }: CaseFile): Promise<FileCases> => {
  const reading = readYaml({ text: await readSetText(path.join(root, name)), textKeys: TEXT_KEYS });
  if (reading.kind === 'refused')
    return { cases: [], problems: reading.problems.map((problem) => `${name}: ${printProblem(problem)}`) };
  const { value, places } = reading;
  const items = Array.isArray(value) ? value.map((each, index) => ({ each, at: [index] })) : [{ each: value, at: [] }];
  const read = items.map(({ each, at }) =>
    readCase(withDefaults(each, defaults), { at, places, folder: path.dirname(path.join(root, name)) }),
  );
  return {
    cases: read.flatMap((each) => (typeof each === 'string' ? [] : [each])),
    problems: read.flatMap((each) => (typeof each === 'string' ? [`${name}: ${each}`] : [])),
  };
};

const withDefaults = (value: unknown, defaults: CaseFile['defaults']): unknown =>
  typeof value === 'object' && value !== null ? { ...defaults, ...value } : value;

type Where = { readonly at: readonly number[]; readonly places: Places; readonly folder: string };

const readCase = (value: unknown, { at, places, folder }: Where): EvalCase | string => {
  const shaped = checkShape({ schema: EvalCase, value, lineOf: (field) => places.lineOf([...at, ...field]) });
  if (shaped.kind === 'misshapen') return shaped.problems.map(printProblem).join('\n');
  return withWholePath(shaped.value, folder);
};

/** A path in a case file is relative to that file. */
const withWholePath = (read: EvalCase, folder: string): EvalCase => {
  if (read.kind === 'rounds') return read;
  const { change } = read;
  if (change.kind === 'files' || change.kind === 'package' || change.repository.kind !== 'path') return read;
  return {
    ...read,
    change: { ...change, repository: { kind: 'path', path: path.resolve(folder, change.repository.path) } },
  };
};
