/** Merge bases that a list does not tell: which branches and change requests are read for them, and how often. */
import { describe, expect, test } from 'vitest';
import { compareWithTargets } from '../../../../services/guard/sweep/sweep-targets.ts';
import { createSweepMeter } from '../../../../services/guard/sweep/sweep-meter.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import type { SeenChangeRequest } from '../../../../shared/store/sweep/sweep-memory.ts';
import * as make from '../../../shared/rounds/builders.ts';
import { never } from '../../../shared/workspace/repository.ts';

const { at, NOW, sha, state } = make;
const HEAD = sha('head');
const TIP = sha('tip');
const BASE = sha('base');
const LOOK = { head: HEAD, target: 'main', mergeBase: null, updatedAtMs: 0, atMs: 1, sinceMs: 1 };

const seen = (patch: Partial<SeenChangeRequest> = {}): SeenChangeRequest => ({
  number: 5,
  head: HEAD,
  target: 'main',
  mergeBase: null,
  compared: null,
  updatedAtMs: 0,
  seenAtMs: NOW,
  look: LOOK,
  ...patch,
});

type Wish = {
  readonly open?: readonly SeenChangeRequest[];
  readonly state?: GuardState | null;
  /** Null: the branch is gone. */
  readonly tip?: typeof TIP | null;
  /** The merge base that the forge tells of the change request; null: it is gone. */
  readonly base?: typeof BASE | null;
  readonly requestsPerSecond?: number;
};

const compare = async (wish: Wish = {}) => {
  const { open = [seen()], state: stored = state({ reviewed: [at(HEAD)] }), tip = TIP, base = BASE } = wish;
  const asked: string[] = [];
  const meter = createSweepMeter(wish.requestsPerSecond ?? 1_000);
  // The states are only loaded.
  const states = { load: async () => stored } as unknown as Parameters<typeof compareWithTargets>[0]['states'];
  const compared = await compareWithTargets(
    { states, nowMs: () => NOW },
    {
      fetchBranch: async (_project, name) => {
        asked.push(`branch ${name}`);
        return tip === null ? null : { head: tip, isProtected: false, isDefault: true };
      },
      fetchChangeRequest: async ({ forge, projectId, number }) => {
        asked.push(`change request ${forge}.${projectId}.${number}`);
        return base === null ? null : make.changeRequest({ mergeBase: base });
      },
    },
    { forge: make.changeRequest().changeRequest.forge, projectId: 1, meter, signal: never() },
    open,
  );
  return { asked, compared, spent: meter.restMs(0) };
};

const BOTH = ['branch main', 'change request main.1.5'];

describe('the merge base of a change request', () => {
  test('is read when its target branch has moved, and is no reason to look at what was settled', async () => {
    const { asked, compared, spent } = await compare();
    expect([asked, spent]).toEqual([BOTH, 2]);
    expect(compared).toEqual([
      seen({ mergeBase: BASE, compared: { tip: TIP, sinceMs: NOW, atMs: NOW }, look: { ...LOOK, mergeBase: BASE } }),
    ]);
  });

  test('that is another one leaves the last look as it was, so guard looks again', async () => {
    const { compared } = await compare({
      state: state({ reviewed: [at(HEAD, { base: sha('older'), targetHead: sha('x') })] }),
    });
    expect(compared[0]).toMatchObject({ mergeBase: BASE, look: { mergeBase: null } });
  });

  test('of a change request without a look is only noted', async () => {
    const { compared } = await compare({ open: [seen({ look: null })] });
    expect(compared[0]).toMatchObject({ mergeBase: BASE, look: null });
  });

  test('of a change request that is gone stays as it was', async () => {
    const { compared } = await compare({
      open: [seen({ mergeBase: sha('known'), compared: { tip: sha('old tip'), sinceMs: 1, atMs: 1 } })],
      base: null,
    });
    expect(compared[0]).toMatchObject({ mergeBase: sha('known'), look: { mergeBase: null } });
  });

  test('is read first where it was read longest ago', async () => {
    const before = (number: number, atMs: number) =>
      seen({ number, mergeBase: BASE, compared: { tip: sha('old tip'), sinceMs: 1, atMs } });
    const { asked, compared } = await compare({
      requestsPerSecond: 1,
      open: [before(3, 30), before(4, 20), before(5, 10), seen({ number: 6 })],
    });
    expect(asked).toEqual(['branch main', 'change request main.1.6']);
    expect(compared.map(({ number }) => number)).toEqual([3, 4, 5, 6]);
  });

  test.each<readonly [string, Wish, readonly string[]]>([
    ['where the list tells it', { open: [seen({ mergeBase: BASE })] }, []],
    ['before there is a verdict', { state: state() }, []],
    ['of what guard does not know', { state: null }, []],
    ['where the verdict is about another head', { state: state({ reviewed: [at(sha('older'))] }) }, []],
    ['where the branch is gone', { tip: null }, ['branch main']],
    [
      'a minute after the branch moved',
      { open: [seen({ mergeBase: BASE, compared: { tip: TIP, sinceMs: 0, atMs: 60_000 } })] },
      ['branch main'],
    ],
    [
      'once no more requests are allowed',
      { requestsPerSecond: 1, open: [seen({ number: 4 }), seen()] },
      ['branch main', 'change request main.1.4'],
    ],
  ])('is not read %s', async (_when, wish, asked) => {
    expect((await compare(wish)).asked).toEqual(asked);
  });

  test('is read again within that minute, because the forge may still tell the old one', async () => {
    const compared = { tip: TIP, sinceMs: 0, atMs: 59_999 };
    const again = await compare({ open: [seen({ mergeBase: sha('old'), compared })] });
    expect(again.asked).toEqual(BOTH);
    expect(again.compared[0]?.compared).toEqual({ tip: TIP, sinceMs: 0, atMs: NOW });
  });

  test('costs one question for each branch, and at most 20 for all of them', async () => {
    const targets = Array.from({ length: 25 }, (_, index) => `b${index % 22}`);
    const open = ['main', 'main', ...targets].map((target) => seen({ target }));
    const reviewed = [...new Set(open.map(({ target }) => target))].map((target) => at(HEAD, { target }));
    const { asked } = await compare({ open, state: state({ reviewed }) });
    const branches = asked.filter((each) => each.startsWith('branch'));
    expect([branches.length, new Set(branches).size, branches[0]]).toEqual([20, 20, 'branch main']);
  });
});
