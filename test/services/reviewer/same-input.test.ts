import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashOfAskedRules } from '../../../services/reviewer/rules/asked-rules.ts';
import { findSameInput, reviewedCommits } from '../../../services/reviewer/same-input.ts';
import { fingerprint } from '../../../shared/diff/fingerprint.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { createRevisions, type Revisions } from '../../../shared/workspace/git/revisions.ts';
import { sha } from '../../shared/rounds/builders.ts';
import {
  createRepository,
  GIT,
  gitOf,
  never,
  type Repository,
  temporaryFolder,
} from '../../shared/workspace/repository.ts';

const CAPS = { maxFiles: 100, maxDiffBytes: 1_000_000 };
const LINES = Array.from({ length: 30 }, (_, index) => `line ${index}`);
const withLines = (changes: Readonly<Record<number, string>>): string =>
  `${LINES.map((line, index) => changes[index] ?? line).join('\n')}\n`;

let folder = temporaryFolder();
let repository: Repository;
let revisions: Revisions;
let base: CommitSha;
let head: CommitSha;

beforeEach(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'work'));
  revisions = createRevisions(gitOf(repository));
  repository.write({ 'a.txt': withLines({}), 'b.txt': 'b\n' });
  base = repository.commit('base');
  repository.git('checkout', '--quiet', '-b', 'feature');
  repository.write({ 'a.txt': withLines({ 10: 'changed' }) });
  head = repository.commit('change');
});
afterEach(() => {
  revisions.close();
  folder.dispose();
});

const printOf = async (from: CommitSha, to: CommitSha): Promise<string> => {
  const diff = await revisions.diff({ target: from, head: to, maxFiles: 100, maxBytes: 1_000_000 }, never());
  if (diff.kind !== 'diff') throw new Error('too large');
  return fingerprint(parseDiff(diff.patch));
};

const OPERATOR = 'of the operator';

/** What is asked of the one changed file. */
const rulesAt = async (target: CommitSha): Promise<string> => {
  const diff = await revisions.diff({ target: base, head, maxFiles: 100, maxBytes: 1_000_000 }, never());
  if (diff.kind !== 'diff') throw new Error('too large');
  const { files } = parseDiff(diff.patch);
  return hashOfAskedRules(revisions, { target, base, files, operator: OPERATOR }, never());
};

type Known = Parameters<typeof findSameInput>[0]['carriable'][number];

const knownInput = async (patch: Partial<Known> = {}): Promise<Known> => ({
  head,
  base,
  target: 'main',
  fingerprint: await printOf(base, head),
  rules: await rulesAt(base),
  ...patch,
});

type Asked = { readonly head: CommitSha; readonly targetHead: CommitSha };

const ask = async (asked: Asked, patch: Partial<Parameters<typeof findSameInput>[0]> = {}) => {
  const reviewed = await knownInput();
  const access = { dataFolder: folder.path, gitPath: GIT };
  const source = { access, git: gitOf(repository), revisions, limits: CAPS, operatorRules: OPERATOR, signal: never() };
  return findSameInput(
    { ...asked, targetBranch: 'main', carriable: [reviewed], reviewOnBaseChange: false, ...patch },
    source,
  );
};

/** Main moves, and the change is made again on top of it. */
const rebase = (main: Readonly<Record<string, string>>, change: string): Asked => {
  repository.git('checkout', '--quiet', 'main');
  repository.write(main);
  const targetHead = repository.commit('main moves');
  repository.git('checkout', '--quiet', '-b', 'again');
  repository.write({ 'a.txt': change });
  return { head: repository.commit('change again'), targetHead };
};

describe('X6: a change that was reviewed', () => {
  it('is known by an empty commit on top of it', async () => {
    repository.git('commit', '--quiet', '--allow-empty', '-m', 'nothing');
    const empty = repository.git('rev-parse', 'HEAD') as CommitSha; // git prints one full id
    expect(await ask({ head: empty, targetHead: base })).toEqual({
      base,
      targetHead: base,
      patchFingerprint: await printOf(base, head),
      reviewedHead: head,
      reviewedBase: base,
      reviewedTarget: 'main',
      rules: await rulesAt(base),
      baseMoved: false,
    });
  });

  it('is known on a newer base, unless the operator wants it reviewed there', async () => {
    const asked = rebase({ 'b.txt': 'other\n' }, withLines({ 10: 'changed' }));
    expect(await ask(asked)).toMatchObject({
      reviewedHead: head,
      reviewedBase: base,
      reviewedTarget: 'main',
      rules: await rulesAt(base),
      base: asked.targetHead,
      baseMoved: true,
    });
    expect(await ask(asked, { reviewOnBaseChange: true })).toBeNull();
  });

  it('is not known where the lines around it are others now, although git merges it', async () => {
    const asked = rebase({ 'a.txt': withLines({ 13: 'near' }) }, withLines({ 10: 'changed', 13: 'near' }));
    expect(await ask(asked)).toBeNull();
  });

  it('is not known with one more line, nor without anything to compare with, nor where that is gone', async () => {
    repository.write({ 'a.txt': withLines({ 10: 'changed', 20: 'more' }) });
    const more = { head: repository.commit('more'), targetHead: base };
    expect(await ask(more)).toBeNull();
    expect(await ask({ head, targetHead: base }, { carriable: [] })).toBeNull();
    const gone = await knownInput({ head: sha('gone') });
    expect(await ask({ head, targetHead: base }, { carriable: [gone] })).toBeNull();
    expect(reviewedCommits({ carriable: [gone] })).toEqual([gone.head, base]);
  });
});
