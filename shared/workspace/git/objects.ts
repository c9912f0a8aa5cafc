import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { killGroup, startCommand } from '../process/command.ts';
import { type Git, gitError } from './git.ts';

/** A full SHA-1 or SHA-256 id. The batch process gets only full ids: no path, no revision, no line break. */
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

export type ObjectInfo = { readonly type: ObjectType; readonly bytes: number };

export type ObjectContent =
  | { readonly kind: 'object'; readonly type: ObjectType; readonly data: Buffer }
  | { readonly kind: 'too_large'; readonly type: ObjectType; readonly bytes: number }
  | { readonly kind: 'missing' };

/**
 * Contract: requests run one after the other. An abort or a timeout ends the `git cat-file` process, and the next request
 * starts a new one. `close` must be called.
 */
export type ObjectReader = {
  info(objectId: string, signal: AbortSignal): Promise<ObjectInfo | null>;
  read(objectId: string, maxBytes: number, signal: AbortSignal): Promise<ObjectContent>;
  close(): void;
};

const REQUEST_TIMEOUT_MS = 20_000;
const MAX_HEADER_BYTES = 1024;
const LINE_FEED = 10;

const ended = () => gitError('GIT_FAILED', 'git cat-file ended before it answered', 'retry');

const createByteReader = (stream: Readable) => {
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const pull = async (): Promise<Buffer> => {
    const next = await chunks.next();
    if (next.done === true) throw ended();
    return next.value;
  };
  return {
    async line(): Promise<string> {
      while (!rest.includes(LINE_FEED)) {
        if (rest.length > MAX_HEADER_BYTES)
          throw gitError('GIT_BAD_OUTPUT', 'unexpected output of git cat-file', 'retry');
        rest = Buffer.concat([rest, await pull()]);
      }
      const end = rest.indexOf(LINE_FEED);
      const line = rest.subarray(0, end).toString('latin1');
      rest = rest.subarray(end + 1);
      return line;
    },
    async block(bytes: number): Promise<Buffer> {
      const parts = [rest];
      let have = rest.length;
      while (have < bytes) {
        const chunk = await pull();
        parts.push(chunk);
        have += chunk.length;
      }
      const all = Buffer.concat(parts, have);
      rest = all.subarray(bytes);
      return all.subarray(0, bytes);
    },
  };
};

type Session = {
  readonly child: ChildProcess;
  ask(command: string): Promise<ObjectInfo | null>;
  block(bytes: number): Promise<Buffer>;
  readonly alive: () => boolean;
};

const parseHeader = (line: string): ObjectInfo | null => {
  const match = /^[0-9a-f]+ (commit|tree|blob|tag) (\d+)$/.exec(line);
  if (match !== null) {
    // The cast is safe because the expression matches exactly the names of `ObjectType`.
    return { type: match[1] as ObjectType, bytes: Number(match[2]) };
  }
  if (/^[0-9a-f]+ missing$/.test(line)) return null;
  throw gitError('GIT_BAD_OUTPUT', 'unexpected output of git cat-file', 'retry');
};

const startSession = (git: Git): Session => {
  const child = startCommand({ ...git.spec(['cat-file', '--batch-command'], {}), input: new Uint8Array() });
  let alive = true;
  child.once('error', () => {
    alive = false;
  });
  child.once('exit', () => {
    alive = false;
  });
  child.stdin?.on('error', () => {});
  child.stderr?.resume();
  if (child.stdout === null) throw ended();
  const bytes = createByteReader(child.stdout);
  return {
    child,
    alive: () => alive,
    async ask(command) {
      child.stdin?.write(`${command}\n`);
      return parseHeader(await bytes.line());
    },
    block: (size) => bytes.block(size),
  };
};

const parseId = (objectId: string): string => {
  if (OBJECT_ID.test(objectId)) return objectId;
  throw gitError('GIT_REFUSED', 'not a full object id', 'fail');
};

const readObject = async (session: Session, objectId: string, maxBytes: number): Promise<ObjectContent> => {
  const info = await session.ask(`info ${objectId}`);
  if (info === null) return { kind: 'missing' };
  if (info.bytes > maxBytes) return { kind: 'too_large', ...info };
  await session.ask(`contents ${objectId}`);
  const block = await session.block(info.bytes + 1);
  return { kind: 'object', type: info.type, data: block.subarray(0, info.bytes) };
};

export const createObjectReader = (git: Git): ObjectReader => {
  let session: Session | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const end = (): void => {
    if (session !== null) killGroup(session.child);
    session = null;
  };
  const guarded = async <T>(work: (session: Session) => Promise<T>, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted();
    if (session === null || !session.alive()) session = startSession(git);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, REQUEST_TIMEOUT_MS);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await work(session);
    } catch (cause) {
      end();
      signal.throwIfAborted();
      throw timedOut ? gitError('GIT_TIMEOUT', 'git cat-file timed out', 'retry', cause) : cause;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  };
  const inTurn = <T>(work: (session: Session) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const turn = last.then(() => guarded(work, signal));
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    info: (objectId, signal) => inTurn((at) => at.ask(`info ${parseId(objectId)}`), signal),
    read: (objectId, maxBytes, signal) => inTurn((at) => readObject(at, parseId(objectId), maxBytes), signal),
    close: end,
  };
};
