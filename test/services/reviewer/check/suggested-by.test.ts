import { describe, expect, test } from 'vitest';
import { suggestedBy } from '../../../../services/reviewer/check/suggested-by.ts';
import type { PacketThread } from '../../../../services/reviewer/packet/packet.ts';
import type { DraftFinding } from '../../../../shared/vocabulary/finding.ts';
import { claim, sha } from '../../../shared/rounds/builders.ts';
import { thread } from '../review-world.ts';

const SUGGESTION = 'const kept = await load(order);\nawait save(kept);';
const HEAD = ['first();', ...SUGGESTION.split('\n').map((line) => `${line}  `), 'last();', 'await save(kept);'].join(
  '\n',
);

const own = (more: Partial<PacketThread> = {}): PacketThread => ({
  ...thread('a.ts', 2, sha('head')),
  citedText: '',
  now: null,
  suggestion: SUGGESTION,
  ...more,
});

const found = async (patch: Partial<DraftFinding>, threads = [own()]) =>
  (
    await suggestedBy(claim({ path: 'a.ts', ...patch }), {
      openThreads: [],
      closedThreads: threads,
      headText: async () => HEAD,
    })
  ).suggestedBy;

describe('F-B8: knows its own suggestion, applied word for word', () => {
  test.each<[string, Partial<DraftFinding>, string | undefined]>([
    ['on its first line', { startLine: 2, line: 2 }, 'F-001'],
    ['on all its lines', { startLine: 2, line: 3 }, 'F-001'],
    ['not on a line beside it', { startLine: 1, line: 1 }, undefined],
    ['not on more lines than it has', { startLine: 2, line: 4 }, undefined],
    ['not on one of its lines elsewhere', { startLine: 5, line: 5 }, undefined],
    ['not on the old side', { startLine: 2, line: 2, side: 'old' }, undefined],
    ['not in another file', { path: 'b.ts', startLine: 2, line: 2 }, undefined],
    ['not for a rule', { startLine: 2, line: 2, rule: 'js-eval' }, undefined],
  ])('%s', async (_name, patch, id) => {
    expect(await found(patch)).toBe(id);
  });

  test('and takes no bracket for one', async () => {
    expect(await found({ startLine: 1, line: 1 }, [own({ suggestion: 'first();'.slice(0, 3) })])).toBeUndefined();
  });
});
