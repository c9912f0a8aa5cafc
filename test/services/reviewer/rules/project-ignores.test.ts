import { expect, test } from 'vitest';
import { hashOfAskedRules } from '../../../../services/reviewer/rules/asked-rules.ts';
import { type Ignoring, ignoredBy, ignoringFor } from '../../../../services/reviewer/rules/project-ignores.ts';
import { parseRepositorySettings } from '../../../../shared/config/repository/repository-settings.ts';
import type { Revisions } from '../../../../shared/workspace/git/revisions.ts';
import { sha } from '../../../shared/rounds/builders.ts';

const FILE = '[[ignore]]\nrule = "js-eval"\npath = "gen/"\nreason = "generated"\nuntil = "2026-06-15"\n';
const ignoring = (patch: Partial<Ignoring> = {}): Ignoring => ({
  which: 'non_blocking',
  nowMs: Date.parse('2026-06-15T12:00:00Z'),
  forgeUrls: null,
  ...patch,
});
const LATER = Date.parse('2026-06-16T00:00:00Z');

test('a review gets the entries that are in force, with what the operator allows, and a note about the others', () => {
  const { settings } = parseRepositorySettings(FILE);
  expect(ignoredBy(settings, ignoring({ which: 'all' }))).toMatchObject({
    ignores: { which: 'all', entries: [{ rule: 'js-eval', fingerprint: null, path: 'gen/' }] },
    notes: [],
  });
  expect(ignoredBy(settings, ignoring({ nowMs: LATER }))).toEqual({
    ignores: undefined,
    notes: ['`ignore[0]` has no effect: it expired on 2026-06-15'],
  });
  expect(ignoredBy(settings, undefined)).toEqual({ ignores: undefined, notes: [] });
});

test('an entry can name any rule of a configured analyzer, and none of another one', () => {
  const { settings } = parseRepositorySettings(FILE.replace('js-eval', 'eslint/no-eval'));
  const ofAnalyzers = (analyzers?: readonly string[]) =>
    ignoredBy(settings, ignoring(analyzers === undefined ? {} : { analyzers }));
  expect(ofAnalyzers(['ruff', 'eslint']).ignores?.entries).toMatchObject([{ rule: 'eslint/no-eval' }]);
  for (const none of [undefined, [], ['ruff']])
    expect(ofAnalyzers(none)).toEqual({
      ignores: undefined,
      notes: ['`ignore[0]` has no effect: no rule has this id'],
    });
  const own = parseRepositorySettings(FILE.replace('js-eval', 'project/no-fetch')).settings;
  expect(ignoredBy(own, ignoring({})).ignores?.entries).toMatchObject([{ rule: 'project/no-fetch' }]);
  const deps = { nowMs: () => 5, analyzerNames: ['eslint'] };
  const git = { url: 'http://forgejo:3000/a/b.git', headRef: 'refs/pull/1/head', branch: null };
  expect(ignoringFor(deps, { git, webUrl: null })).toMatchObject({ analyzers: ['eslint'] });
});

test('links may lead to the address that people see and to the one that the services use', () => {
  const git = { url: 'http://forgejo:3000/a/b.git', headRef: 'refs/pull/1/head', branch: null };
  const deps = { nowMs: () => 5 };
  const webUrl = 'https://git.example/a/b/pulls/1';
  expect(ignoringFor(deps, { git, webUrl })).toEqual({
    which: 'non_blocking',
    nowMs: 5,
    forgeUrls: [git.url, webUrl],
  });
  expect(ignoringFor({ ...deps, projectIgnores: 'off' }, { git, webUrl: null })).toMatchObject({
    which: 'off',
    forgeUrls: [git.url],
  });
});

test('what is asked of a change is another thing once an entry has ended, though the file is the same', async () => {
  const isSettings = (path: string): boolean => path === '.fixpoint.toml';
  // Only the two questions that reading the rules asks are answered.
  const revisions = {
    readFile: async ({ path }: { readonly path: string }) =>
      isSettings(path) ? { kind: 'text', text: FILE, bytes: FILE.length } : { kind: 'missing' },
    listFiles: async () => ({ files: [], complete: true }),
  } as unknown as Revisions;
  const asked = { target: sha('target'), base: null, files: [], operator: 'x' };
  const hashAt = async (nowMs: number) =>
    hashOfAskedRules(revisions, { ...asked, ignoring: ignoring({ nowMs }) }, new AbortController().signal);
  const before = await hashAt(LATER - 1);
  expect(await hashAt(0)).toBe(before);
  expect(await hashAt(LATER)).not.toBe(before);
});
