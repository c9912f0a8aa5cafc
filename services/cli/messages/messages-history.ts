import { connectForges } from '../../../shared/runtime/connect-forges.ts';
import { type Config, findConfigPath } from '../../../shared/config/load.ts';
import { markerSecretsOf } from '../../../shared/config/loaded/marker-secrets.ts';
import { settingsOf } from '../../../shared/config/project-settings.ts';
import { secretValues } from '../../../shared/config/loaded/secret-values.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { createLogger } from '../../../shared/logger.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { type Exported, messagesOfHistory } from '../../../shared/protocol/round/history-messages.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import { type ChangeRequest, changeRequestKey } from '../../../shared/vocabulary/ids.ts';
import { createIdentities } from '../../../shared/store/identities.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { redisTargetOf } from '../../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../../shared/store/redis.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { loadWithRedis } from '../redis/own-redis.ts';
import { forgeOf } from '../terminal/reference.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { timeLimit } from '../../../shared/time-limit.ts';

const TIMEOUT_MS = 60_000;
const REDIS_TIMEOUT_MS = 5_000;

/** Reads the rounds from the bot's comments on the forge. From Redis, it reads only the bot's account. */
export const messagesOfChangeRequest = async (of: ChangeRequest, configFlag: string | undefined): Promise<Exported> => {
  const path = findConfigPath(configFlag, process.env);
  const config = loadWithRedis({ path, env: process.env, needs: ['redis', 'read_token', 'marker_secret'] });
  const settings = forgeOf(config, of);
  const signal = timeLimit(TIMEOUT_MS);
  const secrets = secretValues(config.secrets);
  const log = createLogger({ service: 'cli', level: 'warn', to: 'stderr', secrets });
  const metrics = createMetrics({ service: 'cli', processMetrics: false });
  const forges = await connectForges({ ...config, forges: [settings] }, 'read_token', { log, metrics, signal });
  const forge = forges.get(of.forge);
  if (forge === undefined) throw new UsageError(`the configuration has no forge "${of.forge}"`);
  const writer = await loadWriter(config, of.forge);
  return readRounds({ forge, of, config, writer, previousBotUserIds: settings.previousBotUserIds, signal });
};

type Writer = { readonly id: number; readonly login: string };

const loadWriter = async (config: Config, forge: string): Promise<Writer | null> => {
  const redis = connectRedis(redisTargetOf(config), 'worker');
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    return await createIdentities(redis, createKeys(config.redis.prefix)).load(forge);
  } finally {
    redis.disconnect();
  }
};

type Reading = {
  readonly forge: Forge;
  readonly of: ChangeRequest;
  readonly config: Config;
  readonly writer: Writer | null;
  readonly previousBotUserIds: readonly number[];
  readonly signal: AbortSignal;
};

const readRounds = async ({ forge, of, config, writer, previousBotUserIds, signal }: Reading): Promise<Exported> => {
  const self = await forge.read.fetchSelf(signal);
  const [facts, comments] = await Promise.all([
    forge.read.fetchChangeRequest(of, signal),
    forge.read.fetchComments(of, signal),
  ]);
  if (facts === null) throw new UsageError('change request not found, or the token cannot read it');
  const bot = writer ?? self;
  const botIds = new Set([self.id, bot.id, ...previousBotUserIds]);
  const history = rebuildHistory({
    comments,
    key: changeRequestKey(of),
    botIds,
    secrets: markerSecretsOf(config.secrets),
  });
  const redact = createRedactor(secretValues(config.secrets));
  const clean = (text: string): string => redact(text).text;
  const { rounds } = settingsOf(config, { forge: of.forge, path: facts.projectPath });
  return messagesOfHistory({ facts, history, maxRounds: rounds.max, reviewer: bot.login }, clean);
};
