import { expect, test } from 'vitest';
import { planActions } from './push-evenly.ts';

test.each([1, 10, 11, 50])('each of %i change requests is opened once, and later pushed to once', (count) => {
  const actions = planActions(count);
  const at = (kind: string): readonly number[] =>
    actions.flatMap((action) => (action.kind === kind ? [action.index] : []));
  const all = Array.from({ length: count }, (_, index) => index);
  expect([at('open'), at('push')]).toEqual([all, all]);
  for (const index of all) {
    const [opened, pushed] = ['open', 'push'].map((kind) =>
      actions.findIndex((action) => action.kind === kind && action.index === index),
    );
    expect(pushed).toBeGreaterThan(opened ?? Infinity);
  }
});
