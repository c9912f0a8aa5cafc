/** A TCP proxy that a test can cut, stall and redirect. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type TcpProxy = {
  readonly port: number;
  cut(): void;
  /** Keeps connections and accepts new ones, but passes no bytes until `heal`. */
  stall(): void;
  heal(): void;
  /** Closes every connection; new ones go to another port of 127.0.0.1. */
  retarget(port: number): void;
  close(): Promise<void>;
};

type Pair = { readonly client: Socket; readonly server: Socket };

const flow = ({ client, server }: Pair): void => {
  client.pipe(server);
  server.pipe(client);
};

const hold = ({ client, server }: Pair): void => {
  client.unpipe(server).pause();
  server.unpipe(client).pause();
};

const end = ({ client, server }: Pair): void => {
  client.destroy();
  server.destroy();
};

export const startTcpProxy = async (targetPort: number): Promise<TcpProxy> => {
  const pairs = new Set<Pair>();
  let state: 'open' | 'cut' | 'stalled' = 'open';
  let target = targetPort;
  const endAll = (): void => pairs.forEach(end);
  const listener = createServer((client) => {
    // On an error, close the socket, so that the other side closes too.
    client.on('error', () => client.destroy());
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const pair: Pair = { client, server: connect(target, '127.0.0.1') };
    pairs.add(pair);
    pair.server.on('error', () => end(pair));
    for (const socket of [pair.client, pair.server])
      socket.once('close', () => {
        end(pair);
        pairs.delete(pair);
      });
    if (state === 'open') flow(pair);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    cut: () => {
      state = 'cut';
      endAll();
    },
    stall: () => {
      state = 'stalled';
      pairs.forEach(hold);
    },
    heal: () => {
      const held = state === 'stalled';
      state = 'open';
      if (held) pairs.forEach(flow);
    },
    retarget: (port) => {
      target = port;
      endAll();
    },
    close: async () => {
      endAll();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
};
