import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { trackedFiles } from '../support/tracked-files.ts';
import { production, readProjectFile, sources, withoutComments } from './source.ts';

const files = trackedFiles();
const code = files.filter((path) => /\.(?:ts|mjs)$/.test(path) && !path.startsWith('test/fixtures/'));

const TOP_LEVEL = new Set([
  '.ci',
  '.env.example',
  '.gitignore',
  '.oxlintrc.json',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'biome.json',
  'deploy',
  'docker-compose.yml',
  'fixpoint.example.toml',
  'knip.json',
  'package-lock.json',
  'package.json',
  'services',
  'shared',
  'test',
  'tsconfig.build.json',
  'tsconfig.json',
  'vitest.config.ts',
]);

test('nothing lies at the top that the layout does not name, and nothing of it is missing', () => {
  const present = new Set(files.map((path) => path.split('/')[0] ?? ''));
  expect([...present].toSorted()).toEqual([...TOP_LEVEL].toSorted());
});

test('names of code files are kebab-case', () => {
  const wrong = code.filter(
    (path) => !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|property\.test|config))?\.(?:ts|mjs)$/.test(basename(path)),
  );
  expect(wrong).toEqual([]);
});

test('no file is a drawer for everything', () => {
  const drawers = /(?:^|\/)(?:utils?|helpers?|common|misc|types|index|constants)(?:\.test)?\.(?:ts|mjs)$/;
  expect(code.filter((path) => drawers.test(path))).toEqual([]);
});

test('no production file is longer than 300 lines, and the median is below 100', () => {
  const lengths = production.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }));
  expect(lengths.filter(({ lines }) => lines > 300)).toEqual([]);
  const sorted = lengths.map(({ lines }) => lines).toSorted((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100);
});

test('no file hands on what another exports', () => {
  const barrels = production.filter(({ text }) => /^export (?:type )?(?:\*|\{[^}]*\}) (?:as \w+ )?from /m.test(text));
  expect(barrels.map(({ path }) => path)).toEqual([]);
});

test('every class is an error', () => {
  const classes = production.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(/^\s*(?:export )?class (?<head>.*)\{/gm)].map((match) => `${path}: ${match[1]}`),
  );
  expect(classes.filter((line) => !/ extends \w*Error /.test(line))).toEqual([]);
});

test('production code holds no reminder of work that is not done', () => {
  expect(production.filter(({ text }) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(text)).map(({ path }) => path)).toEqual([]);
});

/** Files that may use `Math.random`: retries need no secure randomness, and rules quote it as an example. */
const MAY_USE_CHANCE = new Set([
  'shared/forge/retry.ts',
  'shared/forge/http.ts',
  'shared/forge/clock.ts',
  'shared/runtime/run-worker.ts',
]);

test('ids and secrets never come from Math.random', () => {
  const users = production.filter(
    ({ path, text }) =>
      !MAY_USE_CHANCE.has(path) && !path.startsWith('shared/rules/structural/') && text.includes('Math.random'),
  );
  expect(users.map(({ path }) => path)).toEqual([]);
});

test('tests stand where their subject stands', () => {
  const subjects = files.filter((path) => /^test\/(?:shared|services)\/.*\.test\.ts$/.test(path));
  const folders = new Set(production.map(({ path }) => path.split('/').slice(0, 2).join('/')));
  const homeless = subjects.filter((path) => {
    const [, top = '', area = ''] = path.split('/');
    return !folders.has(`${top}/${area}`) && !folders.has(`${top}/${area.replace(/\.test\.ts$/, '.ts')}`);
  });
  expect(homeless).toEqual([]);
});

/** Split, so that this file does not contain the words that it searches for. */
const FOREIGN = [
  ['', 'work', ''].join('/'),
  ['bash', 'jobs'].join('_'),
  ['registry', 'npmjs', 'org'].join('.'),
  ['registry', 'yarnpkg', 'com'].join('.'),
  ['deb', 'debian', 'org'].join('.'),
  ['files', 'pythonhosted', 'org'].join('.'),
];

test('no file names a folder of the machine it was written on, nor a package registry', () => {
  const readable = files.filter((path) => !path.startsWith('test/fixtures/'));
  const wrong = readable.flatMap((path) => {
    const text = readProjectFile(path);
    return FOREIGN.filter((word) => text.includes(word)).map((word) => `${path}: ${word}`);
  });
  expect(wrong).toEqual([]);
});

test('every test file tests something', () => {
  const tests = sources.filter(({ path }) => path.endsWith('.test.ts'));
  expect(
    tests.filter(({ text }) => !/\b(?:test|it|describe[A-Z]\w*)(?:\.\w+)*[<(]/.test(text)).map(({ path }) => path),
  ).toEqual([]);
});
