/** An exported name has one meaning. */
import { expect, test } from 'vitest';
import { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { production, type SourceFile, withoutComments } from './source.ts';

const EXPORT = /^export (?:async )?(?:const|function|class|type|interface) (\w+)/gm;

const exportedBy = ({ text }: SourceFile): ReadonlySet<string> =>
  new Set([...withoutComments(text).matchAll(EXPORT)].flatMap(([, name]) => name ?? []));

/** Adapters of one port may export the same names. */
const ADAPTERS = new RegExp(`^shared/forge/(?:${ForgeKind.options.join('|')})/`);

/** A provider's API terms are used only by its adapter. */
const isOfProvider = ({ path }: SourceFile): boolean => path.startsWith('shared/agent/models/');

const isAdapterPair = (paths: readonly string[]): boolean =>
  paths.every((path) => ADAPTERS.test(path)) &&
  new Set(paths.map((path) => ADAPTERS.exec(path)?.[0])).size === paths.length;

const collisionsIn = (files: readonly SourceFile[]): readonly string[] => {
  const pathsOf = new Map<string, string[]>();
  for (const file of files.filter((each) => !isOfProvider(each))) {
    for (const name of exportedBy(file)) pathsOf.set(name, [...(pathsOf.get(name) ?? []), file.path]);
  }
  return [...pathsOf]
    .filter(([, paths]) => paths.length > 1 && !isAdapterPair(paths))
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`);
};

test('no name is exported by two files, adapters of one port aside', () => {
  expect(collisionsIn(production)).toEqual([]);
});

test.each<[string, string, string, number]>([
  ['two services', 'services/guard/a.ts', 'services/poster/b.ts', 1],
  ['two files of one adapter', 'shared/forge/gitlab/a.ts', 'shared/forge/gitlab/status/b.ts', 1],
  ['an adapter and its port', 'shared/forge/gitlab/a.ts', 'shared/forge/port.ts', 1],
  ['the two adapters', 'shared/forge/gitlab/status/a.ts', 'shared/forge/forgejo/b.ts', 0],
  ['a provider and the port of a model', 'shared/agent/models/anthropic.ts', 'shared/agent/model/model.ts', 0],
])('a name that %s export counts or not', (_where, one, other, count) => {
  const files = [
    { path: one, text: 'export const Same = 1;\n' },
    { path: other, text: 'export type Same = 1;\n' },
  ];
  expect(collisionsIn(files)).toHaveLength(count);
});
