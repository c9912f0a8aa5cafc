import { listTroubles, type Troubles } from '../../../shared/overview/troubles.ts';
import type { PageSource } from './source.ts';

/** Outages and misconfigurations are those of the installation and name no project. */
export const readTroubles = async ({ redis, keys, sight, nowMs }: PageSource): Promise<Troubles> => {
  const troubles = await listTroubles({ redis, keys, nowMs: nowMs() });
  return { ...troubles, pauses: troubles.pauses.filter(sight.sees) };
};
