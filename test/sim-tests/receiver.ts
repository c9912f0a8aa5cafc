import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

export type Receiver = {
  readonly url: string;
  readonly received: readonly Received[];
  /** What to answer from now on. */
  answer: number;
  close(): Promise<void>;
};

/** Takes webhooks as they come and keeps them. */
export const startReceiver = async (): Promise<Receiver> => {
  const received: Received[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      received.push({ headers: req.headers, body: Buffer.concat(chunks).toString('utf8') });
      res.writeHead(receiver.answer).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an address of this shape.
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: 202,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
};

export const payloadOf = (received: Received | undefined): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(received?.body ?? 'null'));
