import { healthAddress } from '../../../shared/config/loaded/health-port.ts';
import { localUrl } from '../../../shared/config/listen.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { ServiceName } from '../../../shared/config/service-needs.ts';

export type AddressSettings = Pick<Config, 'ingress' | 'health'>;

/** Where a service on this machine serves `/readyz`. Null for a worker when `health.enabled` is false. */
export const serviceUrl = ({ ingress, health }: AddressSettings, service: ServiceName): string | null => {
  if (service === 'ingress') return localUrl(ingress);
  const address = healthAddress(health, service);
  return address === null ? null : localUrl(address);
};
