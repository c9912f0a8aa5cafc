/**
 * Makes a service started by `fixpoint up` exit when that process is gone, even if it was killed. Standard input is a
 * pipe, and only that process holds its other end. A service that runs alone does not set the option.
 */
import { parseArgs } from 'node:util';

export const WITH_PARENT = '--leave-with-stdin';

/** Contract: `runUntilSignal` is already listening, so that SIGTERM shuts the service down in order. */
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
