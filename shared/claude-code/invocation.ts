/**
 * The command line, settings file and environment of the Claude Code CLI. No settings or instructions are read from the
 * workspace, from a home folder or from the machine's user. Flags:
 * https://docs.anthropic.com/en/docs/claude-code/cli-reference
 */
import path from 'node:path';
import { SUBSCRIPTION_TOKEN } from '../config/secrets.ts';
import { isProxied, proxyVariables } from '../network/outgoing.ts';
import type { ProxySetting } from '../vocabulary/proxy-setting.ts';

/** Tools that the CLI may use, and rules for paths. A deny rule overrides every allow rule. */
export type CliPowers = {
  readonly tools: readonly string[];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
};

/** The only settings file. It has no hooks and no MCP servers and does not bypass permissions. */
export const cliSettings = ({ allow, deny }: CliPowers) => ({
  disableAllHooks: true,
  enableAllProjectMcpServers: false,
  permissions: { allow, deny, disableBypassPermissionsMode: 'disable' },
});

/** The conversation of a call: a new conversation under an id of Fixpoint, or a resumed one. */
export type CallSession = { readonly id: string; readonly resumes: boolean };

export type CliCall = {
  readonly session: CallSession;
  readonly model: string;
  readonly maxTurns: number;
  /** Empty for the last call, in which the model can only submit. */
  readonly tools: readonly string[];
  readonly systemPrompt: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** The CLI's own limit in US dollars, in addition to Fixpoint's budgets. Null for a subscription, which has no price. */
  readonly maxUsd: number | null;
};

/** The CLI streams events, because it calls the model itself and its spending has to be tracked. */
const OUTPUT = ['--print', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'] as const;

/** Disables user and workspace settings, other MCP servers and slash commands. */
const ALONE = ['--setting-sources', '', '--strict-mcp-config', '--disable-slash-commands'] as const;

export const cliArguments = (call: CliCall, settingsFile: string): readonly string[] => {
  const options = {
    '--model': call.model,
    '--max-turns': String(call.maxTurns),
    ...(call.maxUsd === null ? {} : { '--max-budget-usd': String(call.maxUsd) }),
    '--tools': call.tools.join(','),
    '--permission-mode': 'dontAsk',
    '--settings': settingsFile,
    '--system-prompt': call.systemPrompt,
    '--json-schema': JSON.stringify(call.schema),
    [call.session.resumes ? '--resume' : '--session-id']: call.session.id,
  };
  return [...OUTPUT, ...ALONE, ...Object.entries(options).flat()];
};

export type CliAccess = {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Default: the variables of the environment decide. */
  readonly proxy?: ProxySetting;
  readonly caFile?: string | null;
  /** The token of a subscription, which is then used instead of the key and at the provider's own address. */
  readonly subscription?: string | undefined;
  readonly maxOutputTokens: number;
};

/** Maximum number of attempts per model call, including the first. */
export const CLI_TRIES = 3;

/** Only system folders, because a repository could put a program into any other folder. */
const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Both spellings, because programs differ in which they read. */
const namedBoth = (variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...variables,
  ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value])),
});

/** The CLI's whole environment. `home` is created for one run. */
export const cliEnvironment = (
  home: string,
  { apiKey, baseUrl, proxy = null, caFile = null, subscription, maxOutputTokens }: CliAccess,
): Readonly<Record<string, string>> => ({
  PATH: SEARCH_PATH,
  LANG: 'C.UTF-8',
  HOME: home,
  ...(isProxied(proxy) ? namedBoth(proxyVariables(proxy)) : {}),
  ...(caFile === null ? {} : { NODE_EXTRA_CA_CERTS: caFile }),
  TMPDIR: path.join(home, 'tmp'),
  CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
  ...(subscription === undefined
    ? { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl }
    : { [SUBSCRIPTION_TOKEN]: subscription }),
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
  CLAUDE_CODE_MAX_RETRIES: String(CLI_TRIES - 1),
  // Disables memory files, skills, plugins, hooks, agents, and all network traffic except model calls.
  CLAUDE_CODE_SAFE_MODE: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
});

/** Where the CLI keeps the conversations of a workspace. Used only to restore an earlier conversation. */
export const sessionFolderOf = (home: string, workspace: string): string =>
  path.join(home, '.claude', 'projects', workspace.replaceAll(/[^A-Za-z0-9]/g, '-'));
