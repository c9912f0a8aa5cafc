/** Against a forge's list in memory that changes between visits: the memory must end up with exactly what is open. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_PAGES, type ReadOpenPage, refreshMemory } from '../../../../services/guard/sweep/sweep-listing.ts';
import type { OpenChangeRequest } from '../../../../shared/forge/port-facts.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { EMPTY_MEMORY, type ProjectMemory } from '../../../../shared/store/sweep/sweep-memory.ts';
import { NOW, sha } from '../../../shared/rounds/builders.ts';

const RUNS = process.env['FIXPOINT_DEEP'] === '1' ? 2_000 : 100;
const SIZE = 3;

type List = {
  readonly open: Map<number, { head: CommitSha; updatedAtMs: number }>;
  readonly asked: number[];
  readonly read: ReadOpenPage;
  readonly touch: (number: number, head?: string) => void;
};

const createList = (numbers: readonly number[]): List => {
  let clock = NOW;
  const open: List['open'] = new Map();
  const asked: number[] = [];
  const touch: List['touch'] = (number, head = `head ${number}`) => {
    clock += 1_000;
    open.set(number, { head: sha(head), updatedAtMs: clock });
  };
  for (const number of numbers) touch(number);
  const entries = (): readonly OpenChangeRequest[] =>
    [...open]
      .map(([number, { head, updatedAtMs }]) => ({
        changeRequest: { forge: 'main', projectId: 1, number },
        head,
        draft: false,
        targetBranch: 'main',
        mergeBase: null,
        updatedAtMs,
      }))
      .toSorted((one, two) => two.updatedAtMs - one.updatedAtMs);
  return {
    open,
    asked,
    touch,
    read: async ({ page, tag }) => {
      asked.push(page);
      const items = entries().slice((page - 1) * SIZE, page * SIZE);
      const fresh = JSON.stringify([items, open.size]);
      if (fresh === tag) return null;
      return { open: items, last: page * SIZE >= open.size, total: open.size, tag: fresh };
    },
  };
};

const numbersOf = ({ open }: ProjectMemory): readonly number[] => open.map(({ number }) => number);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const visit = async (list: List, memory: ProjectMemory, nowMs = NOW) => {
  list.asked.splice(0);
  const next = await refreshMemory(list.read, memory, nowMs);
  return { memory: next, asked: [...list.asked] };
};

describe('the memory of a project', () => {
  test('holds everything after the first visit, most recent first', async () => {
    const { memory, asked } = await visit(createList(upTo(7)), EMPTY_MEMORY);
    expect(numbersOf(memory)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(asked).toEqual([1, 2, 3]);
  });

  test('keeps a change request that the forge lists and cannot show, and forgets a closed one later', async () => {
    const list = createList([1, 2]);
    const { memory } = await visit(list, EMPTY_MEMORY);
    const hidden: List = {
      ...list,
      read: async (ask) => {
        const page = await list.read({ ...ask, tag: null });
        return (
          page && { ...page, open: page.open.filter(({ changeRequest }) => changeRequest.number !== 1), unread: 1 }
        );
      },
    };
    const next = await visit(hidden, memory);
    expect(numbersOf(next.memory)).toEqual([2, 1]);
    expect(numbersOf((await visit(hidden, next.memory, NOW + 73 * 3_600_000)).memory)).toEqual([2]);
  });

  test('costs one request while nothing changes', async () => {
    const list = createList(upTo(7));
    const { memory } = await visit(list, EMPTY_MEMORY);
    const again = await visit(list, memory);
    expect(again).toEqual({ memory, asked: [1] });
  });

  test('reads on only until nothing new comes', async () => {
    const list = createList(upTo(20));
    const { memory } = await visit(list, EMPTY_MEMORY);
    list.touch(2);
    const { memory: next, asked } = await visit(list, memory);
    expect(asked).toEqual([1, 2]);
    expect(numbersOf(next).slice(0, 3)).toEqual([2, 20, 19]);
    expect(next.open).toHaveLength(20);
  });

  test('forgets what was closed, also far behind', async () => {
    const list = createList(upTo(12));
    const { memory } = await visit(list, EMPTY_MEMORY);
    list.open.delete(1);
    list.touch(5);
    const { memory: next } = await visit(list, memory);
    expect(numbersOf(next).toSorted((one, two) => one - two)).toEqual(upTo(12).slice(1));
  });

  test('keeps when each was looked at', async () => {
    const list = createList([1, 2]);
    const { memory } = await visit(list, EMPTY_MEMORY);
    const look = { head: sha('head 1'), target: 'main', mergeBase: null, updatedAtMs: NOW, atMs: NOW, sinceMs: NOW };
    const looked = { ...memory, open: memory.open.map((each) => ({ ...each, look })) };
    list.touch(2);
    const { memory: next } = await visit(list, looked);
    expect(next.open.map((each) => each.look)).toEqual([look, look]);
  });

  test('of a very long list goes on where it stopped, while its head is still watched', async () => {
    const count = SIZE * (MAX_PAGES + 5);
    const list = createList(upTo(count));
    const first = await visit(list, EMPTY_MEMORY);
    expect(first.asked).toEqual(upTo(MAX_PAGES));
    list.touch(1);
    const second = await visit(list, first.memory);
    expect(second.asked).toEqual([1, ...upTo(5).map((page) => MAX_PAGES + page)]);
    expect(numbersOf(second.memory)[0]).toBe(1);
    expect(second.memory.open).toHaveLength(count);
    expect(second.memory.nextPage).toBeNull();
  });

  test('of a very long list goes on where it stopped, also while nothing changes', async () => {
    const list = createList(upTo(SIZE * (MAX_PAGES + 5)));
    const first = await visit(list, EMPTY_MEMORY);
    const second = await visit(list, first.memory);
    expect(second.asked).toEqual([1, ...upTo(5).map((page) => MAX_PAGES + page)]);
    const third = await visit(list, second.memory);
    expect(third).toEqual({ memory: second.memory, asked: [1] });
  });

  test('of a list that takes several visits forgets what none of them has shown for three days', async () => {
    const DAY_MS = 24 * 3_600_000;
    const list = createList(upTo(7));
    const { memory } = await visit(list, EMPTY_MEMORY);
    list.open.delete(1);
    const isKept = async (days: number): Promise<boolean> => {
      // An earlier visit has read page 1, and this one reads the rest.
      const next = await visit(list, { ...memory, nextPage: 2 }, NOW + days * DAY_MS);
      return numbersOf(next.memory).includes(1);
    };
    expect([await isKept(0), await isKept(2.99), await isKept(3)]).toEqual([true, true, false]);
  });

  test('notices a merge base that was reset without a new date', async () => {
    const list = createList(upTo(20));
    const at =
      (base: string | null): ReadOpenPage =>
      async (ask) => {
        const page = await list.read({ ...ask, tag: null });
        return page === null
          ? null
          : { ...page, open: page.open.map((each) => ({ ...each, mergeBase: base === null ? null : sha(base) })) };
      };
    const first = await refreshMemory(at('base'), EMPTY_MEMORY, NOW);
    list.asked.splice(0);
    const second = await refreshMemory(at('other base'), first, NOW);
    expect([list.asked, new Set(second.open.map(({ mergeBase }) => mergeBase))]).toEqual([
      upTo(7),
      new Set([sha('other base')]),
    ]);
    // A list without merge bases keeps those that were read.
    const third = await refreshMemory(at(null), second, NOW);
    expect(third.open[0]?.mergeBase).toBe(sha('other base'));
  });

  test('is what the forge has open, whatever happens between visits', async () => {
    const change = fc.record({
      kind: fc.constantFrom('touch', 'push', 'open', 'close'),
      number: fc.integer({ min: 1, max: 25 }),
    });
    const law = fc.asyncProperty(fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 8 }), async (rounds) => {
      const list = createList(upTo(10));
      let memory: ProjectMemory = EMPTY_MEMORY;
      for (const [index, changes] of [[], ...rounds].entries()) {
        for (const { kind, number } of changes) {
          if (kind === 'close') list.open.delete(number);
          else if (kind === 'open' || list.open.has(number)) list.touch(number, `${kind} ${index} ${number}`);
        }
        ({ memory } = await visit(list, memory));
        const shown = new Map(memory.open.map(({ number, head, updatedAtMs }) => [number, { head, updatedAtMs }]));
        expect(shown).toEqual(list.open);
      }
    });
    await fc.assert(law, { seed: 5, numRuns: RUNS });
  });
});
