/** Keeps the list of a project's open change requests up to date with few requests. */
import type { OpenPage, OpenPageAsk } from '../../../shared/forge/port-listing.ts';
import type { OpenChangeRequest } from '../../../shared/forge/port-facts.ts';
import type { ProjectMemory, SeenChangeRequest } from '../../../shared/store/sweep/sweep-memory.ts';

/** Maximum pages per visit: two thousand change requests on GitLab, half as many on other forges. */
export const MAX_PAGES = 20;

/** A change request that has been missing from a long list for this time counts as closed. */
const FORGET_MS = 72 * 3_600_000;

/** Contract: the same as `readOpenPage` of the forge port. */
export type ReadOpenPage = (ask: OpenPageAsk) => Promise<OpenPage | null>;

/** `unread`: entries that the forge could not show. A change request that is missing can be one of them. */
type Walk = { readonly seen: Map<number, SeenChangeRequest>; readonly nowMs: number; unread: number };

/** Makes one request if nothing changed; otherwise reads pages until nothing is new. The next visit continues after `MAX_PAGES`. */
export const refreshMemory = async (
  read: ReadOpenPage,
  memory: ProjectMemory,
  nowMs: number,
): Promise<ProjectMemory> => {
  const first = await read({ page: 1, tag: memory.tag });
  if (first === null && memory.nextPage === null) return memory;
  const known = new Map(memory.open.map((each) => [each.number, each]));
  const walk: Walk = { seen: new Map(), nowMs, unread: 0 };
  if (first !== null) add(walk, known, first);
  const tag = first?.tag ?? memory.tag;
  if (first?.last === true) return { v: 1, tag, nextPage: null, open: listed(walk, known, true) };
  return { v: 1, tag, ...(await readOn(read, { memory, known, walk, start: memory.nextPage ?? 2 })) };
};

type Rest = {
  readonly memory: ProjectMemory;
  readonly known: ReadonlyMap<number, SeenChangeRequest>;
  readonly walk: Walk;
  readonly start: number;
};

const readOn = async (
  read: ReadOpenPage,
  { memory, known, walk, start }: Rest,
): Promise<Pick<ProjectMemory, 'nextPage' | 'open'>> => {
  for (let page = start; page < start + MAX_PAGES - 1; page += 1) {
    const answer = await read({ page, tag: null });
    const isNew = answer !== null && add(walk, known, answer);
    const union = new Map([...known, ...walk.seen]);
    if (answer === null || answer.last) {
      // A list that was read in one visit is exact. If reading it took several visits, it may contain closed change
      // requests.
      const whole = memory.nextPage === null && start === 2;
      return { nextPage: null, open: listed(walk, known, whole) };
    }
    if (!isNew && memory.nextPage === null && answer.total === union.size) {
      return { nextPage: null, open: ordered(union) };
    }
  }
  return { nextPage: start + MAX_PAGES - 1, open: ordered(new Map([...known, ...walk.seen])) };
};

/** Adds a page; returns true if it had new or changed entries. */
const add = (
  walk: Walk,
  known: ReadonlyMap<number, SeenChangeRequest>,
  { open, unread }: { readonly open: readonly OpenChangeRequest[]; readonly unread?: number },
): boolean => {
  const { seen, nowMs } = walk;
  walk.unread += unread ?? 0;
  let isNew = false;
  for (const { changeRequest, head, targetBranch, mergeBase, updatedAtMs } of open) {
    const { number } = changeRequest;
    const before = known.get(number);
    const isSame = before?.head === head && before.target === targetBranch;
    const base = mergeBase ?? (isSame ? before.mergeBase : null);
    if (!isSame || before.updatedAtMs !== updatedAtMs || before.mergeBase !== base) isNew = true;
    seen.set(number, {
      number,
      head,
      target: targetBranch,
      mergeBase: base,
      compared: isSame ? before.compared : null,
      updatedAtMs,
      seenAtMs: nowMs,
      look: before?.look ?? null,
    });
  }
  return isNew;
};

/** `whole`: the list was read from its first to its last page in one visit. */
const listed = (walk: Walk, known: ReadonlyMap<number, SeenChangeRequest>, whole: boolean): SeenChangeRequest[] =>
  ordered(whole && walk.unread === 0 ? walk.seen : withoutOld(new Map([...known, ...walk.seen]), walk.nowMs));

const withoutOld = (
  all: ReadonlyMap<number, SeenChangeRequest>,
  nowMs: number,
): ReadonlyMap<number, SeenChangeRequest> =>
  new Map([...all].filter(([, { seenAtMs }]) => seenAtMs > nowMs - FORGET_MS));

const ordered = (all: ReadonlyMap<number, SeenChangeRequest>): SeenChangeRequest[] =>
  [...all.values()].toSorted((one, two) => two.updatedAtMs - one.updatedAtMs || two.number - one.number);
