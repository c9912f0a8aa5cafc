/** Which credentials of models the settings need. */
import { usesDefaultProvider } from './model-roles.ts';
import type { SettingsFile } from './schema.ts';

/** The settings that decide which model keys are needed. */
export type RunnerSettings = {
  readonly runner: SettingsFile['review']['runner'];
  readonly agent: SettingsFile['agent'] | null;
  readonly author: SettingsFile['author'] | null;
};

export const needsModel = (runner: SettingsFile['review']['runner']): boolean =>
  runner === 'agent' || runner === 'claude-code' || runner === 'auto';

export const hasAuthorModel = (author: Pick<SettingsFile['author'], 'enabled' | 'agent'> | null): boolean =>
  author !== null && author.enabled && (author.agent === 'agent' || author.agent === 'claude-code');

const usesCli = ({ runner, author }: RunnerSettings): boolean =>
  runner === 'claude-code' || (author?.enabled === true && author.agent === 'claude-code');

export const usesSubscription = (sources: RunnerSettings, agent: SettingsFile['agent']): boolean =>
  agent.claudeCode.subscription && usesCli(sources);

/** True if Fixpoint itself calls a model, not only the CLI. */
const callsModel = ({ runner, author }: RunnerSettings): boolean =>
  runner === 'agent' || runner === 'auto' || (author?.enabled === true && author.agent === 'agent');

/** The CLI calls only the provider of `agent.api_key_env`. */
export const needsDefaultKey = (sources: RunnerSettings, agent: SettingsFile['agent']): boolean =>
  usesSubscription(sources, agent)
    ? callsModel(sources) && usesDefaultProvider(agent)
    : usesDefaultProvider(agent) || usesCli(sources);
