/**
 * A network as companies have it: names that only a proxy resolves, and certificates of an authority of its own. The proxy
 * wants a password and logs what goes through it.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createProxy, type Server as ProxyServer } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { makeCertificate } from './openssl.ts';

export type PrivateNetwork = {
  /** PEM file of the authority. */
  readonly caFile: string;
  /** Without and with user and password; the proxy wants them if `isGuarded`. */
  readonly proxy: string;
  readonly proxyWithPassword: string;
  readonly password: string;
  /** `host:port` of each tunnel that was opened. */
  readonly tunnels: readonly string[];
  /** How often the proxy refused a request without its password. */
  readonly refused: () => number;
  /** Gives a server on this machine a name with TLS. Returns its address. */
  publish(name: string, url: string): Promise<string>;
  close(): Promise<void>;
};

const join = (one: Socket, other: Socket): void => {
  one.on('error', () => other.destroy()).pipe(other);
  other.on('error', () => one.destroy()).pipe(one);
};

const portOf = (server: Server | ProxyServer): number => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

const listen = async (server: Server | ProxyServer): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
};

export type NetworkWish = { readonly names: readonly string[]; readonly isGuarded: boolean };

export const startPrivateNetwork = async ({ names, isGuarded }: NetworkWish): Promise<PrivateNetwork> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-network-'));
  const files = makeCertificate(
    folder,
    names.map((name) => `DNS:${name}`),
  );
  const password = randomBytes(12).toString('hex');
  const expected = `Basic ${Buffer.from(`corp:${password}`).toString('base64')}`;
  const ports = new Map<string, number>();
  const servers: Server[] = [];
  const tunnels: string[] = [];
  let refused = 0;
  const proxy = createProxy((_request, response) => void response.writeHead(405).end());
  proxy.on('connect', (request, client: Socket) => {
    if (isGuarded && request.headers['proxy-authorization'] !== expected) {
      refused += 1;
      // Like a real proxy: git asks without the password first.
      client.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="corp"\r\n' +
          'Content-Length: 0\r\nConnection: close\r\n\r\n',
      );
      return;
    }
    const target = request.url ?? '';
    tunnels.push(target);
    const port = ports.get(target.split(':')[0] ?? '');
    if (port === undefined) {
      client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const server = connect(port, '127.0.0.1', () => void client.write('HTTP/1.1 200 Connection Established\r\n\r\n'));
    join(client, server);
  });
  const port = await listen(proxy);
  return {
    caFile: files.cert,
    proxy: `http://127.0.0.1:${port}`,
    proxyWithPassword: `http://corp:${password}@127.0.0.1:${port}`,
    password,
    tunnels,
    refused: () => refused,
    publish: async (name, url) => {
      const target = Number(new URL(url).port);
      const server = createTlsServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) }, (secure) =>
        join(secure, connect(target, '127.0.0.1')),
      );
      servers.push(server);
      ports.set(name, await listen(server));
      return `https://${name}`;
    },
    close: async () => {
      for (const server of [proxy, ...servers]) server.close();
      proxy.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
