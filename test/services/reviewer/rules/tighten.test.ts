import { describe, expect, test } from 'vitest';
import { repositoryRulesOf } from '../../../../services/reviewer/rules/tighten.ts';
import type { Diff } from '../../../../shared/diff/model.ts';

const settings = {
  rounds: { max: null },
  review: { minSeverity: 'P3' },
} as unknown as Parameters<typeof repositoryRulesOf>[0]['settings'];

/** Only the names of the files are read. */
const diffOf = (...paths: readonly string[]): Diff =>
  ({ files: paths.map((path) => ({ oldPath: path, newPath: path })) }) as unknown as Diff;

const notesOf = (diff: Diff, notes: readonly string[] = []) =>
  repositoryRulesOf({ kind: 'read', settings, notes } as unknown as Parameters<typeof repositoryRulesOf>[0], {
    clamped: notes,
    diff,
  })?.notes;

describe('the notes about the instructions that a change edits', () => {
  test('name files that steer this bot or other tools', () => {
    expect(notesOf(diffOf('AGENTS.md', '.cursorrules', 'a.ts'))).toMatchObject([
      expect.stringContaining('`AGENTS.md`'),
      expect.stringContaining('`.cursorrules`'),
    ]);
  });

  test.each(['.gitignore', 'web/.dockerignore', '.prettierignore'])('leave out %s, whose edits are routine', (path) => {
    expect(notesOf(diffOf(path))).toBeUndefined();
  });

  test('still name the ignore lists of tools that write code', () => {
    expect(notesOf(diffOf('.cursorignore'))).toHaveLength(1);
  });

  test('say nothing twice', () => {
    expect(notesOf(diffOf('a.ts'), ['The file is too large', 'The file is too large'])).toEqual([
      'The file is too large',
    ]);
  });
});
