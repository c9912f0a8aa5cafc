import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../../shared/config/load.ts';
import { SERVICE_NEEDS, type ServiceName, secretVariables } from '../../../shared/config/service-needs.ts';
import { PROXY_VARIABLES } from '../../../shared/network/outgoing.ts';
import { WITH_PARENT } from '../../../shared/runtime/leave-with-parent.ts';
import type { Exit, Running } from './keep-running.ts';

export type Start = {
  readonly config: Config;
  readonly configPath: string;
  readonly env: NodeJS.ProcessEnv;
  /** Receives each line of the log. If null, the log is written to the output of this process. */
  readonly onLine: ((line: string) => void) | null;
};

const PLAIN_VARIABLES = [
  ...'PATH HOME TZ LANG TMPDIR NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS'.split(' '),
  'FIXPOINT_LISTEN',
  'FIXPOINT_CONSOLE_LISTEN',
  ...PROXY_VARIABLES,
];

/** Longer than a service needs to shut down, shorter than the grace period of an orchestrator. */
const LEAVE_MS = 9_500;

/** Only the secrets of the service, and what is no secret of Fixpoint: plain variables, and those of OpenTelemetry. */
export const environmentOf = (name: ServiceName, { config, env }: Pick<Start, 'config' | 'env'>): NodeJS.ProcessEnv => {
  const tracing = Object.keys(env).filter((key) => key.startsWith('OTEL_'));
  const variables = [...PLAIN_VARIABLES, ...tracing, ...secretVariables(config, SERVICE_NEEDS[name])];
  return Object.fromEntries(variables.flatMap((key) => (env[key] === undefined ? [] : [[key, env[key]]])));
};

export const startService = (name: ServiceName, { config, configPath, env, onLine }: Start): Running => {
  const own = environmentOf(name, { config, env });
  const main = fileURLToPath(new URL(`../../${name}/main.js`, import.meta.url));
  // Nothing is written to the first pipe; when it closes, the service knows that this process is gone.
  const child = spawn(process.execPath, [main, '--config', configPath, WITH_PARENT], {
    env: own,
    stdio: ['pipe', onLine === null ? 'inherit' : 'pipe', 'inherit'],
  });
  if (child.stdout !== null && onLine !== null) createInterface({ input: child.stdout }).on('line', onLine);
  return { gone: exitOf(child), stop: stopOnce(child) };
};

const stopOnce = (child: ChildProcess) => {
  const send = (signal: NodeJS.Signals): void => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  };
  return (signal: NodeJS.Signals): void => {
    send(signal);
    setTimeout(() => send('SIGKILL'), LEAVE_MS).unref();
  };
};

const exitOf = async (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ code: 1, how: `could not be started (${message})` }));
    child.once('exit', (code, signal) =>
      resolve(
        signal === null
          ? { code: code ?? 0, how: `exited with code ${code ?? 0} (see the end of its log)` }
          : { code: 1, how: `was killed by ${signal}`, signal },
      ),
    );
  });
