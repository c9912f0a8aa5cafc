/** An OTLP/HTTP collector on loopback that keeps what it is sent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const Value = z.looseObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  arrayValue: z.looseObject({ values: z.array(z.looseObject({ stringValue: z.string().optional() })) }).optional(),
});

const Span = z.looseObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: z.array(z.object({ key: z.string(), value: Value })).default([]),
});

const Export = z.looseObject({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: z.array(z.object({ key: z.string(), value: Value })) }),
      scopeSpans: z.array(z.looseObject({ spans: z.array(Span) })),
    }),
  ),
});

export type CollectedSpan = z.output<typeof Span> & { readonly service: string };

export type Collector = {
  /** What switches traces to this collector on. */
  readonly env: Readonly<Record<string, string>>;
  readonly spans: readonly CollectedSpan[];
  /** Everything that was sent, as text. */
  readonly texts: readonly string[];
  readonly close: () => Promise<void>;
};

export const attribute = ({ attributes }: Pick<CollectedSpan, 'attributes'>, key: string): unknown => {
  const value = attributes.find((each) => each.key === key)?.value;
  const list = value?.arrayValue?.values.map(({ stringValue }) => stringValue);
  return value?.stringValue ?? list ?? (value?.intValue === undefined ? undefined : Number(value.intValue));
};

export const startCollector = async (): Promise<Collector> => {
  const spans: CollectedSpan[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        texts.push(JSON.stringify(body));
        for (const { resource, scopeSpans } of Export.parse(body).resourceSpans) {
          const service = String(attribute(resource, 'service.name'));
          spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service }))));
        }
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      },
      () => response.writeHead(400).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Safe cast: a server that listens on TCP has an address of this type.
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
    spans,
    texts,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};
