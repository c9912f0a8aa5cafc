import { userInfo } from 'node:os';
import { type Config, findConfigPath } from '../../shared/config/load.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { createInbox } from '../../shared/queue/inbox.ts';
import { wakeHeld } from '../../shared/queue/wake-held.ts';
import { redisTargetOf } from '../../shared/runtime/redis-target.ts';
import { createPauses, type Pauses, type ProjectOfForge } from '../../shared/store/board/pauses.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { awaitRedis, connectRedis } from '../../shared/store/redis.ts';
import { timeLimit } from '../../shared/time-limit.ts';
import { loadWithRedis } from './redis/own-redis.ts';
import { UsageError } from './terminal/usage-error.ts';

export type PauseOptions = { readonly config?: string };

const REDIS_TIMEOUT_MS = 5_000;
const PROJECT = /^([a-z0-9][a-z0-9-]{0,31})\/([1-9]\d{0,14})$/;

const parseProject = (text: string, { forges }: Pick<Config, 'forges'>): ProjectOfForge => {
  const [, forge, id] = PROJECT.exec(text) ?? [];
  if (forge === undefined || id === undefined)
    throw new UsageError('expected FORGE/PROJECT_ID, such as main/42, as `fixpoint status` prints it');
  if (!forges.some((each) => each.id === forge)) throw new UsageError(`no [[forge]] has the id "${forge}"`);
  return { forge, projectId: Number(id) };
};

type Opened = { readonly pauses: Pauses; readonly project: ProjectOfForge; readonly wake: () => Promise<void> };

/** A container may run under a user id that has no name there. `read` is replaced in tests. */
export const userName = (read = (): string => userInfo().username): string => {
  try {
    return read();
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
};

const withPauses = async (
  reference: string,
  { config }: PauseOptions,
  act: (opened: Opened) => Promise<string>,
): Promise<number> => {
  const settings = loadWithRedis({ path: findConfigPath(config, process.env), env: process.env, needs: ['redis'] });
  const project = parseProject(reference, settings);
  const redis = connectRedis(redisTargetOf(settings), 'worker');
  const keys = createKeys(settings.redis.prefix);
  const queues = createQueues(redis, keys.queues, settings.queues);
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    const pauses = createPauses(redis, keys);
    const held = { pauses, inbox: createInbox(redis, keys, queues.enqueue), nowMs: Date.now };
    process.stdout.write(`${await act({ pauses, project, wake: async () => wakeHeld(held, project) })}\n`);
    return 0;
  } finally {
    await queues.close().catch(() => undefined);
    redis.disconnect();
  }
};

/** `fixpoint pause PROJECT`: from now on, guard starts no review in the project and posts nothing. */
export const pauseProject = async (reference: string, options: PauseOptions): Promise<number> =>
  withPauses(reference, options, async ({ pauses, project }) => {
    const outcome = await pauses.pause(project, {
      atMs: Date.now(),
      by: `${userName()}, on the command line`,
    });
    return outcome === 'paused' ? `project ${reference} is paused` : `project ${reference} was paused before`;
  });

/** `fixpoint continue PROJECT`: guard looks at everything that waited. */
export const continueProject = async (reference: string, options: PauseOptions): Promise<number> =>
  withPauses(reference, options, async ({ pauses, project, wake }) => {
    const outcome = await pauses.end(project);
    await wake();
    return outcome === 'continued' ? `project ${reference} continues` : `project ${reference} was not paused`;
  });
