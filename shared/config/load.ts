/** Reads and validates the configuration once, at start. Reports all errors together and prints nothing that may be a secret. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { describeIssue, givenText } from './describe-issue.ts';
import { ForgeSettings } from './forge-settings.ts';
import { camelizeKeys, settingPath } from './text/key-case.ts';
import { readConsoleListen, readListen } from './listen.ts';
import { locateSetting } from './text/locate-setting.ts';
import { describeTomlError } from './text/toml-error.ts';
import { findClientProblems } from './projects/client-problems.ts';
import { findNotifyProblems } from './notify-settings.ts';
import { findRedisProblems } from './redis-settings.ts';
import { findRuleProblems } from './rule-settings.ts';
import { everySettings, withFirstModels } from './project-settings.ts';
import { SettingsFile } from './schema.ts';
import {
  findCiReportProblems,
  findLoginProblems,
  findRunnerProblems,
  findSectionMistakes,
  findTableProblems,
  findUnreviewedProjects,
} from './cross-table-problems.ts';
import { readSecrets } from './secrets.ts';
import type { RunnerSettings } from './model-needs.ts';
import type { Environment, Need, Secrets, SecretSources } from './secrets.ts';

/**
 * `dataDir` and every `caFile` and `folder` are absolute. `ingress` has the address of `FIXPOINT_LISTEN`, and `console`
 * that of `FIXPOINT_CONSOLE_LISTEN`, if they are set.
 */
export type Config = Omit<SettingsFile, 'forge'> & {
  readonly forges: readonly ForgeSettings[];
  readonly secrets: Secrets;
};

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

export type ConfigSource = {
  readonly env: Environment;
  readonly needs: readonly Need[];
} & ({ readonly path: string } | { readonly text: string; readonly folder?: string });

/** Returns `--config`, otherwise `FIXPOINT_CONFIG`, otherwise `fixpoint.toml` in the working directory. */
export function findConfigPath(flag: string | undefined, env: Environment): string {
  return resolve(flag ?? (env['FIXPOINT_CONFIG'] || 'fixpoint.toml'));
}

type Outcome<Value> = { readonly value: Value } | { readonly problem: string };

function readText(source: ConfigSource): Outcome<string> {
  if ('text' in source) return { value: source.text };
  try {
    return { value: readFileSync(source.path, 'utf8') };
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    return { problem: `${source.path}: cannot be read (${reason}); see fixpoint.example.toml` };
  }
}

function parseDocument(text: string, name: string): Outcome<unknown> {
  try {
    return { value: camelizeKeys(parse(text)) };
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    return { problem: `${name}${describeTomlError(cause)}` };
  }
}

/** Adds the line to errors in a file, and the given value unless it may be a secret. */
const mistakesIn = (source: ConfigSource, text: string, document: unknown, issues: readonly z.core.$ZodIssue[]) =>
  issues.flatMap((issue) => {
    const lines = describeIssue(issue);
    if (!('path' in source)) return lines;
    const line = locateSetting(text, settingPath(issue.path));
    const where = line === null ? `${source.path}: ` : `${source.path}:${line}: `;
    return lines.map((each) => `${where}${each}${givenText(document, issue)}`);
  });

const field = (document: unknown, key: string): unknown =>
  typeof document === 'object' && document !== null ? Reflect.get(document, key) : undefined;

/** Parses each valid table on its own, so that missing secrets are reported together with other errors. */
function salvageSources(document: unknown): SecretSources {
  const forges = field(document, 'forge');
  const { redis, marker, agent, author, review, messages, notify, console } = SettingsFile.shape;
  return {
    redis: redis.safeParse(field(document, 'redis')).data ?? null,
    marker: marker.safeParse(field(document, 'marker')).data ?? null,
    agent: agent.safeParse(field(document, 'agent')).data ?? null,
    author: author.safeParse(field(document, 'author')).data ?? null,
    messages: messages.safeParse(field(document, 'messages')).data ?? null,
    notify: notify.safeParse(field(document, 'notify')).data ?? null,
    console: console.safeParse(field(document, 'console')).data ?? null,
    runner: review.safeParse(field(document, 'review')).data?.runner ?? 'rules',
    forges: (Array.isArray(forges) ? forges : []).flatMap((raw: unknown, index) => {
      const { data } = ForgeSettings.safeParse(raw);
      return data === undefined ? [] : [{ index, forge: data }];
    }),
  };
}

const withAbsoluteCa = <One extends { readonly caFile: string | null }>(one: One, folder: string): One => ({
  ...one,
  caFile: one.caFile === null ? null : resolve(folder, one.caFile),
});

function withAbsolutePaths(file: SettingsFile, folder: string): Omit<Config, 'secrets'> {
  const { forge, ...rest } = file;
  const forges = forge.map((one) => withAbsoluteCa(one, folder));
  const client = rest.messages.client.map((one) => ({
    ...one,
    folder: one.folder === null ? null : resolve(folder, one.folder),
  }));
  const agent = withFirstModels({
    ...withAbsoluteCa(rest.agent, folder),
    provider: rest.agent.provider.map((one) => withAbsoluteCa(one, folder)),
  });
  const redis = withAbsoluteCa(rest.redis, folder);
  const messages = { ...rest.messages, client };
  return { ...rest, redis, agent, dataDir: resolve(folder, file.dataDir), forges, messages };
}

const TALKS_TO_FORGES: readonly Need[] = ['read_token', 'post_token', 'git_token', 'push_token'];

const ASKS_MODELS: readonly Need[] = ['model_key', 'author_model_key'];

const findMissingCas = (name: string, tables: readonly { readonly caFile: string | null }[]): readonly string[] =>
  tables.flatMap(({ caFile }, index) =>
    caFile === null || existsSync(caFile) ? [] : [`${name}[${index}].ca_file: file not found`],
  );

const findMissingModelCas = ({ caFile, provider }: Config['agent']): readonly string[] => [
  ...(caFile === null || existsSync(caFile) ? [] : ['agent.ca_file: file not found']),
  ...findMissingCas('agent.provider', provider),
];

const findMissingFiles = (config: Omit<Config, 'secrets'>, needs: readonly Need[]): readonly string[] => [
  ...(needs.includes('redis') && config.redis.caFile !== null && !existsSync(config.redis.caFile)
    ? ['redis.ca_file: file not found']
    : []),
  ...(needs.some((need) => TALKS_TO_FORGES.includes(need)) ? findMissingCas('forge', config.forges) : []),
  ...(needs.some((need) => ASKS_MODELS.includes(need)) ? findMissingModelCas(config.agent) : []),
];

/** What the sections of each project make of the settings that decide about secrets. */
const variantsOf = ({ forge: forges, ...file }: SettingsFile): readonly RunnerSettings[] =>
  everySettings({ ...file, forges }).map(({ review: { runner }, agent, author }) => ({ runner, agent, author }));

const sectionMistakes = (source: ConfigSource, text: string, file: SettingsFile): readonly string[] =>
  findSectionMistakes(file).map(({ setting, problem, other }) => {
    if (!('path' in source)) return `${setting}: ${problem}${other === null ? '' : ` (${other})`}`;
    const at = (name: string): string => `${source.path}:${locateSetting(text, name) ?? 1}`;
    return `${at(setting)}: ${setting}: ${problem}${other === null ? '' : ` (${at(other)})`}`;
  });

/** Reads the file and the requested secrets. Configuration errors are returned, never thrown. */
export function loadConfig(source: ConfigSource): ConfigResult {
  const text = readText(source);
  if ('problem' in text) return { ok: false, problems: [text.problem] };
  const document = parseDocument(text.value, 'path' in source ? `${source.path}: ` : '');
  if ('problem' in document) return { ok: false, problems: [document.problem] };

  const parsed = SettingsFile.safeParse(document.value);
  const sources = { ...salvageSources(document.value), variants: parsed.success ? variantsOf(parsed.data) : [] };
  const { secrets, problems: missing } = readSecrets(sources, source.env, source.needs);
  const listen = readListen(source.env);
  const consoleListen = readConsoleListen(source.env);
  const problems = [...missing, ...listen.problems, ...consoleListen.problems];
  const programs = findRunnerProblems(sources);
  if (!parsed.success) {
    const mistakes = mistakesIn(source, text.value, document.value, parsed.error.issues);
    return { ok: false, problems: [...mistakes, ...problems, ...programs] };
  }

  const folder = 'path' in source ? dirname(resolve(source.path)) : (source.folder ?? process.cwd());
  const settings = withAbsolutePaths(parsed.data, folder);
  const forgeIds = new Set(settings.forges.map(({ id }) => id));
  const clients = findClientProblems(settings.messages, settings.forges);
  const hooks = findNotifyProblems(settings.notify, forgeIds);
  const tables = [
    ...findRedisProblems(settings.redis, secrets.redisUrl),
    ...clients,
    ...hooks,
    ...findRuleProblems(settings, forgeIds),
    ...findTableProblems(settings),
    ...findCiReportProblems(parsed.data),
    ...findLoginProblems(settings.console, forgeIds),
    ...findUnreviewedProjects(parsed.data),
    ...sectionMistakes(source, text.value, parsed.data),
  ];
  const all = [...problems, ...tables, ...programs, ...findMissingFiles(settings, source.needs)];
  const ingress = { ...settings.ingress, ...listen.address };
  const console = { ...settings.console, ...consoleListen.address };
  return all.length > 0
    ? { ok: false, problems: all }
    : { ok: true, config: { ...settings, ingress, console, secrets } };
}
