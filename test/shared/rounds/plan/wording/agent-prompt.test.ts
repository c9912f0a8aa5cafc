import { expect, test } from 'vitest';
import { promptFold } from '../../../../../shared/rounds/plan/wording/agent-prompt.ts';
import { itemOf } from '../../../../../shared/rounds/plan/wording/item.ts';
import { comment, thread } from '../../builders.ts';

const item = (body: string, patch = {}) => itemOf(thread({ comment: comment(`**High: Lost**\n\n${body}`), ...patch }));

test('nothing in a finding ends the block of the prompt', () => {
  const text = promptFold([item('Words.\n\n````md\n```\nx\n```\n````\n\nMore.')])?.text ?? '';
  const [first = ''] = text.split('\n');
  const fence = /^`+/.exec(first)?.[0] ?? '';
  expect(text.split('\n').filter((line) => line.trimStart().startsWith(fence))).toHaveLength(2);
  expect(text.endsWith(fence)).toBe(true);
});

test('is left out where nothing is open, and is bounded', () => {
  expect(promptFold([item('x', { state: 'resolved' }), item('x', { state: 'unverified' })])).toBeNull();
  const many = Array.from({ length: 60 }, () => item('w'.repeat(5_000)));
  const text = promptFold(many)?.text ?? '';
  expect(text).toContain('lists 10 more findings');
  expect(text.length).toBeLessThan(60 * 1_800);
});
