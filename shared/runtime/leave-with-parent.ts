/**
 * A service that `fixpoint up` started leaves when that process is gone, also when it was killed: standard input is a
 * pipe whose other end only that process holds. A service that was started by itself has no such option.
 */
import { parseArgs } from 'node:util';

export const WITH_PARENT = '--leave-with-stdin';

/** Contract: `runUntilSignal` listens already, so that SIGTERM lets the service leave in order. */
export const leaveWithParent = (stdin: NodeJS.ReadStream = process.stdin): void => {
  stdin
    .once('end', () => process.kill(process.pid, 'SIGTERM'))
    .once('error', () => process.kill(process.pid, 'SIGTERM'));
  stdin.resume();
};

export const serviceArguments = () => {
  const { values } = parseArgs({ options: { config: { type: 'string' }, 'leave-with-stdin': { type: 'boolean' } } });
  return { configPath: values.config, withParent: values['leave-with-stdin'] === true };
};
