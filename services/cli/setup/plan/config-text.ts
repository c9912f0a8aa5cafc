/** `fixpoint.toml` as setup writes it: one table per forge. A table that is there is never changed. */
import type { SetupFacts } from './facts.ts';

type ConfigWish = Pick<SetupFacts, 'forge' | 'projects' | 'tokenEnv' | 'secretEnvs' | 'listen'>;

const HEAD = '# Written by `fixpoint setup`. fixpoint.example.toml lists every other setting with its default.\n';

/** A basic string of TOML; JSON has the same escapes: https://toml.io/en/v1.0.0#string */
const quoted = (text: string): string => JSON.stringify(text);

const listOf = (texts: readonly string[]): string => `[${texts.map(quoted).join(', ')}]`;

export const forgeTable = ({ forge, projects, tokenEnv, secretEnvs }: ConfigWish): string =>
  [
    '[[forge]]',
    `id = ${quoted(forge.id)}`,
    `kind = ${quoted(forge.kind)}`,
    `base_url = ${quoted(forge.baseUrl)}`,
    `token_env = ${quoted(tokenEnv)}`,
    `webhook_secret_envs = ${listOf(secretEnvs)}`,
    `projects = ${listOf(projects)}`,
    ...(forge.caFile === null ? [] : [`ca_file = ${quoted(forge.caFile)}`]),
    '',
  ].join('\n');

/** The whole file: what is there, and the forge at its end. */
export const withForge = (before: string | null, wish: ConfigWish): string => {
  const { listen } = wish;
  if (before !== null) return `${before}${before.endsWith('\n') || before === '' ? '' : '\n'}\n${forgeTable(wish)}`;
  const ingress = listen === null ? '' : `\n[ingress]\nhost = ${quoted(listen.host)}\nport = ${listen.port}\n`;
  return `${HEAD}\n${forgeTable(wish)}${ingress}`;
};
