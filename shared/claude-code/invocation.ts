/**
 * How the Claude Code CLI is called: everything is said on its command line, in one settings file of ours and in an
 * environment of ours; nothing is taken from the workspace, a home or the machine's user. What each flag does:
 * https://docs.anthropic.com/en/docs/claude-code/cli-reference
 */
import path from 'node:path';

/** What the CLI may do: its tools, and rules of paths that allow and deny. A denial goes before every permission. */
export type CliPowers = {
  readonly tools: readonly string[];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
};

/** The one settings file: no hook, no server of tools, and no way around the rules. */
export const cliSettings = ({ allow, deny }: CliPowers) => ({
  disableAllHooks: true,
  enableAllProjectMcpServers: false,
  permissions: { allow, deny, disableBypassPermissionsMode: 'disable' },
});

/** Which conversation a call belongs to: a new one under an id of ours, or one that goes on. */
export type CallSession = { readonly id: string; readonly resumes: boolean };

export type CliCall = {
  readonly session: CallSession;
  readonly model: string;
  readonly maxTurns: number;
  /** Empty for a last call, which can only hand in. */
  readonly tools: readonly string[];
  readonly systemPrompt: string;
  /** JSON schema of what is handed in. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** US dollars: the CLI's own limit, beside our budgets. */
  readonly maxUsd: number;
};

/** Told as it goes, since the CLI calls the model by itself and what it spends has to be followed. */
const OUTPUT = ['--print', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'] as const;

/** Neither the user's settings nor those of the workspace, no server of tools, no commands; nobody is asked. */
const ALONE = ['--setting-sources', '', '--strict-mcp-config', '--disable-slash-commands'] as const;

export const cliArguments = (call: CliCall, settingsFile: string): readonly string[] => {
  const options = {
    '--model': call.model,
    '--max-turns': String(call.maxTurns),
    '--max-budget-usd': String(call.maxUsd),
    '--tools': call.tools.join(','),
    '--permission-mode': 'dontAsk',
    '--settings': settingsFile,
    '--system-prompt': call.systemPrompt,
    '--json-schema': JSON.stringify(call.schema),
    [call.session.resumes ? '--resume' : '--session-id']: call.session.id,
  };
  return [...OUTPUT, ...ALONE, ...Object.entries(options).flat()];
};

export type CliAccess = { readonly apiKey: string; readonly baseUrl: string; readonly maxOutputTokens: number };

/** How often the CLI makes a call that fails, the first time included. */
export const CLI_TRIES = 3;

/** Folders of the machine's own programs; never one that a repository fills. */
const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin';

/** The whole environment. `home` is made for one run and holds nothing but what is named here. */
export const cliEnvironment = (
  home: string,
  { apiKey, baseUrl, maxOutputTokens }: CliAccess,
): Readonly<Record<string, string>> => ({
  PATH: SEARCH_PATH,
  LANG: 'C.UTF-8',
  HOME: home,
  TMPDIR: path.join(home, 'tmp'),
  CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
  ANTHROPIC_API_KEY: apiKey,
  ANTHROPIC_BASE_URL: baseUrl,
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
  CLAUDE_CODE_MAX_RETRIES: String(CLI_TRIES - 1),
  // No memory files, skills, plugins, hooks or agents of anybody; nothing is sent or fetched but calls of the model.
  CLAUDE_CODE_SAFE_MODE: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
});

/** Where the CLI keeps conversations of one working directory; only ever used to put an earlier one back. */
export const sessionFolderOf = (home: string, workspace: string): string =>
  path.join(home, '.claude', 'projects', workspace.replaceAll(/[^A-Za-z0-9]/g, '-'));
