import { expect, test } from 'vitest';
import { raiseHandoffs } from '../../../../services/poster/notify/raise-handoffs.ts';
import type { NotifyEvent } from '../../../../shared/notify/event.ts';
import { type PostPlan, PostPlan as Plan } from '../../../../shared/rounds/model/posting/post-plan.ts';

const changeRequest = { forge: 'main', projectId: 42, number: 7 };
const common = { cr: 'main.42.7', review: 3, attempt: 1, run: 'run000000001', target: 'main', mergeBase: null };
const shas = { head: 'a'.repeat(40), targetHead: 'b'.repeat(40) };

const notices = Plan.shape.notices.parse([
  { marker: { ...common, ...shas, kind: 'notice', verdict: 'feedback' }, text: 'x', mention: false },
  {
    marker: { ...common, ...shas, kind: 'handoff', episode: 3, reason: 'max_rounds_exceeded' },
    text: 'x',
    mention: true,
  },
]);

test('of all that a plan says, the call of a person is an event', async () => {
  const raised: NotifyEvent[] = [];
  const plan: Pick<PostPlan, 'changeRequest' | 'notices'> = { changeRequest, notices };
  await raiseHandoffs({ raise: async (event) => void raised.push(event), nowMs: () => 9 }, plan);
  expect(raised).toEqual([{ kind: 'handoff', atMs: 9, changeRequest, reason: 'max_rounds_exceeded', episode: 3 }]);
});

test('where nobody is to be notified, a hand-off is only a comment', async () => {
  await expect(raiseHandoffs({ nowMs: () => 9 }, { changeRequest, notices })).resolves.toBeUndefined();
});
