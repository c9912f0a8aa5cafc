import path from 'node:path';
import { cliSettingsOf } from '../../shared/claude-code/settings.ts';
import type { Config } from '../../shared/config/load.ts';
import { everySettings } from '../../shared/config/project-settings.ts';
import { demand } from '../../shared/config/secrets.ts';
import type { ConnectedModel } from '../../shared/runtime/connect-model.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import { CliSession } from '../../shared/store/cli-session.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import type { Keys } from '../../shared/store/keys.ts';
import { NotesText } from '../../shared/store/texts.ts';
import type { Runner } from './run/runner.ts';
import { createClaudeCodeRunner } from './runners/claude-code.ts';
import { removeOldState } from './runners/claude-code/session.ts';

const stateFolderOf = ({ dataDir }: Pick<Config, 'dataDir'>): string => path.join(dataDir, 'claude-code');

/** Home folders are kept for a day, longer than any review runs, and conversations for 30 days after their last use. */
const HOME_MS = 24 * 3600 * 1000;
const SESSION_MS = 30 * HOME_MS;

/** Removes old home folders and conversations; called when the process starts. */
export const tidyClaudeCode = async (config: Config, nowMs: number): Promise<void> => {
  if (!everySettings(config).some(({ review }) => review.runner === 'claude-code')) return;
  const homes = { nowMs, maxAgeMs: HOME_MS };
  await removeOldState(stateFolderOf(config), { homes, sessions: { nowMs, maxAgeMs: SESSION_MS } });
};

type Connecting = { readonly keys: Keys; readonly connected: ConnectedModel; readonly checkoutFolder: string };

/** @throws SecretNotDemandedError if the process did not request the model key at start. */
export const connectClaudeCode = (
  { config, redis }: Pick<ServiceContext, 'config' | 'redis'>,
  { keys, connected, checkoutFolder }: Connecting,
): Runner => {
  const access = demand(config.secrets.model, 'model_key');
  const sessions = createDocumentStore(redis, CliSession);
  const notes = createDocumentStore(redis, NotesText);
  return createClaudeCodeRunner({
    ...cliSettingsOf(config, { connected, access }),
    duplicateThreshold: config.rounds.duplicateThreshold,
    checkoutFolder,
    stateFolder: stateFolderOf(config),
    loadSession: async (of) => sessions.load(keys.ofChangeRequest(of, 'cli-session')),
    saveSession: async (of, session) => sessions.save(keys.ofChangeRequest(of, 'cli-session'), session),
    saveNotes: async (of, text) => notes.save(keys.ofChangeRequest(of, 'notes'), { v: 1, text }),
  });
};
