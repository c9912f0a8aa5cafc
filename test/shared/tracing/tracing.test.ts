import { afterEach, describe, expect, test } from 'vitest';
import { createLogger } from '../../../shared/logger.ts';
import { openTelemetry } from '../../../shared/runtime/open-telemetry.ts';
import { formatTraceParent, parseTraceParent } from '../../../shared/tracing/traceparent.ts';
import { carrier, currentSpan, inSpan, useAsProcessTracing } from '../../../shared/tracing/tracing.ts';
import { wantsTracing } from '../../../shared/tracing/wants-tracing.ts';

afterEach(() => useAsProcessTracing(null));

test.each([
  [{}, false],
  [{ OTEL_SERVICE_NAME: 'reviews' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
  [{ OTEL_TRACES_EXPORTER: 'console' }, true],
  [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
  [{ OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
])('%j: traces are wanted: %s', (env, isWanted) => {
  expect(wantsTracing(env)).toBe(isWanted);
});

describe('a traceparent', () => {
  const TEXT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  test('is read and written', () => {
    const parsed = parseTraceParent(TEXT);
    expect(parsed).toEqual({ traceId: TEXT.slice(3, 35), spanId: TEXT.slice(36, 52), traceFlags: 1 });
    expect(parsed === null ? null : formatTraceParent(parsed)).toBe(TEXT);
  });

  test.each([
    undefined,
    null,
    7,
    '',
    `01${TEXT.slice(2)}`,
    TEXT.toUpperCase(),
    `${TEXT}-x`,
    TEXT.replaceAll(/[1-9a-f]/g, '0'),
  ])('%j is none', (text) => {
    expect(parseTraceParent(text)).toBeNull();
  });
});

test('without tracing, a span is its work: no ids in jobs and logs', async () => {
  const lines: string[] = [];
  const log = createLogger({ service: 'x', level: 'info', to: { write: (line) => lines.push(line) }, secrets: [] });
  const answer = await inSpan({ name: 'a', kind: 'internal', parent: 'nonsense' }, async (span) => {
    span.set({ a: 1 });
    span.fail('b');
    log.info('inside');
    return [carrier(), currentSpan()];
  });
  expect(answer).toEqual([null, null]);
  expect(Object.keys(JSON.parse(lines[0] ?? '{}'))).toEqual(['level', 'time', 'service', 'msg']);
});

test('names the command that installs the packages if they are missing', async () => {
  const load = async () => Promise.reject(new Error('Cannot find package'));
  await expect(openTelemetry({ service: 'guard', onTrouble: () => {}, load })).rejects.toMatchObject({
    code: 'TRACING_NOT_INSTALLED',
    message: expect.stringContaining('npm install @opentelemetry/api@1.9 @opentelemetry/sdk-node@0.219'),
  });
});
