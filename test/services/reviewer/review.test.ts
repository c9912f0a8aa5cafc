import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PacketRequest } from '../../../services/reviewer/packet/packet.ts';
import { reviewOnce } from '../../../services/reviewer/review.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { runId } from '../../shared/rounds/builders.ts';
import { createReviewWorld, request, type ReviewWorld, SCOPE, TASK, thread } from './review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

const askedAbout = async (patch: Partial<PacketRequest>, maxFiles: number) => {
  const base = world.commit({ 'old.ts': 'old();\n' });
  const head = world.commit({ 'a.ts': 'a();\n', 'b.ts': 'b();\n' });
  let asked = 0;
  const result = await reviewOnce({
    identity: { runId: runId('run'), review: 1, attempt: 1 },
    request: request(base, head, patch),
    task: TASK,
    scope: SCOPE,
    source: world.source({ maxFiles }),
    runner: {
      name: 'counting',
      run: async () => {
        asked += 1;
        return { kind: 'failed', code: 'ASKED', rawText: null };
      },
    },
    redact: createRedactor([]),
    operatorRules: '',
  });
  return { asked, result };
};

test('asks nobody about a change that is too large as a whole, and gives a draft that can be no pass', async () => {
  expect(await askedAbout({}, 1)).toMatchObject({
    asked: 0,
    result: {
      kind: 'draft',
      draft: {
        runner: 'rules',
        findings: [],
        coverage: { complete: false, omitted: [{ path: '(the whole change)' }] },
        spent: { modelCalls: 0 },
      },
    },
  });
});

test('asks about a change of which something is left, and about open threads in any', async () => {
  expect(await askedAbout({}, 2)).toMatchObject({ asked: 1 });
  const openThreads = [thread('old.ts', 1, null)];
  expect((await askedAbout({ openThreads }, 1)).asked).toBe(1);
});
