/** What the bot answers to a command, and what else its plan changes. */
import { expect, it } from 'vitest';
import { buildAnswerPlan } from '../../../../shared/rounds/plan/answer-plan.ts';
import type { CommandReply } from '../../../../shared/rounds/model/command-reply.ts';
import type { History } from '../../../../shared/rounds/model/history.ts';
import * as make from '../builders.ts';

const answer = (say: CommandReply, patch: Partial<History> = {}) =>
  buildAnswerPlan(
    { facts: make.changeRequest(), history: make.history(patch), policy: make.policy() },
    { kind: 'answer', head: make.sha('head'), note: '7', threadId: null, say, noticeId: make.runId('n') },
  );

it.each<readonly [CommandReply, unknown]>([
  [
    { kind: 'paused', pauses: 1, pending: true },
    { state: 'error', description: 'No verdict: reviews are paused' },
  ],
  [{ kind: 'paused', pauses: 1, pending: false }, null],
  [{ kind: 'resumed', pauses: 2 }, null],
  [{ kind: 'help' }, null],
])('%j sets the status %j', (say, status) => {
  expect(answer(say).status).toEqual(status);
});

it.each([
  [null, false],
  ['secret-token', true],
])('an explanation names the rule that found the problem: %s', (rule, isNamed) => {
  const { notices } = answer({ kind: 'explain', findingId: 'F-001' }, { threads: [make.thread({ rule })] });
  expect(notices[0]?.text.includes(' Found by the rule `secret-token`.')).toBe(isNamed);
});

it('why nothing happens is said in whole sentences', () => {
  const reviewed = [make.reviewedAt(make.sha('head'), { verdict: 'inconclusive', exceeded: true })];
  const say = { kind: 'why', now: { kind: 'settled' } } as const;
  const { notices } = answer(say, { reviewed });
  expect(notices[0]?.text).toMatch(
    /^Review 1 of `[0-9a-f]{10}` ended with: no verdict\. A budget was used up before everything was reviewed\.$/,
  );
});
