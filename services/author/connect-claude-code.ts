/** The Claude Code CLI as an author, with everything that a server has for it. */
import { newBoundary } from '../../shared/agent/boundary.ts';
import { ANTHROPIC_BASE_URL } from '../../shared/agent/models/anthropic.ts';
import type { Config } from '../../shared/config/load.ts';
import { demand } from '../../shared/config/secrets.ts';
import { secretValues } from '../../shared/config/secret-values.ts';
import type { ConnectedModel } from '../../shared/connect-model.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import type { FixAgent } from './agent.ts';
import { createClaudeCodeAgent } from './agents/claude-code.ts';

type Connecting = { readonly connected: ConnectedModel; readonly scratchFolder: string };

/** @throws SecretNotDemandedError in a process without the model's key. */
export const connectClaudeCode = (config: Config, { connected, scratchFolder }: Connecting): FixAgent => {
  const { agent, budgets, secrets } = config;
  const access = demand(secrets.model, 'author_model_key');
  return createClaudeCodeAgent({
    // The configuration is refused without it.
    program: agent.claudeCode.command ?? '',
    access: { apiKey: access.key, baseUrl: agent.baseUrl ?? access.baseUrl ?? ANTHROPIC_BASE_URL },
    connected,
    agent,
    runUsd: budgets.model.runUsd,
    scratchFolder,
    redact: createRedactor(secretValues(secrets)),
    newBoundary,
  });
};
