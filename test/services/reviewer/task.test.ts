import { expect, test } from 'vitest';
import { taskOf } from '../../../services/reviewer/task.ts';
import { buildBrief } from '../../../services/guard/build-brief.ts';
import { changeRequest, history, policy, run, sha } from '../../shared/rounds/builders.ts';

test('a reviewer knows of the human who was called, and of nobody where nobody was', () => {
  const call = { head: sha('before'), review: 1, reason: 'max_rounds_exceeded', atMs: 1 };
  const handoffOf = (handoffs: readonly (typeof call)[]) =>
    taskOf(
      buildBrief({
        run: run({ review: 2 }),
        facts: changeRequest(),
        history: history({ handoffs }),
        policy: policy(),
        git: { url: 'http://forge.example/shop.git', headRef: 'refs/pull/5/head' },
        comments: [],
        botIds: new Set(),
      }),
      null,
    ).handoff;
  expect([handoffOf([call]), handoffOf([])]).toEqual([{ ...call, webUrl: 'http://forge.example/5' }, null]);
});
