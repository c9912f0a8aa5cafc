/** A program whose standard output is read line by line while it runs: for one that tells what it spends as it goes. */
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { withTimeLimit } from '../../time-limit.ts';
import { ProcessStartError, type CommandSpec, createSink, killGroup, startCommand } from './command.ts';

export type StreamSpec = Omit<CommandSpec, 'maxStdoutBytes' | 'secretInput'> & {
  /** A longer line, or more in all, ends the program. */
  readonly maxLineBytes: number;
  readonly maxTotalBytes: number;
};

export type StreamEnd = {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  /** The first 16 KiB. */
  readonly stderr: string;
  readonly timedOut: boolean;
  /** It wrote more than it may, and was killed for it. */
  readonly tooMuch: boolean;
};

const MAX_STDERR_BYTES = 16 * 1024;

/** Lines without their line feed; null as soon as there is more than there may be. */
async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  { maxLineBytes, maxTotalBytes }: Pick<StreamSpec, 'maxLineBytes' | 'maxTotalBytes'>,
): AsyncGenerator<string | null> {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    const parts = (pending + decoder.write(chunk)).split('\n');
    pending = parts.pop() ?? '';
    yield* parts;
    if (total > maxTotalBytes || pending.length > maxLineBytes) {
      yield null;
      return;
    }
  }
  if (pending !== '') yield pending;
}

const notStarted = (file: string, cause: unknown): ProcessStartError =>
  new ProcessStartError({
    code: 'COMMAND_NOT_STARTED',
    message: `${file} could not be started`,
    disposition: { kind: 'retry' },
    cause,
  });

type Running = { readonly spec: StreamSpec; readonly onLine: (line: string) => Promise<void> };

const start = (spec: StreamSpec, signal: AbortSignal) => {
  const child = startCommand({ ...spec, maxStdoutBytes: spec.maxTotalBytes });
  const stderr = createSink(MAX_STDERR_BYTES);
  const stop = (): void => {
    killGroup(child);
    // A grandchild outside the group could hold the pipes open for ever.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(notStarted(spec.file, cause)));
    child.once('exit', () => killGroup(child));
    child.once('close', resolve);
  }).finally(() => signal.removeEventListener('abort', stop));
  // It is awaited after the last line; until then nobody may call this unhandled.
  ended.catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  child.stderr?.on('data', (chunk: Buffer) => void stderr.push(chunk));
  // A child that ends without reading its input is not an error: its exit code tells.
  child.stdin?.on('error', () => {});
  child.stdin?.end(spec.input);
  return { stdout: child.stdout ?? Readable.from([]), stop, ended, stderr: () => stderr.take().toString('utf8') };
};

const follow = async ({ spec, onLine }: Running, signal: AbortSignal): Promise<Omit<StreamEnd, 'timedOut'>> => {
  signal.throwIfAborted();
  const running = start(spec, signal);
  let tooMuch = false;
  try {
    for await (const line of linesOf(running.stdout, spec)) {
      if (line === null) tooMuch = true;
      else await onLine(line);
    }
  } catch (error) {
    running.stop();
    await running.ended;
    signal.throwIfAborted();
    throw error;
  }
  if (tooMuch) running.stop();
  const exitCode = await running.ended;
  signal.throwIfAborted();
  return { exitCode, stderr: running.stderr(), tooMuch };
};

const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

/**
 * Runs one program to its end. Contract of `onLine`: lines come one after the other, in order; what it throws ends the
 * program and is thrown on. Every end that the program itself can cause is a value; throws `ProcessStartError` when there
 * was no process, and `signal.reason` after an abort. When the promise settles, the process group is dead.
 */
export const streamCommand = async (
  spec: StreamSpec,
  onLine: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<StreamEnd> => {
  try {
    const work = async (limited: AbortSignal) => follow({ spec, onLine }, limited);
    return { ...(await withTimeLimit({ ms: spec.timeoutMs, signal }, work)), timedOut: false };
  } catch (error) {
    if (signal.aborted || !isTimeout(error)) throw error;
    return { exitCode: null, stderr: '', timedOut: true, tooMuch: false };
  }
};
