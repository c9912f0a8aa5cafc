/**
 * Writes one JSON line per decision and per effect, without loaded secrets. Common bindings, set with `log.child`: `service
 * queue jobId forge project changeRequest review headSha`.
 */
import { pino } from 'pino';
import { AppError } from './errors.ts';
import { createValueScrubber, scrubTable } from './scrub.ts';
import { currentSpan } from './tracing/tracing.ts';

export type Logger = pino.Logger;

export type LineSink = { readonly write: (line: string) => void };

export type LoggerOptions = {
  readonly service: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly to: 'stdout' | 'stderr' | LineSink;
  /** All secrets that the process has loaded: `secretValues(config.secrets)`. */
  readonly secrets: readonly string[];
};

/**
 * Copies only fields that are known to be harmless, because errors of HTTP clients contain whole requests with their
 * headers.
 */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: String(error.code) } : {};
  const known = error instanceof AppError ? { disposition: error.disposition.kind, fields: error.fields } : {};
  const cause = error.cause === undefined || depth >= 4 ? {} : { cause: serializeError(error.cause, depth + 1) };
  return { type: error.name, message: error.message, ...code, ...known, stack: error.stack, ...cause };
}

function openSink(to: LoggerOptions['to']): LineSink {
  if (typeof to === 'object') return to;
  // Synchronous, so that the last lines before an exit are not lost.
  const destination = pino.destination({ dest: to === 'stdout' ? 1 : 2, sync: true });
  return { write: (line) => void destination.write(line) };
}

export function createLogger(options: LoggerOptions): Logger {
  const sink = openSink(options.to);
  const scrub = createValueScrubber(options.secrets);
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => ({ ...currentSpan() }),
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => scrubTable(fields),
      },
      serializers: { err: (error: unknown) => serializeError(error), error: (error: unknown) => serializeError(error) },
    },
    { write: (line: string) => sink.write(scrub(line)) },
  );
}
