/** What everybody needs who has the Claude Code CLI work. */
import { newBoundary } from '../agent/boundary.ts';
import type { Agent } from '../config/agent-settings.ts';
import type { Config } from '../config/load.ts';
import type { ModelAccess } from '../config/secrets.ts';
import { secretValues } from '../config/secret-values.ts';
import { type ConnectedModel, modelAddressOf } from '../runtime/connect-model.ts';
import { createRedactor, type Redactor } from '../text/redact.ts';
import type { CliAccess } from './invocation.ts';

export type CliSettings = {
  /** Absolute path of the CLI, from the operator's configuration. */
  readonly program: string;
  readonly access: Omit<CliAccess, 'maxOutputTokens'>;
  readonly connected: Pick<ConnectedModel, 'clock' | 'meterOf'>;
  /** Who mends works with the reviewer's model too. */
  readonly agent: Agent;
  /** US dollars of one run. */
  readonly runUsd: number;
  readonly redact: Redactor;
  /** Random, 16 to 64 lower-case letters and digits. */
  readonly newBoundary: () => string;
};

type Connecting = { readonly connected: ConnectedModel; readonly access: ModelAccess };

/** With everything that a server has for it. */
export const cliSettingsOf = (
  { agent, budgets, secrets }: Pick<Config, 'agent' | 'budgets' | 'secrets'>,
  { connected, access }: Connecting,
): CliSettings => ({
  // The configuration is refused without it.
  program: agent.claudeCode.command ?? '',
  access: { apiKey: access.key, baseUrl: modelAddressOf(agent, access) },
  connected,
  agent,
  runUsd: budgets.model.runUsd,
  redact: createRedactor(secretValues(secrets)),
  newBoundary,
});
