import { describe, expect, it } from 'vitest';
import { chooseVersion } from '../../../shared/forge/gitlab/diff-version.ts';
import { isDraft } from '../../../shared/forge/gitlab/change-request.ts';
import { parseThreadId } from '../../../shared/forge/gitlab/discussions.ts';
import { positionsFor } from '../../../shared/forge/gitlab/inline-position.ts';
import { permissionOf } from '../../../shared/forge/gitlab/project/permission.ts';
import { newestPerName } from '../../../shared/forge/gitlab/status/statuses.ts';
import { traitsFromVersion } from '../../../shared/forge/gitlab/api/traits.ts';
import type { Position, PositionLine } from '../../../shared/diff/position/position.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';

const sha = (letter: string): CommitSha => CommitSha.parse(letter.repeat(40));

describe('a draft', () => {
  it.each([
    ['Draft: a', true],
    ['draft: a', true],
    ['  DRAFT: a', true],
    ['[Draft] a', true],
    ['(draft) a', true],
    ['Draft - a', true],
    ['Draft', true],
    ['WIP: a', true],
    ['[WIP] a', true],
    ['Drafting a', false],
    ['Remove the draft: prefix', false],
    ['Wipe the cache', false],
  ])('is told by the title %j: %s', (title, expected) => {
    expect(isDraft({ title })).toBe(expected);
    expect(isDraft({ title, draft: false })).toBe(expected);
  });

  it('is told by either name of the field', () => {
    expect(isDraft({ title: 'a', draft: true })).toBe(true);
    expect(isDraft({ title: 'a', work_in_progress: true })).toBe(true);
    expect(isDraft({ title: 'a', draft: false, work_in_progress: false })).toBe(false);
  });
});

describe('a permission', () => {
  it.each([
    [0, 'none'],
    [5, 'none'],
    [10, 'read'],
    [15, 'read'],
    [20, 'read'],
    [30, 'write'],
    [40, 'admin'],
    [50, 'admin'],
  ] as const)('of level %i is %s', (level, expected) => {
    expect(permissionOf({ access_level: level })).toBe(expected);
    expect(permissionOf({ access_level: level, state: 'active', membership_state: 'active' })).toBe(expected);
  });

  it.each([{ state: 'blocked' }, { state: 'deactivated' }, { membership_state: 'awaiting' }])(
    'is none for an owner with %j',
    (state) => {
      expect(permissionOf({ access_level: 50, ...state })).toBe('none');
    },
  );
});

describe('the version of a diff', () => {
  const version = (id: number, head: string, base: string) => ({
    id,
    head_commit_sha: sha(head),
    base_commit_sha: sha(base),
    start_commit_sha: sha('e'),
  });
  const versions = [version(1, 'a', 'b'), version(3, 'a', 'c'), version(2, 'a', 'd'), version(4, 'f', 'b')];

  it.each([
    ['a', 'b', 1],
    ['a', 'd', 2],
    ['a', '0', 3],
    ['f', '0', 4],
    ['1', 'b', null],
  ])('for head %s and base %s is %s', (head, base, expected) => {
    expect(chooseVersion(versions, { head: sha(head), base: sha(base) })?.id ?? null).toBe(expected);
    expect(chooseVersion(versions.toReversed(), { head: sha(head), base: sha(base) })?.id ?? null).toBe(expected);
  });
});

describe('the places tried for a comment', () => {
  const version = {
    id: 1,
    head_commit_sha: sha('a'),
    base_commit_sha: sha('b'),
    start_commit_sha: sha('c'),
  };
  const line = (newLine: number): PositionLine => ({
    kind: 'added',
    oldLine: null,
    newLine,
    lineCodeOld: 4,
    lineCodeNew: newLine,
  });
  const at = (start: PositionLine, end: PositionLine): Position => ({
    oldPath: 'old.ts',
    newPath: 'new.ts',
    side: 'new',
    start,
    end,
  });
  const single = {
    position_type: 'text',
    base_sha: sha('b'),
    start_sha: sha('c'),
    head_sha: sha('a'),
    old_path: 'old.ts',
    new_path: 'new.ts',
    new_line: 7,
  };

  it('are the line itself for a single line', () => {
    expect(positionsFor(at(line(7), line(7)), version)).toEqual([single]);
  });

  it('are the range and then its last line', () => {
    const [range, last, ...more] = positionsFor(at(line(5), line(7)), version);
    expect(range).toMatchObject({ ...single, line_range: { start: { new_line: 5 }, end: { new_line: 7 } } });
    expect(last).toEqual(single);
    expect(more).toEqual([]);
  });
});

describe('statuses', () => {
  const status = (id: number, name: string) => ({ id, name, status: 'success', created_at: 0 });

  it('count once per name, with the highest id', () => {
    const given = [status(9, 'a'), status(2, 'b'), status(4, 'a'), status(3, 'b')];
    expect(newestPerName(given).map(({ id }) => id)).toEqual([3, 9]);
  });
});

describe('traits', () => {
  it.each([
    ['18.9.0-pre', true],
    ['18.5.1-ee', true],
    ['16.0.0', true],
    ['15.11.13', false],
    ['9.5.0', false],
    ['unheard of', false],
    [null, false],
  ])('of version %s: drafts %s', (version, draftNotes) => {
    expect(traitsFromVersion(version, null)).toEqual({ draftNotes, resetsApprovals: true, version });
  });
});

describe('the id of a thread', () => {
  it('is the one of the discussion', () => {
    expect(parseThreadId('6a9c1750b37d513a43987b574953fceb50b03ce7')).toBe('6a9c1750b37d513a43987b574953fceb50b03ce7');
  });

  it.each(['', '7', '{}', 'G'.repeat(40), `${'a'.repeat(40)}/notes`, '../'.repeat(13)])('is never %j', (text) => {
    expect(() => parseThreadId(text)).toThrow('the thread id does not belong');
  });
});
