import { expect, it } from 'vitest';
import type { KnownForge } from '../../../services/guard/deps.ts';
import { fetchFixFacts, type FixMatter } from '../../../services/guard/fix-facts.ts';
import type { BranchFacts, Permission } from '../../../shared/forge/port-facts.ts';
import type { AuthorPolicy } from '../../../shared/rounds/model/policy.ts';
import {
  AUTHOR_ID,
  BOT_ID,
  changeRequest,
  comment,
  history,
  policy,
  print,
  sha,
} from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';

type Says = {
  readonly branch?: BranchFacts | null;
  readonly project?: null;
  readonly approvers?: readonly number[];
  readonly permissions?: Readonly<Record<number, Permission>>;
};

const forgeThat = (says: Says) => {
  const asked: string[] = [];
  const answer =
    <T>(name: string, value: T) =>
    async (): Promise<T> => {
      asked.push(name);
      return value;
    };
  const surprise = async (): Promise<never> => {
    throw new Error('was not expected');
  };
  const forge: KnownForge = {
    read: {
      fetchChangeRequest: surprise,
      fetchComments: surprise,
      fetchStatuses: surprise,
      fetchChecks: surprise,
      locateGit: surprise,
      fetchPermission: async (_projectId, { id }) => {
        asked.push(`permission ${id}`);
        return says.permissions?.[id] ?? 'none';
      },
      fetchProject: answer(
        'project',
        says.project === null ? null : { id: 1, path: 'Shop/Web', webUrl: '', defaultBranch: 'main', unusable: null },
      ),
      fetchBranch: answer(
        'branch',
        says.branch === undefined ? { isProtected: false, isDefault: false, head: sha('tip') } : says.branch,
      ),
      fetchApprovers: answer(
        'approvers',
        (says.approvers ?? []).map((id) => ({ id, login: `user-${id}` })),
      ),
    },
    botIds: new Set([BOT_ID]),
    otherBots: { ignored: new Set(), allowed: new Set(), marks: null },
    mention: 'fixpoint',
  };
  return { forge, asked };
};

const on = (patch: Partial<AuthorPolicy> = {}): FixMatter['policy'] =>
  policy({ author: { enabled: true, projects: [], labels: [], authors: [], timeoutMs: 1, ...patch } });

const feedback = history({
  reviewed: [
    {
      head: sha('head'),
      base: sha('base'),
      fingerprint: print('p'),
      target: 'main',
      targetHead: sha('target'),
      rules: print('rules'),
      review: 1,
      verdict: 'feedback',
    },
  ],
});

const matter = (patch: Partial<FixMatter> = {}): FixMatter => ({
  changeRequest: changeRequest(),
  history: feedback,
  calls: [],
  policy: on(),
  ...patch,
});

const factsOf = async (says: Says, patch: Partial<FixMatter> = {}) => {
  const { forge, asked } = forgeThat(says);
  return { facts: await fetchFixFacts(forge, matter(patch), never()), asked };
};

const call = comment('@fixpoint fix', { id: '4', author: { id: AUTHOR_ID, login: 'author' } });

it.each<[string, Partial<FixMatter>]>([
  ['the author is disabled', { policy: policy() }],
  ['nothing was reviewed', { history: history() }],
  ['the reviewed head is another one', { changeRequest: changeRequest({ head: sha('new') }) }],
  ['the change request is gone', { changeRequest: null }],
])('the forge is not asked while %s', async (_what, patch) => {
  expect(await factsOf({}, patch)).toEqual({ facts: null, asked: [] });
});

it('a head with findings that block is asked about', async () => {
  expect((await factsOf({})).facts).toEqual({ inScope: true, branchProtected: false, approved: false, requests: [] });
});

it('a request is judged also where the author is off, and nothing else is asked then', async () => {
  const { facts, asked } = await factsOf(
    { permissions: { [AUTHOR_ID]: 'write' } },
    { policy: policy(), calls: [call] },
  );
  expect(asked).toEqual([`permission ${AUTHOR_ID}`]);
  expect(facts).toMatchObject({
    inScope: false,
    requests: [{ noteId: 4, allowed: true, actor: { id: AUTHOR_ID, login: 'author' } }],
  });
});

it.each<[Permission, boolean]>([
  ['admin', true],
  ['write', true],
  ['read', false],
  ['none', false],
  ['undetermined', false],
])('a request by an account with the permission %s is allowed: %s', async (permission, allowed) => {
  const { facts } = await factsOf({ permissions: { [AUTHOR_ID]: permission } }, { calls: [call] });
  expect(facts?.requests.map((request) => request.allowed)).toEqual([allowed]);
});

it.each<[string, BranchFacts | null, boolean]>([
  ['an ordinary one', { isProtected: false, isDefault: false, head: sha('tip') }, false],
  ['a protected one', { isProtected: true, isDefault: false, head: sha('tip') }, true],
  ['the default one', { isProtected: false, isDefault: true, head: sha('tip') }, true],
  ['one that cannot be seen', null, true],
])('a source branch that is %s counts as protected: %s', async (_what, branch, isProtected) => {
  expect((await factsOf({ branch })).facts?.branchProtected).toBe(isProtected);
});

it.each<[Permission, boolean]>([
  ['write', true],
  ['read', false],
  ['undetermined', false],
])('an approval by an account with the permission %s takes the change over: %s', async (permission, approved) => {
  expect((await factsOf({ approvers: [50], permissions: { 50: permission } })).facts?.approved).toBe(approved);
});

it.each<[string, readonly string[], boolean]>([
  ['no list', [], true],
  ['its path in any case', ['shop/WEB'], true],
  ['its group', ['shop/*'], true],
  ['another project', ['shop/api'], false],
])('a project is in the scope of %s: %s', async (_what, projects, inScope) => {
  expect((await factsOf({}, { policy: on({ projects }) })).facts?.inScope).toBe(inScope);
});

it('a project that cannot be seen is in no list, and in the scope of all', async () => {
  expect((await factsOf({ project: null }, { policy: on({ projects: ['shop/*'] }) })).facts?.inScope).toBe(false);
  expect((await factsOf({ project: null })).facts?.inScope).toBe(true);
});

it('the branch of a fork is not asked for, because fixes of forks are refused elsewhere', async () => {
  const { facts, asked } = await factsOf({ branch: null }, { changeRequest: changeRequest({ fromFork: true }) });
  expect(facts?.branchProtected).toBe(false);
  expect(asked).not.toContain('branch');
});
