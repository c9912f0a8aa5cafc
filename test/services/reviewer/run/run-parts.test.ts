import { expect, test } from 'vitest';
import type { ReviewPart } from '../../../../services/reviewer/parts/review-parts.ts';
import type { ConversationResult } from '../../../../services/reviewer/run/run-conversation.ts';
import { type PartsRun, runParts } from '../../../../services/reviewer/run/run-parts.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import { never } from '../../../shared/workspace/repository.ts';

const PARTS: readonly ReviewPart[] = [1, 2, 3, 4, 5].map((number) => ({
  number,
  files: [],
  bytes: 1,
  changedLines: 1,
}));

const ended = (wallMs: number): ConversationResult => ({
  kind: 'ended',
  outcome: { kind: 'unreadable', rawText: null, notes: '' },
  notes: '',
  spent: { ...NOTHING_SPENT, wallMs },
  read: new Map(),
  boundary: 'a'.repeat(32),
  tookOver: [],
});

const asked: string[] = [];

/** Two lanes: parts 1, 3 and 5, and parts 2 and 4. */
const run = async (
  talk: (part: number, leftMs: number) => ConversationResult | Promise<ConversationResult>,
  earlier: readonly number[] = [],
) => {
  asked.length = 0;
  const parts: PartsRun = {
    parts: PARTS,
    begun: new Set(PARTS.filter(({ number }) => earlier.includes(number))),
    lanes: 2,
    wallMs: 100,
    talk: async ({ number }, leftMs) => {
      asked.push(`${number}: ${leftMs}`);
      return talk(number, leftMs);
    },
  };
  return runParts(parts, never());
};

test('the parts of a lane share its time, and a part for which none is left is not begun', async () => {
  const result = await run((part) => ended(part === 1 ? 30 : part === 3 ? 70 : 10));
  expect(asked.toSorted()).toEqual(['1: 100', '2: 100', '3: 70', '4: 90']);
  if (result.kind !== 'ended') throw new Error(result.kind);
  expect(result.parts.map(({ part, talked }) => [part.number, talked !== null])).toEqual([
    [1, true],
    [2, true],
    [3, true],
    [4, true],
    [5, false],
  ]);
  expect(result.wallMs).toBe(100);
});

test('a part that an earlier execution began is continued, even if no time is left', async () => {
  const result = await run((part) => ended(part === 2 ? 100 : 10), [4]);
  expect(asked).toContain('4: 0');
  if (result.kind !== 'ended') throw new Error(result.kind);
  expect(result.parts.map(({ talked }) => talked !== null)).toEqual([true, true, true, true, true]);
});

test('after an error no further part is begun, and the parts in progress end first', async () => {
  let end = (_result: ConversationResult): void => {};
  const waits = new Promise<ConversationResult>((resolve) => {
    end = resolve;
  });
  const running = run((part) => {
    if (part === 2) throw new TypeError('lost');
    return part === 1 ? waits : ended(1);
  });
  // Nobody waits for it yet, and it fails before anybody does.
  running.catch(() => {});
  end(ended(1));
  await expect(running).rejects.toThrow('lost');
  expect(asked.toSorted()).toEqual(['1: 100', '2: 100']);
});

test('a newer head ends all lanes', async () => {
  const result = await run((part) => (part === 2 ? { kind: 'superseded' } : ended(1)));
  expect(result).toEqual({ kind: 'superseded' });
  expect(asked).not.toContain('5: 98');
});

test('a part that waits for verifiers holds up no other, and its time counts', async () => {
  const result = await run((part) => (part === 1 ? { kind: 'waits', wallMs: 40 } : ended(10)));
  expect(result).toEqual({ kind: 'waits' });
  expect(asked.toSorted()).toEqual(['1: 100', '2: 100', '3: 60', '4: 90', '5: 50']);
});
