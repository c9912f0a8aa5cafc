/** The small pieces of the Forgejo adapter that need no forge. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutDescription } from '../../../shared/forge/cut-description.ts';
import { isDraft } from '../../../shared/forge/forgejo/change-request.ts';
import { ApiListedRepository, isListed } from '../../../shared/forge/forgejo/list-projects.ts';
import { inOrder } from '../../../shared/in-order.ts';
import { assigneesMayWrite } from '../../../shared/forge/forgejo/permission.ts';
import { ApiPullRequest, ApiReviewComment } from '../../../shared/forge/forgejo/api/schema.ts';
import { newestPerContext } from '../../../shared/forge/forgejo/statuses.ts';
import { formatThreadId, parseThreadId } from '../../../shared/forge/forgejo/thread-id.ts';

const runs = process.env['FIXPOINT_DEEP'] === '1' ? 5_000 : 200;

describe('the id of a thread', () => {
  const thread = fc.record({
    review: fc.integer({ min: 1 }),
    path: fc.string({ unit: 'grapheme', minLength: 1 }),
    line: fc.integer().filter((line) => line !== 0),
    root: fc.integer({ min: 1 }),
  });

  it('survives being written and read', () => {
    fc.assert(
      fc.property(thread, (id) => {
        expect(parseThreadId(formatThreadId(id))).toEqual(id);
      }),
      { seed: 5, numRuns: runs },
    );
  });

  it.each([
    '',
    'null',
    '[]',
    '{"review":1,"path":"a","line":0,"root":1}',
    '{"review":1.5,"path":"a","line":1,"root":1}',
    '{"review":1,"path":"","line":1,"root":1}',
    '{"review":1,"path":"a","line":1,"root":1,"more":1}',
    '{"review":"1","path":"a","line":1,"root":1}',
  ])('is refused as %s', (text) => {
    expect(() => parseThreadId(text)).toThrow(expect.objectContaining({ code: 'FORGE_BAD_THREAD' }));
  });
});

describe('isDraft', () => {
  it.each([
    ['WIP: x', undefined, true],
    ['[wip] x', null, true],
    ['wip: x', undefined, true],
    [' [WIP] x', undefined, true],
    ['Wipe the table', undefined, false],
    ['x WIP: y', undefined, false],
    ['WIP: x', false, false],
    ['x', true, true],
  ])('takes the title %j with the field %j for a draft: %j', (title, draft, expected) => {
    expect(isDraft({ title, draft })).toBe(expected);
  });
});

describe('cutDescription', () => {
  it('keeps 140 characters and cuts the 141st', () => {
    expect(cutDescription('a'.repeat(140))).toBe('a'.repeat(140));
    expect(cutDescription('a'.repeat(141))).toBe(`${'a'.repeat(139)}…`);
  });

  it('never cuts a character in half', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const cut = cutDescription(text);
        expect(Array.from(cut).length).toBeLessThanOrEqual(140);
        if (cut !== text) expect(text.startsWith(cut.slice(0, -1))).toBe(true);
        // Half a surrogate pair does not survive UTF-8.
        expect(Buffer.from(cut, 'utf8').toString('utf8')).toBe(cut);
      }),
      { seed: 6, numRuns: runs },
    );
  });
});

describe('newestPerContext', () => {
  it('keeps the row with the highest id of each context, whatever the order', () => {
    const row = fc.record({ id: fc.integer({ min: 1, max: 10_000 }), context: fc.constantFrom('a', 'b', 'c') });
    fc.assert(
      fc.property(fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 30 }), (rows) => {
        const statuses = rows.map((each) => ({ ...each, status: 'success', created_at: 0 }));
        const newest = newestPerContext(statuses);
        const expected = ['a', 'b', 'c'].flatMap((context) => {
          const ids = rows.filter((each) => each.context === context).map(({ id }) => id);
          return ids.length === 0 ? [] : [Math.max(...ids)];
        });
        expect(newest.map(({ id }) => id)).toEqual(expected.toSorted((left, right) => left - right));
      }),
      { seed: 7, numRuns: runs },
    );
  });
});

describe('assigneesMayWrite', () => {
  const team = (permission: string, units?: Record<string, string>) => ({
    id: 1,
    permission,
    ...(units === undefined ? {} : { units_map: units }),
  });

  it.each([
    ['no team at all', [], true],
    ['owners', [team('owner', { 'repo.code': 'owner' })], true],
    ['writers', [team('write', { 'repo.code': 'write', 'repo.pulls': 'write' })], true],
    ['admins without a list of units', [team('admin')], true],
    [
      'readers who see nothing that makes assignable',
      [team('read', { 'repo.code': 'read', 'repo.wiki': 'read' })],
      true,
    ],
    ['readers of pull requests', [team('read', { 'repo.code': 'read', 'repo.pulls': 'read' })], false],
    ['readers of issues', [team('none', { 'repo.issues': 'read' })], false],
    ['writers of the wiki', [team('none', { 'repo.code': 'read', 'repo.wiki': 'write' })], false],
    ['writers of issues only', [team('read', { 'repo.issues': 'write' })], false],
    ['a team that says nothing about its units', [team('read')], false],
    [
      'one such team among writers',
      [team('write', { 'repo.code': 'write' }), team('read', { 'repo.pulls': 'read' })],
      false,
    ],
    ['a level that is not known', [team('read', { 'repo.code': 'maintain', 'repo.pulls': 'read' })], false],
  ])('is asked about %s', (_name, teams, expected) => {
    expect(assigneesMayWrite(teams)).toBe(expected);
  });
});

describe('inOrder', () => {
  it('keeps the order and never runs more at once than it may', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 30 }), fc.integer({ min: 1, max: 6 }), async (items, limit) => {
        let running = 0;
        let most = 0;
        const results = await inOrder(items, limit, async (item) => {
          running += 1;
          most = Math.max(most, running);
          for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
          running -= 1;
          return item * 2;
        });
        expect(results).toEqual(items.map((item) => item * 2));
        expect(most).toBeLessThanOrEqual(limit);
      }),
      { seed: 8, numRuns: runs },
    );
  });

  it('begins nothing after a failure and waits for what runs', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const work = async (item: number): Promise<number> => {
      begun.push(item);
      if (item === 1) throw new Error('first');
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      ended.push(item);
      return item;
    };
    await expect(inOrder([0, 1, 2, 3], 2, work)).rejects.toThrow('first');
    expect([begun, ended]).toEqual([[0, 1], [0]]);
  });
});

describe('what is read of an answer', () => {
  const sha = 'a'.repeat(40);
  const pull = {
    number: 1,
    state: 'open',
    title: 'x',
    head: { ref: 'feature', sha, repo_id: -1, repo: null },
    base: { ref: 'main', sha, repo_id: 1 },
    updated_at: '2026-03-01T10:00:00+01:00',
    html_url: 'https://forge.example/x',
  };

  it('tolerates everything that may be missing', () => {
    expect(
      ApiPullRequest.parse({ ...pull, user: null, labels: null, requested_reviewers: [null], body: null }),
    ).toMatchObject({
      updated_at: Date.parse('2026-03-01T09:00:00Z'),
    });
  });

  it.each([
    ['a short commit id', { head: { ...pull.head, sha: 'abc123' } }],
    ['an id beyond what survives JSON', { number: 2 ** 53 }],
    ['a time that is none', { updated_at: 'yesterday' }],
  ])('refuses %s', (_name, change) => {
    expect(ApiPullRequest.safeParse({ ...pull, ...change }).success).toBe(false);
  });

  it('refuses a negative line', () => {
    const comment = {
      id: 1,
      body: '',
      path: 'a',
      position: -1,
      original_position: 0,
      created_at: pull.updated_at,
      updated_at: pull.updated_at,
      html_url: '',
    };
    expect(ApiReviewComment.safeParse({ ...comment, position: 1 }).success).toBe(true);
    expect(ApiReviewComment.safeParse(comment).success).toBe(false);
  });
});

describe('isListed', () => {
  const rights = (pull: boolean) => ({ permissions: { push: false, pull } });
  it.each([
    ['code that the account may read', 'member', rights(true), true],
    ['a team without the code', 'member', rights(false), false],
    ['a forge that does not say it', 'member', {}, false],
    ['an archived repository', 'member', { ...rights(true), archived: true }, false],
    ['a repository without pull requests', 'member', { ...rights(true), has_pull_requests: false }, false],
    ['a group, whose list has only what the account may read', 'group', {}, true],
  ] as const)('%s', (_name, kind, given, expected) => {
    const place = kind === 'member' ? { kind } : { kind, path: 'acme' };
    const repository = {
      id: 1,
      name: 'shop',
      owner: { login: 'acme' },
      full_name: 'acme/shop',
      html_url: 'https://forge.test/acme/shop',
      default_branch: 'main',
      private: true,
      archived: false,
      ...given,
    };
    expect(isListed(place, ApiListedRepository.parse(repository))).toBe(expected);
  });
});
