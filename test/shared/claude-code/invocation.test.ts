/** How the CLI is called, word by word: what is not said here is not said to it. */
import { expect, it } from 'vitest';
import {
  type CliCall,
  cliArguments,
  cliEnvironment,
  cliSettings,
  sessionFolderOf,
} from '../../../shared/claude-code/invocation.ts';

const CALL: CliCall = {
  session: { id: '11111111-1111-4111-8111-111111111111', resumes: false },
  model: 'some-model',
  maxTurns: 8,
  tools: ['Read', 'Grep'],
  systemPrompt: 'Review.',
  schema: { type: 'object' },
  maxUsd: 2.5,
};

const ALWAYS = [
  '--print',
  '--output-format',
  'stream-json',
  '--verbose',
  '--include-partial-messages',
  '--setting-sources',
  '',
  '--strict-mcp-config',
  '--disable-slash-commands',
  '--model',
  'some-model',
];

it.each<[what: string, change: Partial<CliCall>, rest: readonly string[]]>([
  [
    'a conversation that begins',
    {},
    [
      '--max-turns',
      '8',
      '--max-budget-usd',
      '2.5',
      '--tools',
      'Read,Grep',
      '--permission-mode',
      'dontAsk',
      '--settings',
      '/home/of/the/run/settings.json',
      '--system-prompt',
      'Review.',
      '--json-schema',
      '{"type":"object"}',
      '--session-id',
      '11111111-1111-4111-8111-111111111111',
    ],
  ],
  [
    'a last call, which goes on and has no tools',
    { session: { ...CALL.session, resumes: true }, maxTurns: 2, tools: [] },
    [
      '--max-turns',
      '2',
      '--max-budget-usd',
      '2.5',
      '--tools',
      '',
      '--permission-mode',
      'dontAsk',
      '--settings',
      '/home/of/the/run/settings.json',
      '--system-prompt',
      'Review.',
      '--json-schema',
      '{"type":"object"}',
      '--resume',
      '11111111-1111-4111-8111-111111111111',
    ],
  ],
])('says this much on the command line of %s', (_, change, rest) => {
  expect(cliArguments({ ...CALL, ...change }, '/home/of/the/run/settings.json')).toEqual([...ALWAYS, ...rest]);
});

it('gives an environment of its own, whatever the service has in its', () => {
  const access = { apiKey: 'the-key', baseUrl: 'https://model.example', maxOutputTokens: 1024 };
  expect(cliEnvironment('/run/home', access)).toEqual({
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    HOME: '/run/home',
    TMPDIR: '/run/home/tmp',
    CLAUDE_CONFIG_DIR: '/run/home/.claude',
    ANTHROPIC_API_KEY: 'the-key',
    ANTHROPIC_BASE_URL: 'https://model.example',
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: '1024',
    CLAUDE_CODE_MAX_RETRIES: '2',
    CLAUDE_CODE_SAFE_MODE: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  });
});

it('gives the token of a subscription instead of the key and the address, and no limit in dollars', () => {
  const access = { apiKey: '', baseUrl: 'https://model.example', subscription: 'the-token', maxOutputTokens: 1024 };
  const env = cliEnvironment('/run/home', access);
  expect(env).toMatchObject({ HOME: '/run/home', CLAUDE_CODE_OAUTH_TOKEN: 'the-token' });
  expect(Object.keys(env).filter((name) => name.startsWith('ANTHROPIC'))).toEqual([]);
  expect(cliArguments({ ...CALL, maxUsd: null }, '/s.json')).not.toContain('--max-budget-usd');
});

it('allows and denies what it is told, switches hooks off, and leaves no way around it', () => {
  expect(cliSettings({ tools: ['Read'], allow: ['Read(./**)'], deny: ['Read(~/**)'] })).toEqual({
    disableAllHooks: true,
    enableAllProjectMcpServers: false,
    permissions: {
      allow: ['Read(./**)'],
      deny: ['Read(~/**)'],
      disableBypassPermissionsMode: 'disable',
    },
  });
});

it('finds conversations where the CLI keeps those of a folder', () => {
  expect(sessionFolderOf('/h', '/data/check_outs/tree-aB1.2')).toBe('/h/.claude/projects/-data-check-outs-tree-aB1-2');
});
