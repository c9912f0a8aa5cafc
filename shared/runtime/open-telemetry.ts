/** Traces with the OpenTelemetry SDK, whose packages are optional and loaded only here. The SDK reads its own variables. */
import type * as Api from '@opentelemetry/api';
import { AppError } from '../errors.ts';
import { formatTraceParent, parseTraceParent } from '../tracing/traceparent.ts';
import { PackagesMissingError } from './packages-missing.ts';
import type { Span, SpanAttributes, SpanWish, Tracing } from '../tracing/tracing.ts';

/** Traces are wanted, but their packages are missing. */
export class TracingNotInstalledError extends PackagesMissingError {
  constructor(cause: unknown) {
    super({
      code: 'TRACING_NOT_INSTALLED',
      what: 'OpenTelemetry is switched on by an OTEL_… variable',
      packages: ['@opentelemetry/api@1.9', '@opentelemetry/sdk-node@0.219'],
      orElse: 'set OTEL_SDK_DISABLED=true',
      cause,
    });
  }
}

export type TelemetryOptions = {
  /** Used unless `OTEL_SERVICE_NAME` is set. */
  readonly service: string;
  /** Called when spans could not be exported; at most once a minute. */
  readonly onTrouble: () => void;
  /** Replaced in tests. */
  readonly load?: () => Promise<Packages>;
};

const loadPackages = async () => ({
  api: await import('@opentelemetry/api'),
  sdk: await import('@opentelemetry/sdk-node'),
});
type Packages = Awaited<ReturnType<typeof loadPackages>>;

/** @throws TracingNotInstalledError */
export const openTelemetry = async ({
  service,
  onTrouble,
  load = loadPackages,
}: TelemetryOptions): Promise<Tracing> => {
  const { api, sdk } = await load().catch((cause: unknown) => {
    throw new TracingNotInstalledError(cause);
  });
  const named = process.env['OTEL_SERVICE_NAME'] ?? '';
  const node = new sdk.NodeSDK({
    serviceName: named === '' ? `fixpoint-${service}` : named,
    // The other detectors describe the process, with its arguments and its account.
    resourceDetectors: [sdk.resources.envDetector],
    instrumentations: [],
  });
  listenForTrouble(api, onTrouble);
  node.start();
  return tracingOf(api, async () => node.shutdown());
};

const QUIET_MS = 60_000;

/** The messages of the SDK are dropped, because they may contain the address and headers of the collector. */
const listenForTrouble = ({ diag, DiagLogLevel }: typeof Api, onTrouble: () => void): void => {
  let lastMs = Number.NEGATIVE_INFINITY;
  const error = (): void => {
    if (performance.now() - lastMs < QUIET_MS) return;
    lastMs = performance.now();
    onTrouble();
  };
  const nothing = (): void => {};
  diag.setLogger(
    { error, warn: nothing, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
};

const tracingOf = (api: typeof Api, stop: () => Promise<void>): Tracing => {
  const tracer = api.trace.getTracer('fixpoint');
  return {
    inSpan: async (wish, work) =>
      tracer.startActiveSpan(wish.name, optionsOf(api, wish), contextOf(api, wish), async (span) => {
        try {
          return await work(spanOf(api, span));
        } catch (error) {
          spanOf(api, span).fail(typeOf(error));
          throw error;
        } finally {
          span.end();
        }
      }),
    current: () => {
      const context = api.trace.getSpanContext(api.context.active());
      if (context === undefined) return null;
      return { traceId: context.traceId, spanId: context.spanId, carrier: formatTraceParent(context) };
    },
    close: async () => endWithin(stop()),
  };
};

/** A collector that does not answer must not use up the time in which the process has to end. */
const CLOSE_MS = 1_500;

const endWithin = async (stopped: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([stopped.catch(() => {}), late]);
  clearTimeout(timer);
};

const kindsOf = ({ SpanKind }: typeof Api): Readonly<Record<SpanWish['kind'], Api.SpanKind>> => ({
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
});

const optionsOf = (api: typeof Api, { kind, attributes = {}, links = [] }: SpanWish): Api.SpanOptions => ({
  kind: kindsOf(api)[kind],
  attributes: copyOf(attributes),
  links: links.flatMap((link) => {
    const parsed = parseTraceParent(link);
    return parsed === null ? [] : [{ context: { ...parsed, isRemote: true } }];
  }),
});

const contextOf = (api: typeof Api, { parent }: SpanWish): Api.Context => {
  if (parent === undefined) return api.context.active();
  const parsed = parseTraceParent(parent);
  if (parsed === null) return api.ROOT_CONTEXT;
  return api.trace.setSpanContext(api.ROOT_CONTEXT, { ...parsed, isRemote: true });
};

const copyOf = (attributes: SpanAttributes): Api.Attributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, typeof value === 'object' ? [...value] : value]),
  );

const spanOf = (api: typeof Api, span: Api.Span): Span => ({
  set: (attributes) => void span.setAttributes(copyOf(attributes)),
  fail: (type) => void span.setStatus({ code: api.SpanStatusCode.ERROR }).setAttribute('error.type', type),
});

const typeOf = (error: unknown): string => {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
};
