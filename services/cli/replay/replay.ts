import type { Redis } from 'ioredis';
import { type Config, findConfigPath, loadConfig } from '../../../shared/config/load.ts';
import { projectOfBrief, settingsOfBrief } from '../../../shared/runtime/settings-of-brief.ts';
import { secretValues } from '../../../shared/config/loaded/secret-values.ts';
import { SERVICE_NEEDS } from '../../../shared/config/service-needs.ts';
import { Analysis } from '../../../shared/rules/model/analysis.ts';
import { Brief } from '../../../shared/rounds/model/brief.ts';
import { type ChangeRequest, RunId } from '../../../shared/vocabulary/ids.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { redisTargetOf } from '../../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../../shared/store/redis.ts';
import { transcriptsOf } from '../../../shared/store/transcripts.ts';
import { findMirror } from '../../../shared/workspace/mirror/find-mirror.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { operatorRulesOf } from '../../reviewer/rules/operator-rules.ts';
import { packetLimitsOf } from '../../reviewer/start.ts';
import { renameLikenessAt } from '../../../shared/runtime/mirrors/mirror-access.ts';
import { ADDRESS_FORMS, type Address, parseAddress } from '../address/parse-address.ts';
import { findChangeRequest, type Naming } from '../remote/find-change-request.ts';
import { findLastRun } from './last-run.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import { loadWithRedis, withOwnRedis } from '../redis/own-redis.ts';
import { printJson } from '../terminal/print-json.ts';
import { type Comparison, replayRun, type ReplaySettings, type ReplaySources } from './replay-run.ts';
import { comparisonLine, type RecordedExploration, replayText } from './replay-text.ts';
import { explorationIds } from '../../../shared/overview/turn-lines.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { timeLimit } from '../../../shared/time-limit.ts';

export type ReplayOptions = { readonly config?: string; readonly json?: boolean };

const REDIS_TIMEOUT_MS = 5_000;
const LOOK_UP_MS = 60_000;
/** The log shows job ids, which are run ids with this prefix. */
const JOB_ID = /^review-/;
const REPLAY_TIMEOUT_MS = 10 * 60_000;

/** 0: identical, or no draft on either side. 1: it differs. 2: it cannot be replayed, or something is missing. */
const EXITS: Readonly<Record<Comparison['kind'], number>> = {
  identical: 0,
  no_draft: 0,
  differs: 1,
  nothing_stored: EXIT_CODES.usage,
};

/** `fixpoint replay RUN_ID|CHANGE_REQUEST`: reads Redis and the mirrors on this disk; no model, no fetch. */
export const replay = async (what: string, options: ReplayOptions): Promise<number> => {
  const named = parseRun(what);
  const file = findConfigPath(options.config, process.env);
  const config = loadForReplay(file);
  const wanted = named.kind === 'run' ? named : await changeRequestOf(named.address, { config, file });
  const redis = connectRedis(redisTargetOf(config), 'worker');
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    const runId = wanted.kind === 'run' ? wanted.runId : await lastRunOf(wanted.of, redis, config);
    return await replayFrom(redis, config, { runId, json: options.json === true });
  } finally {
    redis.disconnect();
  }
};

type Named = { readonly kind: 'run'; readonly runId: RunId } | { readonly kind: 'named'; readonly address: Address };

/** Every form of an address has one of these characters, and no run id has. */
const IS_ADDRESS = /[/#!]/;

const parseRun = (what: string): Named => {
  if (IS_ADDRESS.test(what)) return { kind: 'named', address: parseAddress(what) };
  const runId = RunId.safeParse(what.replace(JOB_ID, ''));
  if (runId.success) return { kind: 'run', runId: runId.data };
  throw new UsageError(`expected a run id, as shown in the log, or a change request: ${ADDRESS_FORMS}`);
};

const changeRequestOf = async (address: Address, { config, file }: Pick<Naming, 'config' | 'file'>) => {
  const of = await findChangeRequest({ address, config, file, env: process.env }, timeLimit(LOOK_UP_MS));
  return { kind: 'of' as const, of };
};

const lastRunOf = async (of: ChangeRequest, redis: Redis, config: Config): Promise<RunId> => {
  const asked = { of, signal: timeLimit(LOOK_UP_MS) };
  const runId = await findLastRun(redis, createKeys(config.redis.prefix), asked);
  const name = `${of.forge}/${of.projectId}/${of.number}`;
  if (runId === null) throw new UsageError(`no run of ${name} is stored; runs are kept for a week`);
  process.stderr.write(`fixpoint: replaying the run ${runId}, the last one of ${name}\n`);
  return runId;
};

/** Loads the reviewer's secrets if they are available, so that redaction is the same as in the run. */
const loadForReplay = (path: string): Config => {
  const source = { path, env: process.env };
  const whole = loadConfig(withOwnRedis({ ...source, needs: SERVICE_NEEDS.reviewer }));
  return whole.ok ? whole.config : loadWithRedis({ ...source, needs: ['redis'] });
};

export const replaySources = (redis: Redis, config: Config): ReplaySources => {
  const keys = createKeys(config.redis.prefix);
  const briefs = createDocumentStore(redis, Brief);
  const analyses = createDocumentStore(redis, Analysis);
  const transcripts = transcriptsOf(redis, keys, config.transcripts);
  return {
    loadBrief: async (runId) => briefs.load(keys.ofRun(runId, 'brief')),
    loadTranscript: async (id) => transcripts.load(id),
    loadDraft: async (runId) => redis.get(keys.ofRun(runId, 'draft')),
    loadAnalysis: async (runId) => analyses.load(keys.ofRun(runId, 'analysis')),
    mirrorOf: async (of) => findMirror(config.dataDir, of),
  };
};

/**
 * What sources of rules held at the time of the run is not stored. Without the reviewer's secrets it is not known which
 * runner `auto` chose.
 */
const areRulesUnknown = ({ rules, review, secrets }: Config): boolean =>
  rules.from.length > 0 || (review.runner === 'auto' && secrets.model === null);

export const replaySettings = (config: Config): ReplaySettings => ({
  agent: config.agent,
  limits: packetLimitsOf(config),
  operatorRulesOf: (brief) => operatorRulesOf(config, projectOfBrief(config, brief)),
  rulesUnknown: areRulesUnknown(config),
  projectIgnores: config.review.projectIgnores,
  analyzerNames: [...config.analyzer, ...config.rules.from].map(({ name }) => name),
  duplicateThreshold: config.rounds.duplicateThreshold,
  redact: createRedactor(secretValues(config.secrets)),
  searchPath: process.env['PATH'] ?? '',
  renameLikenessAt: (forgeId) => renameLikenessAt(config, forgeId),
});

type Wish = { readonly runId: string; readonly json: boolean };

const replayFrom = async (redis: Redis, config: Config, { runId, json }: Wish): Promise<number> => {
  const sources = replaySources(redis, config);
  const brief = await sources.loadBrief(runId);
  const settings = replaySettings(brief === null ? config : settingsOfBrief(config, brief));
  const means = { sources, settings };
  const replayed = await replayRun(means, runId, timeLimit(REPLAY_TIMEOUT_MS));
  if (replayed.kind === 'missing') throw new UsageError(`not found: ${replayed.what}`);
  if (replayed.kind === 'not_recorded')
    throw new UsageError(`the run ${runId} cannot be replayed: ${replayed.because}`);
  const { transcript, draft, comparison } = replayed;
  if (json) {
    process.stdout.write(printJson(draft));
    process.stderr.write(`fixpoint: ${comparisonLine(comparison)}\n`);
  } else {
    const ids = transcript === null ? [] : explorationIds(runId, transcript);
    process.stdout.write(replayText(replayed, await loadExplorations(sources, ids)));
  }
  return EXITS[comparison.kind];
};

const loadExplorations = async (
  sources: ReplaySources,
  ids: readonly string[],
): Promise<readonly RecordedExploration[]> => {
  const found: RecordedExploration[] = [];
  for (const id of ids) found.push({ id, transcript: await sources.loadTranscript(id) });
  return found;
};
