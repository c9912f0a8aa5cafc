import type { Redis } from 'ioredis';
import { type Config, findConfigPath } from '../../shared/config/load.ts';
import { emptyState, type GuardState } from '../../shared/rounds/model/state.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import { createDecisions } from '../../shared/store/decisions.ts';
import { createGuardStates } from '../../shared/store/guard-states.ts';
import { createKeys, type Keys } from '../../shared/store/keys.ts';
import { listKnown } from '../../shared/store/list-known.ts';
import { createSettingsByPath } from '../../shared/overview/settings-by-path.ts';
import { redisTargetOf } from '../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../shared/store/redis.ts';
import { type ChangeRequestStatus, changeRequestStatus } from '../../shared/overview/change-request-status.ts';
import { spentOn } from '../../shared/overview/spent-on.ts';
import { listTroubles } from '../../shared/overview/troubles.ts';
import { pauseText } from '../../shared/queue/wake-held.ts';
import { isSameProject } from '../../shared/store/board/pauses.ts';
import { createSlots } from '../../shared/store/slots.ts';
import { parseAddress } from './address/parse-address.ts';
import { findChangeRequest } from './remote/find-change-request.ts';
import { printJson } from './terminal/print-json.ts';
import { loadWithRedis } from './redis/own-redis.ts';
import { type Detail, detailText, type Overview, overviewText, type ProjectSlots } from './status-text.ts';
import { UsageError } from './terminal/usage-error.ts';
import { timeLimit } from '../../shared/time-limit.ts';

export type StatusOptions = { readonly config?: string; readonly format: string };

const REDIS_TIMEOUT_MS = 5_000;
const LIMIT_MS = 60_000;

/** `fixpoint status [CHANGE_REQUEST]`: current work and why it waits. Reads Redis, and the forge only for a project's number. */
export const status = async (reference: string | undefined, { config, format }: StatusOptions): Promise<number> => {
  if (format !== 'text' && format !== 'json') throw new UsageError('--format: expected text or json');
  const address = reference === undefined ? null : parseAddress(reference);
  const file = findConfigPath(config, process.env);
  const settings = loadWithRedis({ path: file, env: process.env, needs: ['redis'] });
  const naming = { config: settings, file, env: process.env };
  const of = address === null ? null : await findChangeRequest({ address, ...naming }, timeLimit(LIMIT_MS));
  const redis = connectRedis(redisTargetOf(settings), 'worker');
  const source = { redis, keys: createKeys(settings.redis.prefix), config: settings, nowMs: Date.now() };
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    process.stdout.write(await (of === null ? overview(source, format) : detail(source, of, format)));
    return 0;
  } finally {
    redis.disconnect();
  }
};

type Source = { readonly redis: Redis; readonly keys: Keys; readonly config: Config; readonly nowMs: number };

const overview = async ({ redis, keys, config, nowMs }: Source, format: 'text' | 'json'): Promise<string> => {
  const known = await listKnown(redis, keys, timeLimit(LIMIT_MS));
  const states = createGuardStates(redis, keys);
  const settingsFor = createSettingsByPath(redis, keys, config);
  const all = [];
  for (const of of known) {
    const state = (await states.load(of)) ?? emptyState();
    all.push(changeRequestStatus(of, state, { nowMs, policy: await settingsFor(of) }));
  }
  const { pauses, ...troubles } = await listTroubles({ redis, keys, nowMs });
  const found: Overview = {
    known: known.length,
    work: all.filter(({ doing }) => doing !== 'idle'),
    slots: await slotsOf({ redis, keys, config }, known),
    ...troubles,
    pauses: pauses.map(pauseText),
  };
  return format === 'json' ? printJson(found) : overviewText(found);
};

const slotsOf = async (
  { redis, keys, config }: Omit<Source, 'nowMs'>,
  known: readonly ChangeRequest[],
): Promise<readonly ProjectSlots[]> => {
  const slots = createSlots(redis, keys);
  const settingsFor = createSettingsByPath(redis, keys, config);
  const projects = new Map(known.map((of) => [`${of.forge}/${of.projectId}`, of]));
  const found = [];
  for (const [project, { forge, projectId }] of projects) {
    const running = await slots.running(forge, projectId);
    if (running.length === 0) continue;
    const { runningPerProject: most } = (await settingsFor({ forge, projectId })).limits;
    found.push({ project, most, running: running.toSorted((one, other) => one - other) });
  }
  return found;
};

const detail = async (source: Source, of: ChangeRequest, format: 'text' | 'json'): Promise<string> => {
  const { redis, keys, config, nowMs } = source;
  const state = await createGuardStates(redis, keys).load(of);
  const { pauses: allPauses, ...troubles } = await listTroubles(source);
  const pauses = allPauses.filter((each) => isSameProject(each, of)).map(pauseText);
  const lines = [...troubles.outages, ...troubles.misconfigurations, ...pauses];
  if (state === null && format === 'text') return `${lines.map((line) => `${line}\n`).join('')}${unstored(of)}\n`;
  const last = (await createDecisions(redis, keys).list(of)).at(-1);
  const found: Detail = {
    ...statusOf(of, state, { nowMs, policy: await createSettingsByPath(redis, keys, config)(of) }),
    spent: await spentOn(source, of),
    ...troubles,
    pauses,
    last:
      last === undefined ? null : { at: new Date(last.atMs).toISOString(), decision: last.effect, reason: last.reason },
  };
  return format === 'json' ? printJson(found) : detailText(found);
};

const unstored = ({ forge, projectId, number }: ChangeRequest): string =>
  `no state is stored for ${forge}/${projectId}/${number}; the next event or sweep reads it from the forge`;

/** The fields are the same with and without a state, so that scripts need no special case. */
const statusOf = (
  of: ChangeRequest,
  state: GuardState | null,
  now: Parameters<typeof changeRequestStatus>[2],
): Pick<Detail, 'stored'> & ChangeRequestStatus => {
  const found = changeRequestStatus(of, state ?? emptyState(), now);
  return state === null ? { stored: false, ...found, why: unstored(of) } : { stored: true, ...found };
};
