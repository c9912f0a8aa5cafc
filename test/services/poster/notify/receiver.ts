/** A receiver of notifications over real HTTP, which does what it is told, request by request. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Deed =
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** Takes the request and says nothing. */
  | { readonly kind: 'hang' }
  /** Takes the request and ends the connection. */
  | { readonly kind: 'reset' }
  /** Says 200, and ends the connection before the end of the body. */
  | { readonly kind: 'cut' }
  /** Says 200, and then more than anybody reads. */
  | { readonly kind: 'flood' };

export type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Receiver = {
  readonly port: number;
  readonly url: string;
  readonly received: readonly Received[];
  /** What it does next; after the last deed it answers 200. */
  script(...deeds: readonly Deed[]): void;
  close(): Promise<void>;
};

/** `path`: makes the address secret. */
export const startReceiver = async (path: string): Promise<Receiver> => {
  const received: Received[] = [];
  const deeds: Deed[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      });
      act(deeds.shift() ?? { kind: 'answer', status: 200 }, response);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}${path}`,
    received,
    script: (...more) => void deeds.splice(0, deeds.length, ...more),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

const act = (deed: Deed, response: ServerResponse): void => {
  switch (deed.kind) {
    case 'answer':
      response.writeHead(deed.status, deed.headers).end('ok');
      return;
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'cut':
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => setImmediate(() => response.socket?.destroy()));
      return;
    case 'flood':
      response.writeHead(200);
      response.write(Buffer.alloc(1024 * 1024));
      return;
    default:
      deed satisfies never;
  }
};
