/**
 * SecBench.js: `CATEGORY/PACKAGE_VERSION/package.json` with the vulnerable version of an npm package and the line of the sink.
 * https://github.com/cristianstaicu/SecBench.js (states no licence). The whole package is the change.
 */
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { jsonOrNull } from '../../../../shared/json-or-null.ts';
import { collect, idOf, inSet, type LoadedSet, listSet, readSetText, type RefusedCase } from './loaded-set.ts';

const CATEGORIES = ['code-injection', 'command-injection', 'path-traversal', 'prototype-pollution', 'redos'] as const;

const TEXTS: Readonly<Record<(typeof CATEGORIES)[number], string>> = {
  'code-injection': 'Code injection: text of a caller is run as code here.',
  'command-injection': 'Command injection: text of a caller becomes part of a shell command here.',
  'path-traversal': 'Path traversal: a path of a request leads outside the served folder here.',
  'prototype-pollution': 'Prototype pollution: a key of a caller reaches Object.prototype here.',
  redos: 'Catastrophic backtracking: this regular expression takes exponential or quadratic time.',
};

const Described = z.object({ dependencies: z.record(z.string(), z.string()), sink: z.string().optional() });

type Made = RefusedCase | Readonly<Record<string, unknown>>;

/** @throws UsageError */
export const readSecbench = async (root: string): Promise<LoadedSet> => {
  const made: Made[] = [];
  for (const category of CATEGORIES) {
    for (const name of await listSet(inSet(root, category))) {
      const file = inSet(root, category, name, 'package.json');
      if ((await stat(file).catch(() => null))?.isFile() !== true) continue;
      made.push(caseOf({ id: idOf('secbench', category, name), category, text: await readSetText(file) }));
    }
  }
  const remarks = [
    'the set states no licence, so its cases must not be published',
    'only the sink of one vulnerability is labelled, so findings elsewhere in the package may be right too',
  ];
  return { ...collect(made), remarks };
};

type Entry = { readonly id: string; readonly category: (typeof CATEGORIES)[number]; readonly text: string };

const SINK = /^(?:\.\/)?([^:\s]{1,1000}):(\d{1,7}):\d{1,7}$/;

/** Some labels of `@scope/name` begin with `name/`, which is the folder that npm unpacked it to. */
const withoutPackage = (path: string, name: string): string => {
  const [, folder] = name.split('/');
  return folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
};

const caseOf = ({ id, category, text }: Entry): Made => {
  const described = Described.safeParse(jsonOrNull(text));
  if (!described.success) return { id, why: 'package.json names no dependency' };
  const [[name, version] = ['', ''], ...others] = Object.entries(described.data.dependencies);
  if (name === '' || others.length > 0) return { id, why: 'it is not about exactly one package' };
  const [, path, line] = SINK.exec(described.data.sink?.trim() ?? '') ?? [];
  if (path === undefined || line === undefined) return { id, why: 'package.json names no line of the sink' };
  return {
    id,
    set: 'secbench',
    licence: 'none stated',
    kind: 'defect',
    language: 'JavaScript',
    change: { kind: 'package', name, version },
    golden: [
      {
        path: withoutPackage(path, name),
        pathEnd: true,
        from: Number(line),
        text: TEXTS[category],
        severity: 'P1',
        category,
      },
    ],
  };
};
