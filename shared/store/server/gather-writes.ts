import type { Writable } from 'node:stream';
import type { Redis } from 'ioredis';

/** Redis works on one write while this process computes the next, so a write should not become too long. */
const MAX_COMMANDS = 16;

/**
 * Sends the commands of one turn of the event loop in few writes, in their order. The driver would write each command by
 * itself, which takes more time than everything else about a command.
 */
export const gatherWrites = (redis: Redis): void => {
  const send = redis.sendCommand.bind(redis);
  let corked: Writable | null = null;
  let gathered = 0;
  const release = (): void => {
    corked?.uncork();
    corked = null;
  };
  redis.sendCommand = (command, stream) => {
    // The driver creates the stream when it connects. Without a connection, commands wait or fail by themselves.
    const socket: Writable | undefined = redis.stream;
    if (corked === null && socket !== undefined) {
      corked = socket;
      gathered = 0;
      socket.cork();
      setImmediate(release);
    }
    const answer = send(command, stream);
    gathered += 1;
    if (gathered >= MAX_COMMANDS) release();
    return answer;
  };
};
