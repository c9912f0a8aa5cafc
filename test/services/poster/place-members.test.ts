/** Which other change requests of a commit hold its status. */
import { describe, expect, test } from 'vitest';
import { readMembers } from '../../../services/poster/place-members.ts';
import type { PosterDeps } from '../../../services/poster/deps.ts';
import type { ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import { never } from '../../shared/workspace/repository.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createFakeForge } from './fake-forge.ts';
import { FREE_PLACE } from './free-place.ts';
import { posterDeps } from './poster-deps.ts';

const head = make.sha('head');
const facts = make.changeRequest();
const { changeRequest: own } = facts;
const plan = buildAcknowledgePlan(
  { facts, history: make.history(), policy: make.policy() },
  { input: make.at(head), noteId: null, noticeId: make.runId('notice') },
);

type Wish = {
  /** What the forge lists; the next pages have nothing for the commit. */
  readonly listed: readonly ChangeRequestFacts[];
  /** What it says of each when it is asked; by default the same. */
  readonly now?: (listed: ChangeRequestFacts) => ChangeRequestFacts | null;
  readonly part?: string | undefined;
  readonly pages?: number;
  readonly countsTarget?: PosterDeps['countsTarget'];
};

const other = (distance: number, patch: Partial<ChangeRequestFacts> = {}): ChangeRequestFacts => ({
  ...facts,
  changeRequest: { ...own, number: own.number + distance },
  ...patch,
});

const read = async ({ listed, now = (each) => each, part, pages = 1, countsTarget = () => true }: Wish) => {
  const { forge } = createFakeForge();
  const marked: string[] = [];
  const asked: unknown[] = [];
  const reading = {
    ...forge.read,
    readOpenPage: async (project: unknown, { page }: { readonly page: number }) => {
      asked.push(project);
      return { open: page === 1 ? listed : [], last: page >= pages, total: listed.length, tag: '' };
    },
    fetchChangeRequest: async ({ number }: { readonly number: number }) => {
      const found = listed.find(({ changeRequest }) => changeRequest.number === number);
      return found === undefined ? null : now(found);
    },
    fetchComments: async () => [],
  };
  const deps = posterDeps({
    countsTarget,
    shared: { ...FREE_PLACE.shared, mark: async ({ head: commit }) => void marked.push(commit) },
  });
  const place = { forge: own.forge, projectId: own.projectId, head };
  const found = await readMembers({ deps, forge: { ...forge, read: reading }, plan, signal: never() }, place, part);
  return { found, marked, asked };
};

const numbersIn = ({ found }: Awaited<ReturnType<typeof read>>) =>
  found.kind === 'known' ? found.members.map(({ number }) => number) : found.why;

const membersOf = async (places: Readonly<Record<number, string | undefined>>, part: string | undefined) => {
  const listed = Object.entries(places).map(([number, statusPlace]): ChangeRequestFacts => {
    const changeRequest = { ...own, number: Number(number) };
    return { ...facts, changeRequest, ...(statusPlace === undefined ? {} : { statusPlace }) };
  });
  return numbersIn(await read({ listed, part }));
};

describe('the change requests of a commit', () => {
  const others = { [own.number + 1]: 'pipeline 1', [own.number + 2]: 'pipeline 2' };

  test('GL4: one whose gate looks elsewhere holds nobody up', async () => {
    expect(await membersOf(others, 'pipeline 1')).toEqual([own.number + 1]);
    expect(await membersOf(others, 'pipeline 3')).toEqual([]);
  });

  test('all of them count where the commit is the place', async () => {
    const alike = { [own.number + 1]: undefined, [own.number + 2]: undefined };
    expect(await membersOf(alike, undefined)).toEqual([own.number + 1, own.number + 2]);
  });

  test('are looked up in the project of the commit, and mark it as shared', async () => {
    const { marked, asked, found } = await read({ listed: [facts, other(1)] });
    expect([marked, asked]).toEqual([[head], [{ id: own.projectId, path: '' }]]);
    expect(found).toMatchObject({ kind: 'known', any: other(1) });
    expect(await read({ listed: [facts] })).toMatchObject({ marked: [], found: { members: [], any: null } });
  });

  test.each<readonly [string, NonNullable<Wish['now']>]>([
    ['was closed since', (each) => ({ ...each, state: 'closed' })],
    ['got another head since', (each) => ({ ...each, head: make.sha('next') })],
    ['got an excluded target branch since', (each) => ({ ...each, targetBranch: 'excluded' })],
    ['is gone', () => null],
  ])('one that %s does not count', async (_what, now) => {
    const countsTarget = (branch: string): boolean => branch !== 'excluded';
    expect(numbersIn(await read({ listed: [other(1)], now, countsTarget }))).toEqual([]);
  });

  test('one with another head, or into an excluded branch, is not asked for', async () => {
    const listed = [other(1, { head: make.sha('next') }), other(2, { targetBranch: 'excluded' })];
    const now = (): never => {
      throw new Error('not expected');
    };
    const done = await read({ listed, now, countsTarget: (branch) => branch !== 'excluded' });
    expect([numbersIn(done), done.marked]).toEqual([[], []]);
  });

  test.each([
    [20, 1, Array.from({ length: 20 }, (_, index) => own.number + 1 + index)],
    [21, 1, 'Too many change requests contain this commit'],
    [1, 100, [own.number + 1]],
    [1, 101, 'There are too many open change requests to list'],
  ] as const)('are known up to a limit: %i of them, on %i pages', async (count, pages, expected) => {
    const listed = Array.from({ length: count }, (_, index) => other(index + 1));
    expect(numbersIn(await read({ listed, pages }))).toEqual(expected);
  });
});
