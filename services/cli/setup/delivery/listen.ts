/**
 * Listens in place of an ingress that is not running, for the duration of a test delivery. It answers a real event with
 * 503, and the sweep of the services finds that event later.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { ListenAddress } from '../../../../shared/config/listen.ts';
import { classifyDelivery } from '../../../ingress/classify-delivery.ts';
import type { IngressForge } from '../../../ingress/ingress-forge.ts';
import type { DeliveryCounts } from './count-deliveries.ts';

export type DeliveryListener = { readonly counts: () => DeliveryCounts; readonly close: () => Promise<void> };

const MAX_BYTES = 25 * 1024 * 1024;
const REQUEST_MS = 10_000;

/** @throws errors of `listen`, such as EADDRINUSE */
export const listenForDeliveries = async (
  { host, port }: ListenAddress,
  forge: IngressForge,
): Promise<DeliveryListener> => {
  let taken = 0;
  let refused = 0;
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    void answer(request, response, forge).then((outcome) => {
      if (outcome === 'taken') taken += 1;
      if (outcome === 'refused') refused += 1;
    });
  });
  server.listen({ host, port });
  await once(server, 'listening');
  return {
    counts: () => ({ taken, refused }),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

type Outcome = 'taken' | 'refused' | 'other';

const answer = async (request: IncomingMessage, response: ServerResponse, forge: IngressForge): Promise<Outcome> => {
  const send = (status: number, outcome: Outcome): Outcome => {
    response.writeHead(status, { connection: 'close' }).end();
    return outcome;
  };
  const [path = ''] = (request.url ?? '').split('?');
  if (request.method !== 'POST' || path !== `/webhooks/${forge.id}`) return send(404, 'other');
  const rawBody = await readBody(request);
  if (rawBody === null) return send(413, 'other');
  const { kind } = classifyDelivery(forge, { headers: request.headers, rawBody, receivedAtMs: Date.now() });
  if (kind === 'ignored') return send(200, 'taken');
  if (kind === 'unauthenticated') return send(401, 'refused');
  if (kind === 'malformed' || kind === 'encoded') return send(400, 'refused');
  return send(503, 'taken');
};

const readBody = async (request: IncomingMessage): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      const part = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      bytes += part.length;
      if (bytes > MAX_BYTES) return null;
      chunks.push(part);
    }
  } catch {
    // The sender closed the connection.
    return null;
  }
  return Buffer.concat(chunks);
};
