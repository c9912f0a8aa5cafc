/** Every test that runs services uses a stage that searches for secrets at the end. */
import { expect, test } from 'vitest';
import { sources, withoutComments } from './source.ts';

/** Functions that start services without that search. */
const BARE = ['startOneProcess', 'startServiceProcess', 'startDemoWorld'];

/** Files that may run services without the search, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'test/support/service-process.ts': 'starts one process for the fleet, which searches',
  'test/sim/demo/world.ts': 'is what `npm run demo` shows; its test searches',
  'test/sim/demo/main.ts': 'is the program itself',
  'test/bench/tokens.ts': 'measures, and checks nothing',
  'test/bench/token-world.ts': 'is for benches, which measure and check nothing',
  'test/services/explorer/cage.test.ts': 'starts a service that gets no work, and searches what it says',
};

const tests = sources.filter(({ path }) => path.startsWith('test/') && !path.startsWith('test/conventions/'));

const callsOf = (text: string, names: readonly string[]): readonly string[] =>
  names.filter((name) => new RegExp(`(?<![\\w.])${name}(?:<[^>()]*>)?\\(`).test(withoutComments(text)));

const startersIn = (files: typeof tests): readonly string[] =>
  files.flatMap(({ text }) =>
    [...text.matchAll(/^export const ((?:start|open)[A-Z]\w*) =/gm)].flatMap(([, name]) => name ?? []),
  );

/** Support files that call one of `names`: they search, or build on a stage that does. */
const laying = (names: readonly string[]) =>
  tests.filter(({ path, text }) => !path.endsWith('.test.ts') && callsOf(text, names).length > 0);
const SEARCHING = startersIn(laying(['failOnLeaks']));
const STARTERS = [...SEARCHING, ...startersIn(laying(SEARCHING))];

test('the stages that everybody uses search when they are taken down', () => {
  expect(STARTERS).toEqual(
    expect.arrayContaining(['startStoryWorld', 'startFleet', 'startRedisStage', 'openPosterBench']),
  );
});

test('every test of whole services stands on such a stage', () => {
  const owed = tests.filter(({ path }) => /^test\/(?:integration|faults)\/[^/]+\.test\.ts$/.test(path));
  expect(owed.length).toBeGreaterThan(8);
  const bare = owed.filter(({ text }) => callsOf(text, [...STARTERS, 'failOnLeaks']).length === 0);
  expect(bare.map(({ path }) => path)).toEqual([]);
});

test('who searches beside a simulated model searches what it was asked as well', () => {
  const beside = tests.filter(
    ({ text }) => callsOf(text, ['failOnLeaks']).length > 0 && /\b(?:MessagesSim|StageModel)\b/.test(text),
  );
  expect(beside.length).toBeGreaterThan(2);
  const blind = beside.filter(({ text }) => !/\bmodelRequests\b/.test(withoutComments(text)));
  expect(blind.map(({ path }) => path)).toEqual([]);
});

test('whoever lays a stage takes it down', () => {
  const standing = tests.filter(({ path, text }) => {
    if (!path.endsWith('.test.ts') || callsOf(text, STARTERS).length === 0) return false;
    return !/\b(?:close|finish)\(\)/.test(withoutComments(text));
  });
  expect(standing.map(({ path }) => path)).toEqual([]);
});

test('nobody else runs services without searching', () => {
  const running = tests.filter(({ path, text }) => callsOf(text, BARE).length > 0 && !Object.hasOwn(EXCEPTIONS, path));
  const silent = running.filter(({ text }) => callsOf(text, ['failOnLeaks']).length === 0);
  expect(running.length).toBeGreaterThan(3);
  expect(silent.map(({ path }) => path)).toEqual([]);
});
