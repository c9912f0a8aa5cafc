import { findConfigPath, loadConfig } from '../../shared/config/load.ts';
import { secretValues } from '../../shared/config/loaded/secret-values.ts';
import { leaveWithParent, serviceArguments } from '../../shared/runtime/leave-with-parent.ts';
import { createLogger } from '../../shared/logger.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { createShutdown, runUntilSignal } from '../../shared/runtime/shutdown.ts';
import { startTracing } from '../../shared/runtime/start-tracing.ts';
import { PackagesMissingError } from '../../shared/runtime/packages-missing.ts';
import { startIngress } from './start.ts';

const { configPath, withParent } = serviceArguments();
const loaded = loadConfig({
  path: findConfigPath(configPath, process.env),
  env: process.env,
  needs: ['webhooks', 'redis', 'messages'],
});
if (!loaded.ok) {
  process.stderr.write(`${loaded.problems.join('\n')}\n`);
  process.exit(2);
}

const { config } = loaded;
const log = createLogger({
  service: 'ingress',
  level: config.log.level,
  to: 'stdout',
  secrets: secretValues(config.secrets),
});
const shutdown = createShutdown({ log });
const stopped = runUntilSignal({ shutdown, log });
if (withParent) leaveWithParent();
try {
  await startTracing({ service: 'ingress', log, shutdown });
  const metrics = createMetrics({ service: 'ingress', processMetrics: true, ...config.metrics });
  const ingress = await startIngress(config, { log, metrics, signal: shutdown.begun });
  shutdown.onShutdown('ingress', ingress.close);
  log.info(ingress.address, 'ingress listens');
} catch (err) {
  log.error({ err }, 'ingress could not start');
  const isLacking = err instanceof PackagesMissingError;
  if (isLacking) process.stderr.write(`${err.message}\n`);
  process.exit(isLacking ? 2 : 1);
}
await stopped;
