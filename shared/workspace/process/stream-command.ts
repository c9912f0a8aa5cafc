/** Runs a program and reads its standard output line by line while it runs. */
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { isTimeout, withTimeLimit } from '../../time-limit.ts';
import { type CommandSpec, createSink, killGroup, notStarted, startCommand } from './command.ts';

export type StreamSpec = Omit<CommandSpec, 'maxStdoutBytes' | 'secretInput'> & {
  /** The program is killed for a longer line, or for more than `maxTotalBytes` in total. */
  readonly maxLineBytes: number;
  readonly maxTotalBytes: number;
};

export type StreamEnd = {
  /** Null when a signal ended the process. */
  readonly exitCode: number | null;
  /** The first 16 KiB of standard error. */
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly tooMuch: boolean;
};

const MAX_STDERR_BYTES = 16 * 1024;

/** Yields lines without their line feed. When a limit is exceeded, yields null and ends. */
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

type Running = { readonly spec: StreamSpec; readonly onLine: (line: string) => Promise<void> };

const start = (spec: StreamSpec, signal: AbortSignal) => {
  const child = startCommand({ ...spec, maxStdoutBytes: spec.maxTotalBytes });
  const stderr = createSink(MAX_STDERR_BYTES);
  const stop = (): void => {
    killGroup(child);
    // A grandchild outside the group could keep the pipes open for ever.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(notStarted(spec.file, cause)));
    child.once('exit', () => killGroup(child));
    child.once('close', resolve);
  }).finally(() => signal.removeEventListener('abort', stop));
  // `ended` is awaited only after the last line. Until then, this handler prevents an unhandled rejection.
  ended.catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  child.stderr?.on('data', (chunk: Buffer) => void stderr.push(chunk));
  // A write error means that the child ended without reading its input; its exit code reports that.
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

/**
 * Runs one program until it ends. Contract of `onLine`: calls are sequential and in order; an error that it throws kills
 * the program and is rethrown. Failures of the program are returned as values. @throws `ProcessStartError` when no process
 * was created, and `signal.reason` after an abort. The process group is dead when the promise settles.
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
