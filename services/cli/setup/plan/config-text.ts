/** Writes `fixpoint.toml` with one table per forge. An existing table is never changed. */
import { parse, TomlError } from 'smol-toml';
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

/** Null for a text that is not TOML. */
const parsed = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) return null;
    throw error;
  }
};

/** True also for a text that is not TOML, in which they cannot be found. */
export const hasForges = (text: string): boolean => {
  const document = parsed(text);
  return document === null || Object.hasOwn(document, 'forge');
};

/** False if no table can follow the text, for example because it has all forges in one value: `forge = [{ … }]`. */
export const isToml = (text: string): boolean => parsed(text) !== null;
