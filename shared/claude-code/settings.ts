/** Settings shared by the reviewer and the author that use the Claude Code CLI. */
import { type BoundaryOf, createBoundaries } from '../agent/boundary.ts';
import type { Agent } from '../config/agent-settings.ts';
import type { Config } from '../config/load.ts';
import type { ModelAccess } from '../config/secrets.ts';
import { secretValues } from '../config/loaded/secret-values.ts';
import type { ConnectedModel } from '../runtime/connect-model.ts';
import { modelAddressOf } from '../runtime/routed-model.ts';
import { createRedactor, type Redactor } from '../text/redact.ts';
import type { CliAccess } from './invocation.ts';

export type CliSettings = {
  /** Absolute path of the CLI, from the operator's configuration. */
  readonly program: string;
  readonly access: Omit<CliAccess, 'maxOutputTokens'>;
  readonly connected: Pick<ConnectedModel, 'clock' | 'meterOf'>;
  /** The author also uses the model of the reviewer. */
  readonly agent: Agent;
  /** Budget of one run in US dollars. Null for a subscription. */
  readonly runUsd: number | null;
  readonly redact: Redactor;
  readonly boundaryOf: BoundaryOf;
};

type Connecting = { readonly connected: ConnectedModel; readonly access: ModelAccess };

export const cliSettingsOf = (
  { agent, budgets, secrets }: Pick<Config, 'agent' | 'budgets' | 'secrets'>,
  { connected, access }: Connecting,
): CliSettings => ({
  // The command is never empty, because a configuration without it is rejected.
  program: agent.claudeCode.command ?? '',
  access: {
    apiKey: access.key,
    baseUrl: modelAddressOf(agent, access),
    proxy: agent.proxy,
    caFile: agent.caFile,
    ...(access.subscription === undefined ? {} : { subscription: access.subscription }),
  },
  connected,
  agent,
  runUsd: access.subscription === undefined ? budgets.model.runUsd : null,
  redact: createRedactor(secretValues(secrets)),
  boundaryOf: createBoundaries(secretValues(secrets), () => Date.now()),
});
