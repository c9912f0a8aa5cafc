/** Writes `fixpoint.toml` with one table per forge. An existing table is never changed. */
import { tomlString } from '../../../../shared/text/toml-string.ts';
import type { SetupFacts } from './facts.ts';

type ConfigWish = Pick<SetupFacts, 'forge' | 'projects' | 'tokenEnv' | 'secretEnvs' | 'listen'>;

const HEAD = '# Written by `fixpoint setup`. fixpoint.example.toml lists every other setting with its default.\n';

const listOf = (texts: readonly string[]): string => `[${texts.map(tomlString).join(', ')}]`;

export const forgeTable = ({ forge, projects, tokenEnv, secretEnvs }: ConfigWish): string =>
  [
    '[[forge]]',
    `id = ${tomlString(forge.id)}`,
    `kind = ${tomlString(forge.kind)}`,
    `base_url = ${tomlString(forge.baseUrl)}`,
    `token_env = ${tomlString(tokenEnv)}`,
    `webhook_secret_envs = ${listOf(secretEnvs)}`,
    `projects = ${listOf(projects)}`,
    ...(forge.caFile === null ? [] : [`ca_file = ${tomlString(forge.caFile)}`]),
    '',
  ].join('\n');

/** Returns the whole file: the existing text, with the forge's table at the end. */
export const withForge = (before: string | null, wish: ConfigWish): string => {
  const { listen } = wish;
  if (before !== null) return `${before}${before.endsWith('\n') || before === '' ? '' : '\n'}\n${forgeTable(wish)}`;
  const ingress = listen === null ? '' : `\n[ingress]\nhost = ${tomlString(listen.host)}\nport = ${listen.port}\n`;
  return `${HEAD}\n${forgeTable(wish)}${ingress}`;
};
