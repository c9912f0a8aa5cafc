import { describe, expect, it } from 'vitest';
import { answerText } from '../../../../../shared/rounds/plan/answers/answer-text.ts';
import type { CommandReply } from '../../../../../shared/rounds/model/command-reply.ts';
import { parseUserCommand } from '../../../../../shared/rounds/commands/parse-command.ts';
import * as make from '../../builders.ts';

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
      '@review-bot review src/',
      '@review-bot dismiss F-001 because …',
      '@review-bot dismiss F-001 always because …',
      '@review-bot explain F-001',
      '@review-bot fix',
      '@review-bot pause',
      '@review-bot resume',
      '@review-bot status',
      '@review-bot why',
    ]);
    expect(commands.map((words) => parseUserCommand(words.replace('…', 'x'), 'review-bot')?.kind)).toEqual([
      'review',
      'review',
      'review',
      'dismiss',
      'dismiss',
      'explain',
      'fix',
      'pause',
      'resume',
      'status',
      'why',
    ]);
  });

  it.each<[CommandReply, readonly string[]]>([
    [{ kind: 'verdict' }, ['@bot review --full']],
    [{ kind: 'paused', pauses: 1, pending: false }, ['@bot review', '@bot resume']],
    [{ kind: 'misread', why: 'arguments' }, ['@bot review --full']],
    [{ kind: 'nothing_left', left: [] }, ['@bot review --full']],
    [{ kind: 'nothing_left', left: ['src/', 'b.ts'] }, ['@bot review src/', '@bot review b.ts']],
    [{ kind: 'nothing_left', left: ['odd`name/'] }, ['@bot review --full']],
    [{ kind: 'misread', why: 'no_finding' }, ['@bot explain F-001']],
    [{ kind: 'misread', why: 'no_reason' }, ['@bot dismiss F-001 because it is generated code']],
    [{ kind: 'misread', why: 'several' }, ['@bot dismiss F-001 because it is generated code']],
  ])('of %j show %j', (say, commands) => {
    expect(commandsIn(answer(say, 'bot')).filter((code) => code.startsWith('@'))).toEqual(commands);
  });

  it('do not deny that files were left out if none of them can be named in a command', () => {
    expect(answer({ kind: 'nothing_left', left: ['odd`name/'] })).toContain('left out nothing below this path');
  });

  it('say what stands behind the name where it is not known', () => {
    const text = answer({ kind: 'help' });
    expect(text.split('\n')[0]).toContain('Mention the bot, followed by one of these commands.');
    expect(commandsIn(text).slice(0, 2)).toEqual(['review', 'review --full']);
  });

  it('offer no review by a mention that is not heard', () => {
    const policy = { ...make.policy(), triggers: ['opened' as const] };
    const context = { facts: make.changeRequest(), history: make.history(), policy, mention: 'bot' };
    const say = { kind: 'status' as const, now: { kind: 'skipped' as const, rule: 'pushed_off' as const } };
    const text = answerText(context, { say, head: HEAD });
    expect(text).toContain('`review.triggers`');
    expect(text).not.toContain('@bot review');
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
