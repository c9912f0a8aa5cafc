import { parseAddress } from './address/parse-address.ts';
import { findChangeRequest } from './remote/find-change-request.ts';
import { findConfigPath } from '../../shared/config/load.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import {
  createDecisions,
  DECISIONS_KEPT_DAYS,
  type DecisionLog,
  type DecisionRecord,
  KEPT_DECISIONS,
} from '../../shared/store/decisions.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { redisTargetOf } from '../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../shared/store/redis.ts';
import { escapeForTerminalLine } from '../../shared/text/visible.ts';
import { printJson } from './terminal/print-json.ts';
import { loadWithRedis } from './redis/own-redis.ts';
import { UsageError } from './terminal/usage-error.ts';
import { timeLimit } from '../../shared/time-limit.ts';

export type WhyOptions = { readonly config?: string; readonly format: string };

const REDIS_TIMEOUT_MS = 5_000;
const LOOK_UP_MS = 60_000;

/** `fixpoint why CHANGE_REQUEST`: every stored decision about one change request in order, with its reason. */
export const why = async (reference: string, { config, format }: WhyOptions): Promise<number> => {
  if (format !== 'text' && format !== 'json') throw new UsageError('--format: expected text or json');
  const address = parseAddress(reference);
  const file = findConfigPath(config, process.env);
  const settings = loadWithRedis({ path: file, env: process.env, needs: ['redis'] });
  const of = await findChangeRequest({ address, config: settings, file, env: process.env }, timeLimit(LOOK_UP_MS));
  const redis = connectRedis(redisTargetOf(settings), 'worker');
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    const log = await createDecisions(redis, createKeys(settings.redis.prefix)).load(of);
    process.stdout.write(format === 'json' ? printJson(toJson(of, log)) : toText(of, log));
    return 0;
  } finally {
    redis.disconnect();
  }
};

const nameOf = ({ forge, projectId, number }: ChangeRequest): string => `${forge}/${projectId}/${number}`;

const toJson = (of: ChangeRequest, { records, olderGone }: DecisionLog): unknown => ({
  changeRequest: nameOf(of),
  olderGone,
  kept: { decisions: KEPT_DECISIONS, daysAfterTheLast: DECISIONS_KEPT_DAYS },
  decisions: records.map(({ atMs, ...record }) => ({ at: new Date(atMs).toISOString(), ...record })),
});

const toText = (of: ChangeRequest, { records, olderGone }: DecisionLog): string => {
  if (records.length === 0)
    return `no decisions are recorded for ${nameOf(of)}; they are kept for ${DECISIONS_KEPT_DAYS} days after the last one\n`;
  const gone = olderGone ? `older decisions are not shown: only the last ${KEPT_DECISIONS} are kept\n` : '';
  return `${gone}${records.map(lineOf).join('')}`;
};

const lineOf = ({ atMs, effect, reason, head, events }: DecisionRecord): string => {
  const at = new Date(atMs).toISOString();
  const because = events.length === 0 ? '' : ` [${events.join(', ')}]`;
  return `${at} ${head?.slice(0, 10) ?? '-'} ${escapeForTerminalLine(`${effect}: ${reason}${because}`)}\n`;
};
