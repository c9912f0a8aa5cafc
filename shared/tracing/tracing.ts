/**
 * Spans of traces. Code that makes spans imports only this file and knows no library. Without `useAsProcessTracing`, a
 * span is nothing but its work.
 */

/** Names and values of https://opentelemetry.io/docs/specs/semconv/. Contract: never a secret, a path, code, a prompt or a body. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export type SpanWish = {
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'consumer';
  readonly attributes?: SpanAttributes;
  /** Of another process, as `carrier` returned it. Null begins a new trace. Default: the span around this one. */
  readonly parent?: string | null;
  /** Other causes of the work, as `carrier` returned them. */
  readonly links?: readonly string[];
};

export type Span = {
  readonly set: (attributes: SpanAttributes) => void;
  /** Marks the span as failed although its work returns. `type`: an error code or status, never a message. */
  readonly fail: (type: string) => void;
};

export type SpanIds = { readonly traceId: string; readonly spanId: string };

/** Contract: nothing here throws or rejects, apart from the errors of `work`. */
export type Tracing = {
  readonly inSpan: <Result>(wish: SpanWish, work: (span: Span) => Promise<Result>) => Promise<Result>;
  readonly current: () => (SpanIds & { readonly carrier: string }) | null;
  readonly close: () => Promise<void>;
};

const SILENT: Span = { set: () => {}, fail: () => {} };

let used: Tracing | null = null;

/** Null switches tracing off. */
export const useAsProcessTracing = (tracing: Tracing | null): void => {
  used = tracing;
};

/** Ends the span when `work` ends. An error of `work` marks the span as failed, with the code of the error. */
export const inSpan = async <Result>(wish: SpanWish, work: (span: Span) => Promise<Result>): Promise<Result> =>
  used === null ? work(SILENT) : used.inSpan(wish, work);

export const currentSpan = (): SpanIds | null => {
  const span = used?.current() ?? null;
  return span === null ? null : { traceId: span.traceId, spanId: span.spanId };
};

/** The current span as a W3C `traceparent`, for a job or an event. Null if there is none. */
export const carrier = (): string | null => used?.current()?.carrier ?? null;
