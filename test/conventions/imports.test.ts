import { expect, test } from 'vitest';
import { importsOf, packageOf, production, readProjectFile, sources, withoutComments } from './source.ts';
import type { SourceFile } from './source.ts';

/** `services/guard`, `shared/forge`; `shared` for a file directly in it. */
const areaOf = (path: string): string => path.split('/').slice(0, -1).slice(0, 2).join('/');

function mayImport(from: string, to: string): boolean {
  const [fromArea, toArea] = [areaOf(from), areaOf(to)];
  if (toArea.startsWith('shared')) return true;
  if (from.startsWith('shared/')) return false;
  if (!toArea.startsWith('services/')) return false;
  return fromArea === toArea || (fromArea === 'services/cli' && toArea !== 'services/cli');
}

const PURE = ['shared/vocabulary', 'shared/rounds', 'shared/diff', 'shared/protocol', 'shared/text', 'shared/eval'];
const pureFiles = production.filter(({ path }) => PURE.some((folder) => path.startsWith(`${folder}/`)));

/** Modules without side effects. Everything else is passed as an argument. */
const PURE_MODULES = new Set([
  'zod',
  // Only parses a text into a tree.
  'mdast-util-from-markdown',
  'yaml',
  'node:buffer',
  'node:crypto',
  'node:util',
  'shared/errors.ts',
  'shared/forge/port.ts',
  'shared/forge/port-facts.ts',
  'shared/forge/port-listing.ts',
  'shared/forge/port-reactions.ts',
  'shared/forge/port-statuses.ts',
]);
const isPureModule = (name: string): boolean =>
  PURE_MODULES.has(name) || PURE.some((folder) => name.startsWith(`${folder}/`));

const IMPURE =
  /\b(?:Date\.now|new Date\(\)|Math\.random|process\.|performance\.|randomUUID|randomBytes|randomInt|getRandomValues|fetch\(|setTimeout|setInterval|setImmediate|console\.|globalThis)/;

const found = (files: readonly SourceFile[], look: (file: SourceFile) => readonly string[]): readonly string[] =>
  files.flatMap((file) => look(file).map((what) => `${file.path}: ${what}`));

test.each<[from: string, to: string, allowed: boolean]>([
  ['services/guard/handle.ts', 'services/guard/facts.ts', true],
  ['services/guard/handle.ts', 'shared/rounds/decide/decide.ts', true],
  ['services/guard/handle.ts', 'shared/errors.ts', true],
  ['services/guard/handle.ts', 'services/poster/handle.ts', false],
  ['services/cli/up.ts', 'services/poster/handle.ts', true],
  ['services/cli/up.ts', 'services/cli/local-review.ts', true],
  ['services/poster/main.ts', 'services/cli/up.ts', false],
  ['shared/queue/worker.ts', 'shared/errors.ts', true],
  ['shared/queue/worker.ts', 'services/guard/handle.ts', false],
  ['shared/errors.ts', 'services/guard/handle.ts', false],
  ['services/guard/handle.ts', 'test/support/redis.ts', false],
])('%s may import %s: %s', (from, to, allowed) => {
  expect(mayImport(from, to)).toBe(allowed);
});

test('services use shared code and never each other; shared code uses no service', () => {
  const wrong = found(production, (file) =>
    importsOf(file).filter((name) => /^(?:services|shared|test|deploy)\//.test(name) && !mayImport(file.path, name)),
  );
  expect(wrong).toEqual([]);
});

test('the pure folders import nothing that reads a clock, a file, a socket, a process or chance', () => {
  expect(pureFiles.length).toBeGreaterThan(20);
  expect(found(pureFiles, (file) => importsOf(file).filter((name) => !isPureModule(name)))).toEqual([]);
});

test('the port of the forges, which the pure folders may import, has no code', () => {
  const port = production.find(({ path }) => path === 'shared/forge/port.ts');
  expect(port?.text).not.toMatch(/^(?:export )?(?:const|let|function|class|async)\b/m);
  expect(port?.text).not.toMatch(/^import (?!type )/m);
});

test('the pure folders reach no clock, environment, network or chance through globals', () => {
  expect(found(pureFiles, ({ text }) => withoutComments(text).match(IMPURE) ?? [])).toEqual([]);
});

test('time limits are those that no garbage collection takes away', () => {
  expect(found(production, ({ text }) => withoutComments(text).match(/AbortSignal\.timeout\(/g) ?? [])).toEqual([]);
});

test('built-in modules are imported with their prefix, and relative ones with their ending', () => {
  const bare =
    /(?:from|import\() ?'(?:fs|path|os|crypto|child_process|http|net|url|util|events|stream)(?:\/promises)?'/;
  const unfinished = /from '\.{1,2}\/[^']*(?<!\.ts|\.json|\.js)'/;
  expect(found(sources, ({ text }) => text.match(bare) ?? [])).toEqual([]);
  expect(found(production, ({ text }) => withoutComments(text).match(unfinished) ?? [])).toEqual([]);
});

const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readProjectFile('package.json'),
);

test('production code imports only packages that an installation for production has', () => {
  const used = new Set(production.flatMap(importsOf).map(packageOf));
  used.delete(null);
  const optional = Object.keys(peerDependencies);
  expect(optional.filter((name) => peerDependenciesMeta[name]?.optional !== true)).toEqual([]);
  const missing = [...used].filter((name) => !(String(name) in dependencies));
  expect(missing.filter((name) => !optional.includes(String(name)))).toEqual(['js-redis-server']);
  // `deploy/build.mjs` bundles it.
  expect(readProjectFile('deploy/build.mjs')).toContain("'js-redis-server/LICENSE'");
});

test('tests import only packages that are declared', () => {
  const declared = { ...dependencies, ...devDependencies };
  const used = new Set(sources.flatMap(importsOf).map(packageOf));
  used.delete(null);
  expect([...used].filter((name) => !(String(name) in declared) && !(`@types/${name}` in declared))).toEqual([]);
});

test.each(['bullmq', 'ioredis', 'fastify', 'pino'])('production code really uses %s', (name) => {
  expect(production.filter((file) => importsOf(file).some((one) => packageOf(one) === name))).not.toEqual([]);
});

test('the reader of imports sees static, type-only, side-effect and dynamic ones, and no comment', () => {
  const text = [
    "import { a } from './a.ts';",
    'import type {',
    '  B,',
    "} from '../other/b.ts';",
    "import '@scope/package/deep';",
    "// import './comment.ts';",
    "/* from './block.ts' */",
    "const end = from(', readEnd(', x);",
    "const c = await import('node:fs');",
  ].join('\n');
  const names = importsOf({ path: 'shared/x/file.ts', text });
  expect(names).toEqual(['shared/x/a.ts', 'shared/other/b.ts', '@scope/package/deep', 'node:fs']);
  expect(names.map(packageOf)).toEqual([null, null, '@scope/package', null]);
});
