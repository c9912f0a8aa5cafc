/** The messages for a recipient that belongs to many projects, of which it may see only some. */
import type { Redis } from 'ioredis';
import { ForgeId } from '../vocabulary/ids.ts';
import type { Keys } from '../store/keys.ts';
import { type Box, MailboxMessage } from './mailbox-message.ts';

export type BoxProject = Omit<Box, 'name'>;

export type ProjectMessage<Project> = MailboxMessage & {
  /** Position in the index, used as the argument `after` of `read`. */
  readonly cursor: string;
  readonly project: Project;
};

export type MailPage<Project> = {
  /** At most `MAX_READ`, oldest first. */
  readonly messages: readonly ProjectMessage<Project>[];
  /** The position that was read up to, also past messages that are left out. Null if there is nothing. */
  readonly next: string | null;
};

export type MailOfProjects = {
  /**
   * With `after` null, starts with the oldest message that is kept. A page is empty only if the recipient may see no
   * later message.
   *
   * Contract: `see` returns null for a project that the recipient may not see; its messages are left out.
   */
  read<Project>(
    name: string,
    after: string | null,
    see: (project: BoxProject) => Promise<Project | null>,
  ): Promise<MailPage<Project>>;
  /** Returns the cursor of the oldest message with this id in a project that `see` allows, or null. */
  find(name: string, id: string, see: (project: BoxProject) => Promise<unknown>): Promise<string | null>;
};

const MAX_READ = 50;
/** A page that has a message stops after this many entries; the reader then asks again. */
const MAX_SCANNED = 1_000;
const SCANNED_AT_ONCE = 250;

type Entry = { readonly cursor: string; readonly project: string; readonly at: string; readonly id: string };

/** The fields are written in this order by `PUT_MESSAGE`. */
const entryOf = ([cursor, [, project = '', , at = '', , id = '']]: [string, string[]]): Entry => ({
  cursor,
  project,
  at,
  id,
});

/** Parses what `projectOfBox` formatted. */
const parseProject = (text: string): BoxProject | null => {
  const [forge, id] = text.split('.');
  const [named, projectId] = [ForgeId.safeParse(forge), Number(id)];
  return named.success && Number.isSafeInteger(projectId) ? { forge: named.data, projectId } : null;
};

/** Asks once per project. */
const seeOnce = <Project>(see: (project: BoxProject) => Promise<Project | null>) => {
  const asked = new Map<string, Promise<Project | null>>();
  return async (text: string): Promise<Project | null> => {
    const project = parseProject(text);
    if (project === null) return null;
    const answer = asked.get(text) ?? see(project);
    asked.set(text, answer);
    return answer;
  };
};

export const createMailOfProjects = (redis: Redis, keys: Keys): MailOfProjects => {
  const entriesAfter = async (name: string, after: string | null): Promise<readonly Entry[]> => {
    const start = after === null ? '-' : `(${after}`;
    return (await redis.xrange(keys.mailIndex(name), start, '+', 'COUNT', SCANNED_AT_ONCE)).map(entryOf);
  };
  /** Null if the message is not kept any more. */
  const letterAt = async (name: string, { project, at }: Entry): Promise<MailboxMessage | null> => {
    const box = parseProject(project);
    if (box === null) return null;
    const [found] = await redis.xrange(keys.mailbox({ ...box, name }), at, at);
    return found === undefined ? null : MailboxMessage.parse(JSON.parse(found[1][1] ?? ''));
  };
  return {
    read: async <Project>(
      name: string,
      after: string | null,
      see: (project: BoxProject) => Promise<Project | null>,
    ): Promise<MailPage<Project>> => {
      const seen = seeOnce(see);
      const messages: ProjectMessage<Project>[] = [];
      let next = after;
      // A reader that continues after the id of a message would never get past an empty page.
      const kept = await redis.xlen(keys.mailIndex(name));
      const limit = (): number => (messages.length === 0 ? kept : MAX_SCANNED);
      for (let scanned = 0; scanned < limit() && messages.length < MAX_READ; ) {
        const entries = await entriesAfter(name, next);
        if (entries.length === 0) break;
        for (const entry of entries) {
          if (messages.length >= MAX_READ) break;
          scanned += 1;
          next = entry.cursor;
          const project = await seen(entry.project);
          const letter = project === null ? null : await letterAt(name, entry);
          if (project !== null && letter !== null) messages.push({ ...letter, cursor: entry.cursor, project });
        }
      }
      return { messages, next };
    },
    find: async (name, id, see) => {
      const seen = seeOnce(see);
      const entries = (await redis.xrange(keys.mailIndex(name), '-', '+')).map(entryOf);
      for (const entry of entries) {
        if (entry.id === id && (await seen(entry.project)) !== null) return entry.cursor;
      }
      return null;
    },
  };
};
