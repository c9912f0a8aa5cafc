import { readFile } from 'node:fs/promises';
import { type Config, findConfigPath } from '../../shared/config/load.ts';
import type { ForgeSettings } from '../../shared/config/forge-settings.ts';
import { type IgnoreEntry, whyWithoutEffect } from '../../shared/config/repository/ignore-entries.ts';
import { secretValues } from '../../shared/config/loaded/secret-values.ts';
import { demand } from '../../shared/config/secrets.ts';
import { connectForge } from '../../shared/forge/kinds/connect.ts';
import type { Project } from '../../shared/forge/port-facts.ts';
import type { Forge } from '../../shared/forge/port.ts';
import { settingsOf } from '../../shared/config/project-settings.ts';
import { isIgnorable } from '../reviewer/rules/project-ignores.ts';
import { createIgnoredCounts, type IgnoredCount } from '../../shared/store/learning/ignored-counts.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { redisTargetOf } from '../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../shared/store/redis.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { escapeForTerminalLine } from '../../shared/text/visible.ts';
import { timeLimit } from '../../shared/time-limit.ts';
import { CommitSha } from '../../shared/vocabulary/ids.ts';
import { readRepositorySettings } from '../reviewer/rules/read-repository-settings.ts';
import { loadWithRedis } from './redis/own-redis.ts';
import { printJson } from './terminal/print-json.ts';
import { UsageError } from './terminal/usage-error.ts';

export type IgnoredOptions = { readonly config?: string; readonly branch?: string; readonly format: string };

const REDIS_TIMEOUT_MS = 5_000;
const LIMIT_MS = 60_000;

/** `fixpoint ignored PROJECT`: the `[[ignore]]` entries of a branch, and how often each silenced a finding. */
export const listIgnored = async (reference: string, options: IgnoredOptions): Promise<number> => {
  const { config, format } = options;
  if (format !== 'text' && format !== 'json') throw new UsageError('--format: expected text or json');
  const [, forgeId, name] = /^([a-z0-9][a-z0-9-]{0,31})\/(\d{1,15}|[^/\s]+(?:\/[^/\s]+)+)$/.exec(reference) ?? [];
  if (forgeId === undefined || name === undefined)
    throw new UsageError('expected FORGE/PROJECT_ID or FORGE/owner/name, such as main/42');
  const settings = loadWithRedis({
    path: findConfigPath(config, process.env),
    env: process.env,
    needs: ['redis', 'read_token'],
  });
  const signal = timeLimit(LIMIT_MS);
  const { forge, project } = await findProject(settings, { forgeId, name }, signal);
  const branch = options.branch ?? project.defaultBranch;
  const reading = await readEntries({ forge, project, branch, settings }, signal);
  const counts = await loadCounts(settings, { forge: forgeId, projectId: project.id });
  const listed = {
    project: project.path,
    branch,
    entries: reading.entries.map(withCount(counts)),
    notes: reading.notes,
  };
  process.stdout.write(format === 'json' ? printJson(listed) : toText(listed));
  return 0;
};

type Found = { readonly forge: Forge; readonly project: Project };

const findProject = async (
  config: Config,
  { forgeId, name }: { readonly forgeId: string; readonly name: string },
  signal: AbortSignal,
): Promise<Found> => {
  const settings = config.forges.find(({ id }) => id === forgeId);
  if (settings === undefined) throw new UsageError(`the configuration has no forge "${forgeId}"`);
  const forge = await openForge(config, settings, signal);
  const project = await (/^\d+$/.test(name)
    ? forge.read.fetchProject(Number(name), signal)
    : forge.read.findProject(name, signal));
  if (project === null) throw new UsageError('project not found, or the token cannot read it');
  return { forge, project };
};

const openForge = async ({ secrets }: Config, settings: ForgeSettings, signal: AbortSignal): Promise<Forge> => {
  const { id, kind, baseUrl, caFile, proxy } = settings;
  const token = demand(secrets.forges.get(id)?.readToken ?? null, 'read_token');
  const ca = caFile === null ? {} : { ca: await readFile(caFile, 'utf8') };
  return connectForge({ id, kind, baseUrl, token, proxy, ...ca }, signal);
};

type Place = Found & { readonly branch: string; readonly settings: Config };

type Row = IgnoreEntry & { readonly withoutEffect: string | null };

type Reading = { readonly entries: readonly Row[]; readonly notes: readonly string[] };

/** A placeholder, because the file is read by its branch and not by a commit. */
const ANY_COMMIT = CommitSha.parse('0'.repeat(40));

/** Reads the entries as a review does. */
const readEntries = async ({ forge, project, branch, settings }: Place, signal: AbortSignal): Promise<Reading> => {
  const projectId = project.id;
  const readFileOfBranch: Parameters<typeof readRepositorySettings>[0]['readFile'] = async ({ path, maxBytes }) => {
    const file = await forge.read.fetchFile({ projectId, branch, path }, maxBytes, signal);
    if (file === null) return { kind: 'missing' };
    if (file.kind === 'text') return { ...file, bytes: Buffer.byteLength(file.text) };
    return { kind: file.kind === 'too_large' ? 'too_large' : 'binary', bytes: maxBytes };
  };
  const given = { target: ANY_COMMIT, redact: createRedactor(secretValues(settings.secrets)) };
  const reading = await readRepositorySettings({ readFile: readFileOfBranch }, given, signal);
  const own = settingsOf(settings, { forge: forge.id, path: project.path });
  const baseUrl = settings.forges.find(({ id }) => id === forge.id)?.baseUrl ?? '';
  const terms = {
    which: own.review.projectIgnores,
    nowMs: Date.now(),
    forgeUrls: [baseUrl, project.webUrl],
    isRule: isIgnorable([...own.analyzer, ...own.rules.from].map(({ name }) => name)),
  };
  return {
    entries: reading.settings.ignore.map((entry) => ({ ...entry, withoutEffect: whyWithoutEffect(entry, terms) })),
    notes: reading.notes,
  };
};

type Counts = ReadonlyMap<string, IgnoredCount>;

const loadCounts = async (
  settings: Config,
  project: { readonly forge: string; readonly projectId: number },
): Promise<Counts> => {
  const redis = connectRedis(redisTargetOf(settings), 'worker');
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    return await createIgnoredCounts(redis, createKeys(settings.redis.prefix)).load(project);
  } finally {
    redis.disconnect();
  }
};

type Listed = ReturnType<ReturnType<typeof withCount>>;

const withCount =
  (counts: Counts) =>
  ({ id, ...entry }: Row) => {
    const count = counts.get(id);
    return {
      ...entry,
      findings: count?.findings ?? 0,
      lastAt: count === undefined ? null : new Date(count.lastAtMs).toISOString(),
    };
  };

type Listing = {
  readonly project: string;
  readonly branch: string;
  readonly entries: readonly Listed[];
  readonly notes: readonly string[];
};

const toText = ({ project, branch, entries, notes }: Listing): string => {
  const none = entries.length === 0 ? [`${project} ignores nothing on ${branch}`] : [];
  return [...none, ...entries.map(lineOf), ...notes].map((line) => `${escapeForTerminalLine(line)}\n`).join('');
};

const lineOf = (entry: Listed): string => {
  const { rule, fingerprint, path, reason, until, thread, findings, lastAt, withoutEffect } = entry;
  const state = withoutEffect === null ? (until === null ? '' : ` [until ${until}]`) : ` [no effect: ${withoutEffect}]`;
  const times =
    lastAt === null ? 'never' : `${findings} ${findings === 1 ? 'time' : 'times'}, last ${lastAt.slice(0, 10)}`;
  return `${rule ?? fingerprint} in ${path}: ${times}${state} - ${reason}${thread === null ? '' : ` (${thread})`}`;
};
