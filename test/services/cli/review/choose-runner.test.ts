import { describe, expect, test } from 'vitest';
import { chooseReviewer, type LocalRunnerChoice } from '../../../../services/cli/review/choose-runner.ts';
import { agentOf, cliKeysIn } from '../../../../services/cli/review/review-model.ts';
import type { Environment } from '../../../../shared/config/secrets.ts';

const KEY = ['model', 'key', '0123456789abcdef'].join('-');
const SUBSCRIPTION = ['oauth', 'token', '0123456789abcdef'].join('-');

const chosen = (wish: LocalRunnerChoice, env: Environment) => {
  const { reviewer, notice } = chooseReviewer(wish, { env, onProgress: () => {} });
  return { kind: reviewer.kind, notice };
};

describe('the runner auto', () => {
  test('is the rules without a key, and says so', () => {
    expect(chosen({}, {})).toEqual({
      kind: 'rules',
      notice: 'ANTHROPIC_API_KEY is not set: reviewing with the built-in rules only',
    });
    expect(chosen({}, { ANTHROPIC_API_KEY: KEY })).toEqual({ kind: 'agent', notice: null });
  });

  test('needs the key whose variable is named', () => {
    expect(chosen({ keyEnv: 'OWN_KEY' }, { OWN_KEY: KEY })).toEqual({ kind: 'agent', notice: null });
    expect(() => chosen({ keyEnv: 'OWN_KEY' }, { ANTHROPIC_API_KEY: KEY })).toThrow(
      'the environment variable OWN_KEY is not set',
    );
  });
});

test('the rules need no key, whichever variable is named', () => {
  expect(chosen({ runner: 'rules', keyEnv: 'OWN_KEY' }, {})).toEqual({ kind: 'rules', notice: null });
});

describe('the Claude Code CLI', () => {
  const agent = agentOf({});

  test.each<[string, Environment, unknown]>([
    [
      'the key',
      { ANTHROPIC_API_KEY: KEY, CLAUDE_CODE_OAUTH_TOKEN: SUBSCRIPTION },
      { kind: 'found', key: KEY, providers: new Map() },
    ],
    [
      'the subscription without a key',
      { CLAUDE_CODE_OAUTH_TOKEN: SUBSCRIPTION },
      { kind: 'found', key: '', providers: new Map(), subscription: SUBSCRIPTION },
    ],
    ['neither', {}, { kind: 'missing', variable: 'ANTHROPIC_API_KEY' }],
  ])('gets %s', (_name, env, expected) => {
    expect(cliKeysIn(agent, env)).toEqual(expected);
  });

  test('is refused with a malformed token, which is not quoted', () => {
    const read = () => cliKeysIn(agent, { CLAUDE_CODE_OAUTH_TOKEN: 'a token\nof two lines' });
    expect(read).toThrow(/^the environment variable CLAUDE_CODE_OAUTH_TOKEN (?!.*two lines)/s);
  });
});
