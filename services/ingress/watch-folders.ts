import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Config } from '../../shared/config/load.ts';
import type { Keys } from '../../shared/store/keys.ts';
import { boxOf } from './read-mail.ts';
import { exchange, type FolderClient, type FolderDeps } from './folder-exchange.ts';

export const folderClients = ({ messages }: Pick<Config, 'messages'>): readonly FolderClient[] =>
  messages.client.flatMap(({ name, role, forge, projectId, match, folder }) =>
    folder === null ? [] : [{ name, role, forge, projectId, match, folder }],
  );

/** A stored cursor is kept for the same time as mailboxes. */
const KEEP_S = 30 * 24 * 3600;

export const createCursors = (redis: Redis, keys: Keys): Pick<FolderDeps, 'loadCursor' | 'saveCursor'> => ({
  loadCursor: async (client) => redis.get(cursorKey(keys, client)),
  saveCursor: async (client, cursor) => void (await redis.set(cursorKey(keys, client), cursor, 'EX', KEEP_S)),
});

const cursorKey = (keys: Keys, client: FolderClient): string => {
  const box = boxOf(client);
  return box === null ? keys.deliveredAll(client.name) : keys.delivered(box);
};

export type FolderWatching = {
  readonly clients: readonly FolderClient[];
  readonly everyMs: number;
};

export type FolderWatch = {
  /** Resolves when no exchange is running. */
  readonly close: () => Promise<void>;
};

/** Exchanges messages with the folders one after the other. A failure is logged and retried after the interval. */
export const watchFolders = (deps: FolderDeps, { clients, everyMs }: FolderWatching): FolderWatch => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const look = async (): Promise<void> => {
    for (const client of clients) {
      try {
        await exchange(deps, client, signal);
      } catch (err) {
        if (signal.aborted) return;
        deps.log.warn({ err, client: client.name }, 'folder could not be processed');
      }
    }
  };
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await look();
      await sleep(everyMs, signal);
    }
  };
  const watching = clients.length === 0 ? Promise.resolve() : watch();
  return {
    close: async () => {
      stopping.abort();
      await watching;
    },
  };
};

const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await pause(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
