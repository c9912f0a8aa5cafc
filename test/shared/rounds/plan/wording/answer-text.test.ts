import { describe, expect, it } from 'vitest';
import { answerText } from '../../../../../shared/rounds/plan/wording/answer-text.ts';
import type { CommandReply } from '../../../../../shared/rounds/model/command-reply.ts';
import { parseUserCommand } from '../../../../../shared/rounds/commands/parse-command.ts';
import type { Policy } from '../../../../../shared/rounds/model/policy.ts';
import * as make from '../../builders.ts';

const NO_FILTERS: Policy['filters'] = {
  labels: [],
  ignoreLabels: [],
  authors: [],
  ignoreAuthors: [],
  targetBranches: [],
};
const HEAD = make.sha('head');
const answer = (say: CommandReply, mention?: string): string => {
  const known = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
  return answerText(mention === undefined ? known : { ...known, mention }, { say, head: HEAD });
};

const commandsIn = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words);

describe('the words on how to command', () => {
  it('name every command as it is written, and the bot understands each', () => {
    const commands = commandsIn(answer({ kind: 'help' }, 'review-bot'));
    expect(commands).toEqual([
      '@review-bot review',
      '@review-bot review --full',
      '@review-bot dismiss F-001 because …',
      '@review-bot explain F-001',
      '@review-bot fix',
      '@review-bot pause',
      '@review-bot resume',
      '@review-bot status',
    ]);
    expect(commands.map((words) => parseUserCommand(words.replace('…', 'x'), 'review-bot')?.kind)).toEqual([
      'review',
      'review',
      'dismiss',
      'explain',
      'fix',
      'pause',
      'resume',
      'status',
    ]);
  });

  it.each<[CommandReply, readonly string[]]>([
    [{ kind: 'verdict' }, ['@bot review --full']],
    [{ kind: 'paused', pauses: 1, pending: false }, ['@bot review', '@bot resume']],
    [{ kind: 'misread', why: 'arguments' }, ['@bot review --full']],
    [{ kind: 'misread', why: 'no_finding' }, ['@bot explain F-001']],
    [{ kind: 'misread', why: 'no_reason' }, ['@bot dismiss F-001 because it is generated code']],
  ])('of %j show %j', (say, commands) => {
    expect(commandsIn(answer(say, 'bot')).filter((code) => code.startsWith('@'))).toEqual(commands);
  });

  it('say what stands behind the name where it is not known', () => {
    const text = answer({ kind: 'help' });
    expect(text.split('\n')[0]).toContain('Mention the bot, followed by one of these commands.');
    expect(commandsIn(text).slice(0, 2)).toEqual(['review', 'review --full']);
  });

  it.each<[string, Parameters<typeof make.changeRequest>[0], Partial<Policy>, number, string | null]>([
    ['nothing', {}, {}, 0, null],
    ['a draft', { draft: true }, {}, 0, 'it is a draft (setting `review.drafts` of the operator).'],
    ['a draft that is wanted', { draft: true }, { reviewDrafts: true }, 0, null],
    ['a pause', {}, {}, 1, 'reviews of it are paused. `@bot resume` resumes them;'],
    [
      'triggers without pushes',
      {},
      { triggers: ['opened', 'mention'] },
      0,
      '(setting `review.triggers` of the operator)',
    ],
    ['a missing label', {}, { filters: { ...NO_FILTERS, labels: ['ready'] } }, 0, '`review.labels`'],
    [
      'an ignored label',
      { labels: ['wip'] },
      { filters: { ...NO_FILTERS, ignoreLabels: ['wip'] } },
      0,
      '`review.ignore_labels`',
    ],
    ['another author', {}, { filters: { ...NO_FILTERS, authors: ['somebody-else'] } }, 0, '`review.authors`'],
    ['an ignored author', {}, { filters: { ...NO_FILTERS, ignoreAuthors: ['*'] } }, 0, '`review.ignore_authors`'],
    [
      'another branch',
      {},
      { filters: { ...NO_FILTERS, targetBranches: ['release/*'] } },
      0,
      '`review.target_branches`',
    ],
  ])('name the setting behind %s', (_what, facts, policy, pauses, expected) => {
    const context = {
      facts: make.changeRequest(facts),
      history: make.history({ pauses }),
      policy: { ...make.policy(), ...policy },
      mention: 'bot',
    };
    const text = answerText(context, { say: { kind: 'status' }, head: HEAD });
    if (expected === null) expect(text).not.toContain('not reviewed by themselves');
    else expect(text).toContain(expected);
    expect(text.includes('`@bot review` reviews this one anyway.')).toBe(expected !== null);
  });

  it('name the target branch of a verdict that belongs to another one', () => {
    const history = make.history({ reviewed: [make.reviewedAt(HEAD, { target: 'lab', verdict: 'lgtm' })] });
    const text = answerText(
      { facts: make.changeRequest(), history, policy: make.policy() },
      { say: { kind: 'verdict' }, head: HEAD },
    );
    expect(text).toContain('into `lab` ended with: nothing blocks merging');
    expect(text).toContain('into `main` has not been reviewed');
  });

  it('explain a finding with its place, its round and its state', () => {
    const history = make.history({ threads: [make.thread({ id: 'F-002', review: 2, count: 1 })] });
    const text = answerText(
      { facts: make.changeRequest(), history, policy: make.policy() },
      { say: { kind: 'explain', findingId: make.thread({ id: 'F-002' }).id }, head: HEAD },
    );
    expect(text).toContain('**High: The result is never awaited**');
    expect(text).toMatch(/State: open, 1 reply by the bot/);
    expect(text).toContain('F-002 in `a.ts:3`, raised in review 2');
  });

  it('command nobody: a bot that reads them back hears nothing', () => {
    expect(parseUserCommand(answer({ kind: 'help' }, 'bot'), 'bot')).toBeNull();
  });
});
