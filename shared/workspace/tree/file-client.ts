/** Client of the file server in a cage. The server starts at the first question, and starts again after it has died. */
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { withTimeLimit } from '../../time-limit.ts';
import type { Cage, CagedProcess } from '../cage/cage.ts';
import { ProcessStartError } from '../process/command.ts';

export type FileQuestion = { readonly read: string; readonly maxBytes: number } | { readonly locate: string };

const Answer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), length: z.int().min(0) }),
  z.object({ kind: z.literal('too_large'), bytes: z.int().min(0) }),
  z.object({ kind: z.literal('inside'), path: z.string(), entry: z.enum(['file', 'folder', 'other']) }),
  z.object({ kind: z.literal('refused'), reason: z.string().max(200) }),
]);
type Answer = z.output<typeof Answer>;

export type FileAnswer = Exclude<Answer, { readonly kind: 'file' }> | { readonly kind: 'file'; readonly data: Buffer };

export type FileClient = {
  /** Questions run one after the other, in call order. @throws `ProcessStartError` without a cage, and `signal.reason`. */
  readonly ask: (question: FileQuestion, signal: AbortSignal) => Promise<FileAnswer>;
  readonly close: () => Promise<void>;
};

const SOURCE = new URL('file-server.mjs', import.meta.url);
/** The timeout of a call. For the first call it includes the start of the server. */
const CALL_MS = 15_000;
const MAX_HEAD_BYTES = 32 * 1024;
const LINE_FEED = 0x0a;
/** The limits are small, because the server reads files of a few megabytes, one at a time. */
const NODE_FLAGS = ['--max-old-space-size=64', '--v8-pool-size=1', '--input-type=module'];

const broken = (message: string): ProcessStartError =>
  new ProcessStartError({ code: 'FILE_SERVER_BROKEN', message, disposition: { kind: 'retry' } });

const readerOf = (output: Readable) => {
  const chunks = output[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let rest: Buffer = Buffer.alloc(0);
  const more = async (): Promise<void> => {
    const { done, value } = await chunks.next();
    if (done === true) throw broken('the file server has ended');
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
  };
  const take = (bytes: number): Buffer => {
    const taken = rest.subarray(0, bytes);
    rest = rest.subarray(bytes);
    return taken;
  };
  return {
    line: async (): Promise<string> => {
      let end = rest.indexOf(LINE_FEED);
      while (end < 0) {
        if (rest.length > MAX_HEAD_BYTES) throw broken('the file server gave no answer');
        await more();
        end = rest.indexOf(LINE_FEED);
      }
      return take(end + 1).toString('utf8');
    },
    bytes: async (length: number): Promise<Buffer> => {
      const parts: Buffer[] = [];
      for (let missing = length; missing > 0; ) {
        if (rest.length === 0) await more();
        const part = take(missing);
        parts.push(part);
        missing -= part.length;
      }
      return Buffer.concat(parts);
    },
  };
};

type Server = { readonly process: CagedProcess; readonly reader: ReturnType<typeof readerOf> };

const startServer = (cage: Cage, workspace: string): Server => {
  const process = cage.start([cage.programs.node, ...NODE_FLAGS, '-e', readFileSync(SOURCE, 'utf8')], { workspace });
  process.child.stderr.resume();
  return { process, reader: readerOf(process.child.stdout) };
};

const parseHead = (line: string): Answer => {
  try {
    return Answer.parse(JSON.parse(line));
  } catch (cause) {
    throw new ProcessStartError({
      code: 'FILE_SERVER_BROKEN',
      message: 'the file server sent an invalid answer',
      disposition: { kind: 'retry' },
      cause,
    });
  }
};

const talk = async ({ process, reader }: Server, question: FileQuestion): Promise<FileAnswer> => {
  process.child.stdin.write(`${JSON.stringify(question)}\n`);
  const head = parseHead(await reader.line());
  if (head.kind !== 'file') return head;
  if (!('read' in question) || head.length > question.maxBytes) throw broken('the file server sent too much data');
  return { kind: 'file', data: await reader.bytes(head.length) };
};

const TOO_LONG: FileAnswer = { kind: 'refused', reason: 'opening the file took too long and was stopped' };

export const createFileClient = (cage: Cage, workspace: string, callMs = CALL_MS): FileClient => {
  let server: Server | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const stop = async (): Promise<void> => {
    const stopped = server;
    server = null;
    await stopped?.process.kill();
  };

  /**
   * After any failure the server is stopped, because otherwise the next answer could start in the middle of an
   * incomplete answer.
   */
  const askOnce = async (question: FileQuestion, limited: AbortSignal): Promise<FileAnswer> => {
    limited.throwIfAborted();
    if (isClosed) throw broken('the file server is closed');
    server ??= startServer(cage, workspace);
    const { kill } = server.process;
    const onAbort = (): void => void kill();
    limited.addEventListener('abort', onAbort, { once: true });
    try {
      return await talk(server, question);
    } catch (error) {
      await stop();
      throw error;
    } finally {
      limited.removeEventListener('abort', onAbort);
    }
  };

  const askTwice = async (question: FileQuestion, signal: AbortSignal): Promise<FileAnswer> =>
    withTimeLimit({ ms: callMs, signal }, async (limited) => {
      try {
        return await askOnce(question, limited).catch(async () => askOnce(question, limited));
      } catch (error) {
        signal.throwIfAborted();
        if (limited.aborted) return TOO_LONG;
        throw error;
      }
    });

  return {
    ask: async (question, signal) => {
      const asked = last.then(async () => askTwice(question, signal));
      last = asked.catch(() => {});
      return asked;
    },
    close: async () => {
      isClosed = true;
      await stop();
    },
  };
};
