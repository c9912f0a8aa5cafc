import { describe, expect, it, test } from 'vitest';
import { handoffText, openText } from '../../../../../shared/rounds/plan/wording/handoff-text.ts';
import { parseUserCommand } from '../../../../../shared/rounds/commands/parse-command.ts';
import { itemOf } from '../../../../../shared/rounds/plan/wording/item.ts';
import { thread } from '../../builders.ts';

const place = (path: string, line: number) => ({ path, side: 'new' as const, startLine: line, line });

test('lists what blocks, graver first, and names a finding that can be dismissed', () => {
  const text = handoffText(
    'The rounds are used up.',
    [
      thread({ id: 'F-001', severity: 'P2', blocking: true, title: 'Loops', place: place('a.ts', 3) }),
      thread({ id: 'F-002', severity: 'P0', state: 'vetoed', title: 'Leaks', place: place('b`.ts', 7) }),
      thread({ id: 'F-003', severity: 'P1', state: 'resolved', title: 'Done', place: place('c.ts', 1) }),
      thread({ id: 'F-004', severity: 'P3', blocking: false, title: 'Small', place: place('d.ts', 1) }),
    ].map((each) => itemOf(each)),
  );
  expect(text.split('\n').slice(0, 6)).toEqual([
    'The rounds are used up.',
    '',
    'What blocks:',
    '',
    "- **Critical**: [Leaks](#F-002) in `b'.ts:7` (F-002, waits for a person)",
    '- **Medium**: [Loops](#F-001) in `a.ts:3` (F-001)',
  ]);
  expect(text).toContain('`dismiss F-002 because …`');
});

test('has nothing to list where nothing blocks, and an end where much does', () => {
  expect(openText([])).toBe('');
  expect(handoffText('Why.', [])).not.toContain('What blocks');
  const many = Array.from({ length: 14 }, (_, index) =>
    itemOf(thread({ id: `F-${String(index + 1).padStart(3, '0')}`, severity: 'P1', place: place('a.ts', index + 1) })),
  );
  expect(openText(many).split('\n').at(-1)).toBe('- and 4 more');
});

test('commands nobody: a bot that reads it back hears nothing', () => {
  const text = handoffText('Why.', [itemOf(thread({ id: 'F-001', severity: 'P1' }))], 'fixpoint');
  expect(text).toContain('@fixpoint');
  expect(parseUserCommand(text, 'fixpoint')).toBeNull();
});

const waysOn = (mention?: string): readonly string[] =>
  handoffText('Why.', [itemOf(thread({ id: 'F-007', severity: 'P1' }))], mention)
    .split('\n')
    .filter((line) => line.startsWith('- ') && !line.startsWith('- **'));

describe('each way on', () => {
  it('is said in exact words: a push and a call, a dismissal, a decision of their own, an end', () => {
    expect(waysOn('fixpoint')).toEqual([
      '- Push a fix. `@fixpoint review` reviews the newest commit even when the rounds are used up; ' +
        '`@fixpoint review --full` reviews the whole change.',
      '- `@fixpoint dismiss F-007 because …` accepts a finding as it is.',
      '- Approve or merge the change request: the bot never merges, and stays silent until it is asked or new commits arrive.',
      '- Close the change request.',
    ]);
  });

  it('is said without a name where it is not known', () => {
    expect(waysOn().slice(0, 2)).toEqual([
      '- Push a fix. `review` reviews the newest commit even when the rounds are used up; ' +
        '`review --full` reviews the whole change.',
      '- `dismiss F-007 because …` accepts a finding as it is.',
    ]);
  });

  it('is understood by the bot as it stands there', () => {
    const quoted = waysOn('review-bot').flatMap((way) =>
      [...way.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words),
    );
    expect(quoted.map((words) => parseUserCommand(words.replace('…', 'it is generated'), 'review-bot'))).toMatchObject([
      { kind: 'review', full: false },
      { kind: 'review', full: true },
      { kind: 'dismiss', findingId: 'F-007', reason: 'it is generated' },
    ]);
  });
});
