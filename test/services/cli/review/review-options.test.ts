import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { chooseReviewer } from '../../../../services/cli/review/choose-runner.ts';
import {
  addReviewCommand,
  isCommitRange,
  refuseLocalOptions,
  reviewRequestOf,
  type ReviewOptions,
} from '../../../../services/cli/review/review-options.ts';

const KEY = { ANTHROPIC_API_KEY: ['sk', 'test', 'key'].join('-') };

/** What the command line means. Throws what commander and the request say. */
const parse = async (args: readonly string[]): Promise<ReviewOptions> => {
  let seen: ReviewOptions | null = null;
  const program = new Command('fixpoint').exitOverride().configureOutput({ writeErr: () => {} });
  const take = async (options: ReviewOptions): Promise<void> => {
    seen = options;
  };
  addReviewCommand(program, { local: take, remote: async (_address, options) => take(options) });
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
  await program.parseAsync(['review', ...args], { from: 'user' });
  if (seen === null) throw new Error('the command did not run');
  return seen;
};

const choose = async (args: readonly string[], env: Readonly<Record<string, string>>) =>
  chooseReviewer(reviewRequestOf(await parse(args)), { env, onProgress: () => {} });

describe('the options of fixpoint review', () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>, string | null]>([
    ['a model where there is a key', ['--base', 'main'], KEY, null],
    ['the rules where there is none, and says so', ['--base', 'main'], {}, 'reviewing with the built-in rules only'],
    ['the rules where they are asked for', ['--base', 'main', '--runner', 'rules'], KEY, null],
    ['a model for a folder', ['--mode', 'codebase', '--path', '.'], KEY, null],
  ])('choose %s', async (_name, args, env, notice) => {
    const choice = await choose(args, env);
    const isRules = args.includes('rules') || Object.keys(env).length === 0;
    expect({ kind: choice.reviewer.kind, told: choice.notice !== null }).toEqual({
      kind: isRules ? 'rules' : 'agent',
      told: notice !== null,
    });
    expect(choice.notice ?? '').toContain(notice ?? '');
  });

  test('choose the CLI that is named', async () => {
    const { reviewer } = await choose(
      ['--base', 'main', '--runner', 'claude-code', '--claude-code', '/opt/claude', '--budget-usd', '2'],
      KEY,
    );
    expect(reviewer).toMatchObject({ kind: 'claude-code', program: '/opt/claude', model: { runUsd: 2 } });
  });

  test.each<[string, readonly string[], Readonly<Record<string, string>>, RegExp]>([
    ['an agent without a key', ['--base', 'main', '--runner', 'agent'], {}, /ANTHROPIC_API_KEY is not set/],
    ['a CLI without a key', ['--base', 'main', '--runner', 'claude-code'], {}, /ANTHROPIC_API_KEY is not set/],
    ['a CLI without a path', ['--base', 'main', '--runner', 'claude-code'], KEY, /needs --claude-code FILE/],
    [
      'a CLI that would be looked up',
      ['--base', 'main', '--runner', 'claude-code', '--claude-code', './claude'],
      KEY,
      /the absolute path of the installed CLI/,
    ],
    ['a key that is none', ['--base', 'main'], { ANTHROPIC_API_KEY: 'a b' }, /ANTHROPIC_API_KEY is not a token/],
    ['a model without a price', ['--base', 'main', '--model', 'house'], KEY, /the model house has no price/],
    ['an explorer without a price', ['--base', 'main', '--explorer-model', 'house'], KEY, /the model house/],
    ['an id that is none', ['--base', 'main', '--model', '-x y'], KEY, /the model: expected a model id/],
    ['a price that is none', ['--base', 'main', '--price', 'house'], KEY, /MODEL=INPUT\/OUTPUT/],
    ['no turns', ['--base', 'main', '--max-turns', '0'], KEY, /the number of turns/],
    ['half a turn', ['--base', 'main', '--max-turns', '1.5'], KEY, /the number of turns/],
    ['no money', ['--base', 'main', '--budget-usd', '0'], KEY, /the budget in dollars/],
    ['no tokens', ['--base', 'main', '--budget-tokens', '10'], KEY, /the budget in tokens/],
    ['an address that is none', ['--base', 'main', '--base-url', 'nowhere'], KEY, /the URL of the model/],
    ['one in the environment', ['--base', 'main'], { ...KEY, ANTHROPIC_BASE_URL: 'no' }, /ANTHROPIC_BASE_URL is no/],
    ['a variable that is none', ['--base', 'main', '--key-env', 'a b'], KEY, /^--key-env: expected the name of an env/],
    [
      'an address of a server that is none',
      ['--base', 'main', '--provider', 'openai', '--base-url', 'no', '--model', 'm'],
      KEY,
      /^the URL of the model: expected/,
    ],
    ['an empty commit', ['--commit', ''], KEY, /--commit is empty/],
    ['a range with a base', ['a..b', '--base', 'main'], KEY, /--base: not allowed with a range/],
    ['a range and a commit', ['a..b', '--commit', 'x'], KEY, /--commit: not allowed with a range/],
    ['a commit with a head', ['--commit', 'x', '--head', 'y'], KEY, /--head: not allowed with --commit/],
    ['a range of a folder', ['a..b', '--mode', 'codebase', '--path', '.'], KEY, /range: not allowed with --mode/],
    ['a commit with what is staged', ['--commit', 'x', '--staged'], KEY, /--staged: not allowed with --commit/],
    ['two folders', ['--mode', 'codebase', '--path', 'a', '--path', 'b'], KEY, /needs one --path DIR/],
    [
      'a base for a folder',
      ['--mode', 'codebase', '--path', '.', '--base', 'x'],
      KEY,
      /--base: not allowed with --mode codebase/,
    ],
    [
      'a token without a change request',
      ['--base', 'main', '--token-env', 'X'],
      KEY,
      /--token-env: not allowed without/,
    ],
    ['a post of a local range', ['--base', 'main', '--post'], KEY, /--post: not allowed without a change request/],
    ['an audit without a folder', ['--mode', 'codebase'], KEY, /needs one --path DIR/],
  ])('refuse %s', async (_name, args, env, words) => {
    await expect(choose(args, env)).rejects.toThrow(words);
  });

  test.each<[readonly string[], object]>([
    [[], { base: undefined, head: undefined, uncommitted: undefined }],
    [['main..feat'], { base: 'main', head: 'feat' }],
    [['main...feat'], { base: 'main', head: 'feat' }],
    [['main..'], { base: 'main', head: 'HEAD' }],
    [['..feat'], { base: 'HEAD', head: 'feat' }],
    [['fix/12#3..feat'], { base: 'fix/12#3', head: 'feat' }],
    [['--commit', 'abc'], { base: 'abc^1', head: 'abc' }],
    [['--staged'], { base: undefined, uncommitted: 'staged' }],
    [['--base', 'main', '--path', 'src/**', '--path', '*.md'], { base: 'main', paths: ['src/**', '*.md'] }],
  ])('name a range by %j', async (args, expected) => {
    expect(reviewRequestOf(await parse(args))).toMatchObject({ mode: 'change', ...expected });
  });

  test('tell a path from a range', () => {
    expect(['a..b', '..b', 'a..', '../b', '../../b'].map(isCommitRange)).toEqual([true, true, true, false, false]);
  });

  test.each<[readonly string[], RegExp]>([
    [['--base', 'main'], /--base: not allowed with a change request/],
    [['--staged', '--worktree'], /--staged, --worktree: not allowed with a change request/],
    [['--path', '.'], /--path: not allowed with a change request/],
    [['--mode', 'codebase'], /--mode codebase: not allowed with a change request/],
  ])('of a local review are refused beside a change request: %j', async (args, words) => {
    const options = await parse(['owner/repo#7', ...args]);
    expect(() => refuseLocalOptions(options)).toThrow(words);
  });

  test('of a change request are taken', async () => {
    const options = await parse(['owner/repo#7', '--post', '--token-env', 'MY_TOKEN', '--verbose', '--repo', '.']);
    expect(options).toMatchObject({ post: true, tokenEnv: 'MY_TOKEN', verbose: true, repo: '.' });
    expect(() => refuseLocalOptions(options)).not.toThrow();
  });

  test('give a model the limits that they name, and every scope the same', async () => {
    const { reviewer } = await choose(
      ['--base', 'main', '--model', 'house', '--price', 'house=0.5/2', '--max-turns', '3', '--budget-usd', '40'],
      KEY,
    );
    if (reviewer.kind !== 'agent') throw new Error('no model');
    const { agent, connected } = reviewer.model;
    const payer = { runId: 'a', changeRequest: { forge: 'local', projectId: 1, number: 1 }, role: 'reviewer' } as const;
    const { ledger, account, price } = connected.meterOf('house', payer);
    const ask = async (callId: string, usd: number) =>
      (
        await ledger.reserve({
          callId,
          account,
          purpose: { role: 'reviewer', model: 'house' },
          worst: { tokens: 1, microUsd: usd * 1e6 },
        })
      ).kind;
    expect({
      turns: agent.reviewer.maxTurns,
      price,
      most: await ask('one', 40),
      more: await ask('two', 0.01),
    }).toEqual({
      turns: 3,
      price: { inputPerMTok: 0.5, outputPerMTok: 2, above: null, cache: { read: 0.1, write: 1.25, writeLong: 2 } },
      most: 'reserved',
      more: 'refused',
    });
  });
});
