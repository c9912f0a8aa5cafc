import type { Logger } from '../logger.ts';
import { openTelemetry } from './open-telemetry.ts';
import { useAsProcessTracing } from '../tracing/tracing.ts';
import { wantsTracing } from '../tracing/wants-tracing.ts';
import type { Shutdown } from './shutdown.ts';

type Starting = { readonly service: string; readonly log: Logger; readonly shutdown: Shutdown };

/** Sends the spans of this process if the `OTEL_…` variables say so. @throws TracingNotInstalledError */
export const startTracing = async ({ service, log, shutdown }: Starting): Promise<void> => {
  if (!wantsTracing(process.env)) return;
  const onTrouble = (): void => log.warn('traces could not be exported');
  const tracing = await openTelemetry({ service, onTrouble });
  useAsProcessTracing(tracing);
  log.info('traces are exported');
  // Registered first, so that it is closed last.
  shutdown.onShutdown('tracing', tracing.close);
};
