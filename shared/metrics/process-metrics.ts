import { collectDefaultMetrics, type Registry } from 'prom-client';

/** Gauges whose names say that they are counters. The metrics without `_total` have the same numbers, by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Memory, CPU and event loop of this process. */
export const collectProcessMetrics = (registry: Registry): void => {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
};
