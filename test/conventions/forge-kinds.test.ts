/** A kind of forge is a folder and a row in `shared/forge/kinds/forge-kind.ts`: no other code knows which kinds exist. */
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { importsOf, production, type SourceFile, withoutComments } from './source.ts';

const TABLE = 'shared/forge/kinds/forge-kind.ts';

/** Everything that differs between the kinds is in these folders. */
const OF_A_KIND = new RegExp(`^shared/forge/(?:${ForgeKind.options.join('|')})/`);

/** These rules are named after the forge whose tokens they find. */
const NAMES_OTHER_THINGS: ReadonlySet<string> = new Set(['shared/rules/secrets/secret-patterns.ts']);

const KIND = ForgeKind.options.join('|');

/** A kind as a value ('gitlab'), as a row of a table (`gitlab: …`), and read from a table (`TABLE.gitlab`). */
const NAMED = new RegExp(
  `(?<quote>['"\`])(?:${KIND})\\k<quote>|(?<=[\\s{(,])(?:${KIND}):(?=\\s)|(?<=[\\w\\])])\\??\\.(?:${KIND})\\b(?!\\.)`,
  'g',
);

const isOutside = ({ path }: SourceFile): boolean => path !== TABLE && !OF_A_KIND.test(path);

const kindsNamedIn = (files: readonly SourceFile[]): readonly string[] =>
  files
    .filter((file) => isOutside(file) && !NAMES_OTHER_THINGS.has(file.path))
    .flatMap(({ path, text }) => [...withoutComments(text).matchAll(NAMED)].map(([found]) => `${path}: ${found}`));

const importsOfKinds = (files: readonly SourceFile[]): readonly string[] =>
  files
    .filter(isOutside)
    .flatMap((file) =>
      importsOf(file).flatMap((name) => (OF_A_KIND.test(name) ? [`${file.path} imports ${name}`] : [])),
    );

test('no code outside the folders of the kinds names a kind: what differs is a fact or a function of the kind', () => {
  expect(kindsNamedIn(production)).toEqual([]);
});

test('only the table imports the folders of the kinds', () => {
  expect(importsOfKinds(production)).toEqual([]);
});

/** Without imports of types and imports that are made later, which load nothing at start. */
const AT_START = /^(?:import|export) (?!type )[^;']*?\bfrom '([^']+)'|^import '([^']+)'/gm;

const loadedBy = (start: string): ReadonlySet<string> => {
  const texts = new Map(production.map(({ path, text }) => [path, withoutComments(text)]));
  const loaded = new Set([start]);
  for (const path of loaded) {
    for (const [, from, bare] of (texts.get(path) ?? '').matchAll(AT_START)) {
      const name = from ?? bare ?? '';
      loaded.add(name.startsWith('.') ? join(dirname(path), name) : name);
    }
  }
  return loaded;
};

test('the table, which settings import, loads no client of a forge before one is connected', () => {
  const loaded = loadedBy(TABLE);
  expect([...loaded]).toEqual(
    expect.arrayContaining(ForgeKind.options.map((kind) => `shared/forge/${kind}/dialect.ts`)),
  );
  expect([...loaded].filter((name) => /^(?:@gitbeaker|undici)|adapter\.ts$|forge\/http\.ts$/.test(name))).toEqual([]);
  expect([...loadedBy('shared/forge/gitlab/connect.ts')]).toEqual(
    expect.arrayContaining(['undici', '@gitbeaker/rest']),
  );
});

test.each<[name: string, text: string, found: number]>([
  ['a comparison', "const is = forge.kind === 'gitlab';", 1],
  ['a case', "switch (kind) {\n  case 'gitea':\n    return 1;\n}", 1],
  ['a quoted name of another kind of quotes', 'const is = kind === "forgejo";', 1],
  ['a table', 'const PATHS = {\n  forgejo: 1,\n  gitlab: 2,\n};', 2],
  ['a short table', 'const PATHS = { gitea: 1 };', 1],
  ['a row that is read', 'const path = PATHS.gitlab;', 1],
  ['a comment', "// Not for 'gitlab'\nconst a = 1;", 0],
  ['a sentence', "const text = 'only GitLab has this';", 0],
  ['a folder', "const folder = '.gitlab/CODEOWNERS';", 0],
  ['a domain', "const host = 'docs.gitlab.com';", 0],
  ['another name', 'const gitlabJob = jobs.gitlabJob;', 0],
])('notices a kind that is named in %s or not', (_name, text, found) => {
  expect(kindsNamedIn([{ path: 'services/cli/a.ts', text }])).toHaveLength(found);
  expect(kindsNamedIn([{ path: 'shared/forge/gitlab/a.ts', text }])).toEqual([]);
});

test.each([
  ['services/poster/a.ts', '../../shared/forge/gitlab/adapter.ts', 1],
  ['shared/forge/kinds/greet.ts', '../gitea/dialect.ts', 1],
  ['shared/forge/gitea/dialect.ts', '../forgejo/dialect.ts', 0],
  ['services/poster/a.ts', '../../shared/forge/kinds/forge-kind.ts', 0],
])('notices in %s the import of %s or not', (path, name, found) => {
  expect(importsOfKinds([{ path, text: `import { a } from '${name}';\n` }])).toHaveLength(found);
});
