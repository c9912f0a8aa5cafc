import type { Writable } from 'node:stream';
import type { Redis } from 'ioredis';

/**
 * Sends all commands of one turn of the event loop in one write, in their order. The driver would write each command by
 * itself, which takes more time than everything else about a command.
 */
export const gatherWrites = (redis: Redis): void => {
  const send = redis.sendCommand.bind(redis);
  let corked: Writable | null = null;
  const release = (): void => {
    corked?.uncork();
    corked = null;
  };
  redis.sendCommand = (command, stream) => {
    // The driver creates the stream when it connects. Without a connection, commands wait or fail by themselves.
    const socket: Writable | undefined = redis.stream;
    if (corked === null && socket !== undefined) {
      corked = socket;
      socket.cork();
      setImmediate(release);
    }
    return send(command, stream);
  };
};
