import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FixAgent, FixOutcome, FixWork } from '../../../services/author/change/agent.ts';
import type { AuthorFile } from '../../../services/author/change/decide-change.ts';
import { NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { failWrites } from '../../support/full-disk.ts';
import { type FixWorld, makeFixWorld, type Says, write } from './fix-world.ts';

let world: FixWorld;
beforeEach(() => {
  world = makeFixWorld();
});
afterEach(() => world.dispose());

const FIXED = write('src/run.js', 'JSON.parse(text);\n');

const git = (...args: readonly string[]): string => world.repository.git(...args);

describe('a fix', () => {
  it('is one commit on the head with a fixed message, pushed to the source branch alone', async () => {
    const refs = git('for-each-ref').split('\n').length;
    const ending = await world.fix({ changes: [FIXED], addressed: ['F-001'] });
    expect(ending).toEqual({ kind: 'fixed', pushed: world.tip() });
    expect(git('rev-parse', `${world.tip()}^`)).toBe(world.head);
    expect(git('log', '-1', '--format=%an <%ae> %ad|%cn <%ce>|%B', '--date=raw', world.tip())).toBe(
      'Fixpoint <fixpoint@localhost> 1700000000 +0000|Fixpoint <fixpoint@localhost>|' +
        'fix: address findings of review 1\n\n' +
        `Fixpoint-Review: 1\nFixpoint-Finding: F-001\nFixpoint-Run: ${world.brief().runId}`,
    );
    expect(git('diff', '--raw', '--abbrev=4', world.head, world.tip())).toMatch(
      /^:100644 100644 [0-9a-f]+ [0-9a-f]+ M\tsrc\/run\.js$/,
    );
    expect(git('for-each-ref').split('\n')).toHaveLength(refs);
    expect(git('fsck', '--strict')).toBe('');
  });

  it('keeps a program a program, and takes files away', async () => {
    const changes: readonly AuthorFile[] = [
      write('bin/run', '#!/bin/sh\nset -e\n'),
      { kind: 'delete', path: 'docs/secret-plan.md' },
    ];
    await world.fix({ changes });
    expect(git('diff', '--name-status', world.head, world.tip()).split('\n')).toEqual([
      'M\tbin/run',
      'D\tdocs/secret-plan.md',
    ]);
    expect(git('ls-tree', world.tip(), 'bin/run')).toMatch(/^100755 blob/);
    expect(git('ls-tree', '-r', '--name-only', world.tip())).not.toContain('docs');
  });

  it('reports what it touched and addressed, and what it leaves', async () => {
    const declines = [{ findingId: 'F-002', reason: 'by design' }];
    await world.fix({ changes: [FIXED], declines });
    expect(world.reports.get(world.brief().runId)).toMatchObject({
      review: 1,
      commit: { sha: world.tip(), tree: git('rev-parse', `${world.tip()}^{tree}`) },
      touchedFiles: ['src/run.js'],
      addressedFindingIds: ['F-001'],
      declines,
    });
  });

  it('takes a finding that is both declined and addressed for declined', async () => {
    const [one] = world.brief().findings;
    if (one === undefined) throw new Error('the brief has a finding');
    const findings = [one, { ...one, id: 'F-002' }, { ...one, id: 'F-003' }];
    const declines = [{ findingId: 'F-002', reason: 'by design' }];
    await world.fix({ changes: [FIXED], addressed: ['F-001', 'F-002'], declines }, world.brief({ findings }));
    expect(world.reports.get(world.brief().runId)).toMatchObject({ addressedFindingIds: ['F-001'], declines });
    expect(git('log', '-1', '--format=%(trailers:key=Fixpoint-Finding,valueonly,separator=+)', world.tip())).toBe(
      'F-001',
    );
  });

  it('leaves nothing behind on this machine', async () => {
    await world.fix({ changes: [FIXED] });
    expect(readdirSync(path.join(world.folder, 'checkouts'))).toEqual([]);
    expect(readdirSync(path.join(world.folder, 'scratch'))).toEqual([]);
  });

  it('that was killed after its push is known as pushed, without working again', async () => {
    const first = await world.fix({ changes: [FIXED] });
    git('update-ref', 'refs/pull/5/head', world.tip());
    const again = await world.fix({
      name: 'surprised',
      work: async () => {
        throw new Error('it worked again');
      },
    });
    expect(again).toEqual(first);
  });

  it('that was killed after its push is known as pushed, also if somebody has pushed on top of it since', async () => {
    const first = await world.fix({ changes: [FIXED] });
    git('checkout', '--quiet', '-B', 'theirs', world.tip());
    world.repository.write({ 'src/other.js': 'theirs();\n' });
    git('update-ref', 'refs/heads/feature', world.repository.commit('theirs'));
    git('update-ref', 'refs/pull/5/head', world.tip());
    const again = await world.fix({
      name: 'surprised',
      work: async () => {
        throw new Error('it worked again');
      },
    });
    expect([again, first]).toEqual([first, { kind: 'fixed', pushed: git('rev-parse', `${world.tip()}^`) }]);
  });

  it('is known as pushed if somebody pushes on top of it before the push is verified', async () => {
    const hook = path.join(world.repository.gitDir, 'hooks', 'post-receive');
    const commit = 'git -c user.name=t -c user.email=t@localhost commit-tree -p feature -m theirs "feature^{tree}"';
    mkdirSync(path.dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ngit update-ref refs/heads/feature "$(${commit})"\n`, {
      mode: 0o755,
    });
    const ending = await world.fix({ changes: [FIXED] });
    expect(ending).toEqual({ kind: 'fixed', pushed: git('rev-parse', `${world.tip()}^`) });
  });

  it('that was killed before its push is made again', async () => {
    world.meanwhile(() => {
      throw new Error('killed');
    });
    await expect(world.fix({ changes: [FIXED] })).rejects.toThrow('killed');
    expect(world.tip()).toBe(world.head);
    world.meanwhile(() => {});
    expect(await world.fix({ changes: [FIXED] })).toEqual({ kind: 'fixed', pushed: world.tip() });
  });

  it('with a reason for every finding is an answer without a push', async () => {
    const ending = await world.fix({ declines: [{ findingId: 'F-001', reason: 'by design' }] });
    expect(ending).toEqual({ kind: 'fixed', pushed: null });
    expect(world.tip()).toBe(world.head);
    expect(world.reports.get(world.brief().runId)?.declines).toHaveLength(1);
  });
});

describe('F-F20: a fix that adds files', () => {
  const TEST = write('test/unit/deep/run.test.js', "test('parses', () => {});\n");

  it('is pushed with them as plain files, in trees that git takes for sound', async () => {
    // A folder is sorted as if its name ended with a slash: behind `test-x` and `test.js`, before `test0`.
    const beside = ['src/test.js', 'src/test0.js', 'src/test-x.js', 'src/test/a.js'].map((name) => write(name, 'x\n'));
    const ending = await world.fix({ changes: [FIXED, TEST, ...beside], addressed: ['F-001'] });
    expect(ending).toEqual({ kind: 'fixed', pushed: world.tip() });
    expect(git('diff', '--name-status', world.head, world.tip()).split('\n').toSorted()).toEqual(
      [...[TEST, ...beside].map((change) => `A\t${change.path}`), 'M\tsrc/run.js'].toSorted(),
    );
    expect(git('ls-tree', world.tip(), TEST.path)).toMatch(/^100644 blob/);
    expect(git('show', `${world.tip()}:${TEST.path}`)).toBe("test('parses', () => {});");
    expect(git('ls-tree', '--name-only', world.tip(), 'src/').split('\n')).toEqual(
      ['link.js', 'other.js', 'run.js', 'test-x.js', 'test.js', 'test', 'test0.js'].map((name) => `src/${name}`),
    );
    expect(git('fsck', '--strict')).toBe('');
    expect(world.reports.get(world.brief().runId)?.touchedFiles).toContain(TEST.path);
  });

  it('is pushed with a new file alone, and with one in a folder that the same fix empties', async () => {
    const ending = await world.fix({
      changes: [{ kind: 'delete', path: 'docs/secret-plan.md' }, write('docs/plan.md', '')],
    });
    expect(ending).toEqual({ kind: 'fixed', pushed: world.tip() });
    expect(git('ls-tree', '-r', '--name-only', world.tip(), 'docs')).toBe('docs/plan.md');
  });

  it('tells the agent while it works what it may add', async () => {
    const said: unknown[] = [];
    const asking: FixAgent = {
      name: 'asking',
      work: async ({ whyNotNew }) => {
        const ask = async (path: string, others: readonly string[] = []) =>
          whyNotNew?.(path, others, new AbortController().signal);
        said.push(
          await ask(TEST.path, ['src/run.js']),
          await ask('lib/kept.js'),
          await ask('test/A.js', ['test/a.js']),
        );
        return { kind: 'failed', code: 'ENOUGH', spent: NOTHING_SPENT };
      },
    };
    await world.fix(asking);
    expect(said).toEqual([null, 'it is not a file of the change request', 'it collides with another file of the fix']);
    await world.fix(asking, undefined, { newFiles: false });
    expect(said.slice(3)).toEqual([undefined, undefined, undefined]);
  });
});

const spent = (modelCalls: number): Spent => ({ ...NOTHING_SPENT, modelCalls, costUsd: modelCalls / 4 });

describe('what a fix has spent', () => {
  const storedSpent = () => world.reports.get(world.brief().runId)?.spent;
  const ends = (outcome: FixOutcome): FixAgent => ({ name: 'told', work: async () => outcome });

  it.each<[string, Partial<FixWork>]>([
    ['a push', { changes: [FIXED] }],
    ['nothing but declines', { declines: [{ findingId: 'F-001', reason: 'by design' }] }],
    ['no change', {}],
    ['a refused change', { changes: [write('.gitlab-ci.yml', 'evil: true\n')] }],
  ])('is reported after %s', async (_what, work) => {
    await world.fix({ ...work, spent: spent(3) });
    expect(storedSpent()).toEqual(spent(3));
  });

  it('is reported after a failure', async () => {
    expect(await world.fix(ends({ kind: 'failed', code: 'BROKEN', spent: spent(2) }))).toMatchObject({
      kind: 'failed',
    });
    expect(storedSpent()).toEqual(spent(2));
  });

  it('is the sum over every execution of the job, also of one that broke off', async () => {
    const error = new Error('the provider is away');
    await expect(world.fix(ends({ kind: 'interrupted', error, spent: spent(5) }))).rejects.toBe(error);
    world.meanwhile(() => {
      throw new Error('killed');
    });
    await expect(world.fix({ changes: [FIXED], spent: spent(1) })).rejects.toThrow('killed');
    world.meanwhile(() => {});
    // What was made and could not be pushed is paid for once.
    await world.fix({ changes: [FIXED], spent: spent(2) });
    expect(storedSpent()).toEqual(spent(6));
    git('update-ref', 'refs/pull/5/head', world.tip());
    await world.fix({ changes: [FIXED], spent: spent(100) });
    expect(storedSpent()).toEqual(spent(6));
  });

  it('is not paid for again after the validation of what was made broke off', async () => {
    world.check({ validate: async () => Promise.reject(new Error('broke off')) });
    await expect(world.fix({ changes: [FIXED], spent: spent(1) })).rejects.toThrow('broke off');
    world.check({ validate: async () => [] });
    const again = ends({ kind: 'failed', code: 'ASKED_AGAIN', spent: spent(7) });
    expect(await world.fix(again)).toEqual({ kind: 'fixed', pushed: world.tip() });
    expect(world.tip()).not.toBe(world.head);
    expect(storedSpent()).toEqual(spent(1));
  });

  it('F-E5: of a push that did not come through is the same commit, and the agent is not asked again', async () => {
    world.meanwhile(() => {
      throw new Error('killed');
    });
    await expect(world.fix({ changes: [FIXED] })).rejects.toThrow('killed');
    const sha = world.reports.get(world.brief().runId)?.commit?.sha;
    expect(sha).toMatch(/^[0-9a-f]{40}$/);
    world.meanwhile(() => {});
    const ending = await world.fix(ends({ kind: 'failed', code: 'BROKEN', spent: spent(1) }));
    expect([ending, world.tip()]).toEqual([{ kind: 'fixed', pushed: sha }, sha]);
    expect(world.reports.get(world.brief().runId)?.commit?.sha).toBe(sha);
  });
});

describe('X11: nothing is pushed', () => {
  const stopped = (code: string) => expect.objectContaining({ kind: 'stopped', code });

  it.each<[string, AuthorFile, string]>([
    ['the CI file of the change itself', write('.gitlab-ci.yml', 'evil: true\n'), 'it is protected'],
    ['a new CI file', write('.forgejo/workflows/a.yml', 'evil\n'), 'it is protected'],
    ['a hook', write('.git/hooks/post-checkout', 'evil\n'), 'a name of git'],
    ['git attributes in a folder', write('src/.gitattributes', '* filter=evil\n'), 'it is protected'],
    ['code owners', write('docs/CODEOWNERS', '* @evil\n'), 'it is protected'],
    ['our own configuration', write('.fixpoint.toml', 'x\n'), 'it is protected'],
    ['a link', write('src/link.js', 'through();\n'), 'it is not a regular file'],
    ['a link that the author made', { kind: 'odd', path: 'src/run.js', what: 'a link' }, 'it is a link'],
    ['a file outside of the change', write('lib/kept.js', 'changed();\n'), 'it is not a file of the change request'],
    ['a file outside of it in another case', write('LIB/kept.js', 'x\n'), 'the head has this path in another spelling'],
    [
      'a new file elsewhere',
      write('lib/new.js', 'x\n'),
      'it is a new file, neither in a folder that the change touches nor in a test folder',
    ],
    ['a file through a link', write('src/link.js/test/x.js', 'x\n'), 'the head has a file where a folder is needed'],
    ['a lock file', write('package-lock.json', '{"evil":1}\n'), 'it is a lock file'],
    ['what the operator protects', write('docs/secret-plan.md', 'x\n'), 'the operator protects it'],
    ['a way out', write('../outside', 'x\n'), 'a relative name'],
    ['a binary', write('src/run.js', 'a\0b'), 'its content is binary'],
    ['a secret of ours', write('src/run.js', `const token = "${'s'.repeat(12)}";\n`), 'its content contains a secret'],
  ])('when the change touches %s', async (_name, change, reason) => {
    const rules = { protectedPaths: ['docs/secret-*'], secrets: ['s'.repeat(12)] };
    const ending = await world.fix(
      { changes: [FIXED, change].slice(change.path === FIXED.path ? 1 : 0) },
      undefined,
      rules,
    );
    expect(ending).toEqual({ kind: 'stopped', code: 'CHANGE_REFUSED', refusals: [{ path: change.path, reason }] });
    expect(world.tip()).toBe(world.head);
  });

  it('when the change is too large', async () => {
    expect(await world.fix({ changes: [write('src/run.js', 'x'.repeat(10_001))] })).toEqual(
      stopped('CHANGE_TOO_LARGE'),
    );
    expect(world.tip()).toBe(world.head);
  });

  it.each<[string, readonly AuthorFile[]]>([
    ['when nothing was changed', []],
    ['when everything was put back as it was', [write('src/run.js', 'eval(text);\n')]],
  ])('%s', async (_name, changes) => {
    expect(await world.fix({ changes })).toEqual(stopped('EMPTY_CHANGE'));
    expect(world.tip()).toBe(world.head);
  });

  it('when the tree was reviewed before', async () => {
    git('checkout', '--quiet', '-B', 'tmp', world.head);
    world.repository.write({ 'src/run.js': 'JSON.parse(text);\n' });
    const earlier = world.repository.commit('earlier');
    git('checkout', '--quiet', 'main');
    git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    const ending = await world.fix({ changes: [FIXED] }, world.brief({ reviewedHeads: [earlier, world.head] }));
    expect(ending).toEqual(stopped('TREE_SEEN'));
    expect(world.tip()).toBe(world.head);
  });

  it('when a fix has pushed the tree before', async () => {
    await world.fix({ changes: [FIXED] });
    const tree = git('rev-parse', `${world.tip()}^{tree}`);
    git('update-ref', 'refs/heads/feature', world.head);
    world.reports.clear();
    expect(await world.fix({ changes: [FIXED] }, world.brief({ seenTrees: [tree] }))).toEqual(stopped('TREE_SEEN'));
    expect(world.tip()).toBe(world.head);
  });

  it.each<[string, Says, string]>([
    ['of a fork', { facts: { fromFork: true } }, 'SOURCE_IN_FORK'],
    ['of a protected branch', { branch: { isProtected: true, isDefault: false } }, 'BRANCH_PROTECTED'],
    ['of a default branch', { branch: { isProtected: false, isDefault: true } }, 'BRANCH_PROTECTED'],
    ['into itself', { facts: { targetBranch: 'feature' } }, 'BRANCH_PROTECTED'],
    ['of a branch that is gone', { branch: null }, 'HEAD_MOVED'],
    ['from another branch than was ordered', { facts: { sourceBranch: 'other' } }, 'HEAD_MOVED'],
    ['that is closed', { facts: { state: 'closed' } }, 'HEAD_MOVED'],
    ['whose order guard has given up', { ordered: false }, 'ORDER_LAPSED'],
  ])('to a change request %s', async (_name, says, code) => {
    world.say(says);
    expect(await world.fix({ changes: [FIXED] })).toEqual(stopped(code));
    expect(world.tip()).toBe(world.head);
  });

  it('when guard has given the order up while the author works', async () => {
    const ending = await world.fix({
      name: 'slow',
      work: async () => {
        world.say({ ordered: false });
        return {
          kind: 'done',
          work: { changes: [FIXED], addressed: null, declines: [], summary: '', spent: NOTHING_SPENT },
        };
      },
    });
    expect(ending).toEqual(stopped('ORDER_LAPSED'));
    expect(world.tip()).toBe(world.head);
  });

  it('when the branch becomes protected while the author works', async () => {
    const ending = await world.fix({
      name: 'slow',
      work: async () => {
        world.say({ branch: { isProtected: true, isDefault: false } });
        return {
          kind: 'done',
          work: { changes: [FIXED], addressed: null, declines: [], summary: '', spent: NOTHING_SPENT },
        };
      },
    });
    expect(ending).toEqual(stopped('BRANCH_PROTECTED'));
    expect(world.tip()).toBe(world.head);
  });

  it('where the author may not work without a cage, and nobody begins', async () => {
    world.say({ mayWork: false });
    const ending = await world.fix({
      name: 'surprised',
      work: async () => {
        throw new Error('it worked without a cage');
      },
    });
    expect(ending).toEqual(stopped('NO_CAGE'));
    expect([world.tip(), [...world.reports], readdirSync(world.folder)]).toEqual([world.head, [], ['data', 'served']]);
  });

  it('where there is no cage and a head that has moved: nothing is wrong then', async () => {
    world.say({ mayWork: false, facts: { state: 'closed' } });
    expect(await world.fix({ changes: [FIXED] })).toEqual(stopped('HEAD_MOVED'));
  });

  it.each<[Parameters<FixWorld['say']>[0]['permission'], string]>([
    ['read', 'NOT_ALLOWED'],
    ['none', 'NOT_ALLOWED'],
    ['undetermined', 'NOT_ALLOWED'],
  ])('for somebody whose permission has become %s', async (permission, code) => {
    world.say({ permission: permission ?? 'none' });
    const brief = world.brief({ requester: { id: 3, login: 'once' } });
    expect(await world.fix({ changes: [FIXED] }, brief)).toEqual(stopped(code));
    expect(world.tip()).toBe(world.head);
  });

  it('when the server refuses it', async () => {
    git('checkout', '--quiet', 'feature');
    expect(await world.fix({ changes: [FIXED] })).toEqual(stopped('PUSH_REFUSED'));
    expect(world.tip()).toBe(world.head);
  });
});

describe('I11: a head that moves', () => {
  const move = (): CommitSha => {
    const tree = git('rev-parse', `${world.head}^{tree}`);
    const moved = world.repository.commitTree(tree, world.head);
    git('update-ref', 'refs/heads/feature', moved);
    return moved;
  };

  it('before the work stops the fix without any', async () => {
    git('update-ref', 'refs/pull/5/head', move());
    const ending = await world.fix({
      name: 'surprised',
      work: async () => {
        throw new Error('it worked on a head that is gone');
      },
    });
    expect(ending).toEqual({ kind: 'stopped', code: 'HEAD_MOVED', refusals: [] });
  });

  it('between the last look and the push is not overwritten', async () => {
    let moved = '';
    world.meanwhile(() => {
      moved = move();
    });
    expect(await world.fix({ changes: [FIXED] })).toEqual({ kind: 'stopped', code: 'HEAD_MOVED', refusals: [] });
    expect(world.tip()).toBe(moved);
  });

  it('back to an older commit is not overwritten either', async () => {
    world.meanwhile(() => void git('update-ref', 'refs/heads/feature', world.base));
    expect(await world.fix({ changes: [FIXED] })).toEqual({ kind: 'stopped', code: 'HEAD_MOVED', refusals: [] });
    expect(world.tip()).toBe(world.base);
  });
});

describe('a full disk', () => {
  it('removes other mirrors, also if it is met while the mirror is opened, so that the retry succeeds', async () => {
    const disk = await failWrites();
    const rooms: unknown[] = [];
    const keeper = {
      settle: async () => {},
      makeRoom: async (project: unknown) => {
        rooms.push(project);
        await disk.empty();
        return true;
      },
    };
    world.reach({ dataFolder: disk.folder, keeper });
    try {
      await disk.fill();
      await expect(world.fix({ changes: [FIXED] })).rejects.toMatchObject({ code: 'ENOSPC' });
      expect(rooms).toEqual([world.brief().changeRequest]);
      expect(await world.fix({ changes: [FIXED] })).toMatchObject({ kind: 'fixed' });
    } finally {
      await disk.dispose();
    }
  });
});
