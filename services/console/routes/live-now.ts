/** Server-sent events with the live part of the page. Redis is read once for all streams, and only while there is one. */
import { PassThrough } from 'node:stream';
import { type Sight, WHOLE_SIGHT } from '../access/sight.ts';
import { livePart } from '../pages/now-page.ts';
import { render } from '../pages/html.ts';
import type { Now } from '../read/now.ts';

export type LiveNow = {
  /**
   * Null if too many streams are open. `look` is asked for each event; null ends the stream. Visitors who see everything
   * share one reading.
   */
  readonly open: (look: LookAtSight) => PassThrough | null;
  readonly close: () => void;
};

/** What the visitor may see now. */
export type LookAtSight = () => Promise<Sight | null>;

export type LiveSettings = {
  readonly everyMs: number;
  readonly maxStreams: number;
  /** Afterwards the browser connects again, and its session is checked again. */
  readonly maxAgeMs: number;
};

const DEFAULTS: LiveSettings = { everyMs: 2_000, maxStreams: 20, maxAgeMs: 60_000 };

/** A browser that reads more slowly than this is disconnected. */
const MAX_BUFFERED_BYTES = 1_000_000;

/** One line of data, because a line end would end the field. */
export const eventOf = (now: Now): string => `data: ${JSON.stringify(render(livePart(now)))}\n\n`;

export const createLiveNow = (read: (sight: Sight) => Promise<Now>, settings: Partial<LiveSettings> = {}): LiveNow => {
  const { everyMs, maxStreams, maxAgeMs } = { ...DEFAULTS, ...settings };
  const streams = new Map<PassThrough, LookAtSight>();
  let timer: NodeJS.Timeout | null = null;
  /** A forge that does not answer delays only the streams of those who are asked for there. */
  const busy = new Set<PassThrough>();
  const tellOne = async (stream: PassThrough, look: LookAtSight, shared: () => Promise<string>): Promise<void> => {
    if (busy.has(stream)) return;
    busy.add(stream);
    try {
      const sight = await look();
      if (sight === null) stream.end();
      else write(stream, await (sight.isWhole ? shared() : read(sight).then(eventOf)));
    } catch {
      // While Redis is away, the page keeps what it shows.
      write(stream, ': waiting\n\n');
    } finally {
      busy.delete(stream);
    }
  };
  const tell = (): void => {
    const shared = memoised(async () => eventOf(await read(WHOLE_SIGHT)));
    for (const [stream, look] of streams) void tellOne(stream, look, shared);
  };
  const remove = (stream: PassThrough): void => {
    streams.delete(stream);
    if (streams.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
  return {
    open: (look) => {
      if (streams.size >= maxStreams) return null;
      const stream = new PassThrough();
      streams.set(stream, look);
      const age = setTimeout(() => stream.end(), maxAgeMs).unref();
      stream.once('close', () => {
        clearTimeout(age);
        remove(stream);
      });
      stream.write('retry: 3000\n\n');
      timer ??= setInterval(tell, everyMs).unref();
      return stream;
    },
    close: () => {
      for (const stream of streams.keys()) stream.destroy();
    },
  };
};

const memoised = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make();
    return made;
  };
};

const write = (stream: PassThrough, text: string): void => {
  if (stream.writableEnded || stream.destroyed) return;
  if (stream.writableLength > MAX_BUFFERED_BYTES) stream.destroy();
  else stream.write(text);
};
