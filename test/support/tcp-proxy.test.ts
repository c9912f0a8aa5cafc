import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const echo = async (prefix: string): Promise<Server> => {
  const server = createServer((socket) => socket.on('data', (data) => socket.write(prefix + data.toString())));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

let servers: readonly [Server, Server];
let proxy: TcpProxy;
beforeEach(async () => {
  servers = [await echo('one '), await echo('two ')];
  proxy = await startTcpProxy(portOf(servers[0]));
});
afterEach(async () => {
  await proxy.close();
  for (const server of servers) server.close();
});

const dial = (): Socket => connect(proxy.port, '127.0.0.1');

const say = async (socket: Socket, text: string): Promise<string> => {
  const answer = once(socket, 'data', { signal: AbortSignal.timeout(5_000) });
  socket.write(text);
  return String((await answer)[0]);
};

test('passes both ways, and to the new target after it was led elsewhere', async () => {
  const socket = dial();
  expect(await say(socket, 'a')).toBe('one a');
  const closed = once(socket, 'close');
  proxy.retarget(portOf(servers[1]));
  await closed;
  expect(await say(dial(), 'b')).toBe('two b');
});

test('lets nothing through while it is cut, and new connections afterwards', async () => {
  const socket = dial();
  await say(socket, 'a');
  const closed = once(socket, 'close');
  proxy.cut();
  await closed;
  await once(dial(), 'close');
  proxy.heal();
  expect(await say(dial(), 'b')).toBe('one b');
});

test('holds back what is said while it is stalled, and loses nothing', async () => {
  const [old, young] = [dial(), dial()];
  await say(old, 'a');
  proxy.stall();
  const late = dial();
  const heard: string[] = [];
  for (const socket of [old, late]) socket.on('data', (data) => heard.push(String(data)));
  old.write('b');
  late.write('c');
  // An answer on another connection shows that the stalled connections had enough time.
  const other = connect(portOf(servers[0]), '127.0.0.1');
  await say(other, 'd');
  expect(heard).toEqual([]);
  proxy.heal();
  await expect.poll(() => heard.toSorted()).toEqual(['one b', 'one c']);
  for (const socket of [old, young, late, other]) socket.destroy();
});
