import { systemClock } from '../clock.ts';
import { type InstallationOptions, openHttp } from '../dialect/connect-options.ts';
import type { Forge } from '../port.ts';
import { createForgejo } from './adapter.ts';
import { probeTraits } from './api/traits.ts';

export const connectForgejo = async (options: InstallationOptions, signal: AbortSignal): Promise<Forge> => {
  const { baseUrl, clock = systemClock, onTraits, isEdited } = options;
  const http = openHttp(options);
  const traits = await probeTraits(http, signal);
  onTraits?.(traits);
  return createForgejo({ http, traits, baseUrl, clock, ...(isEdited === undefined ? {} : { isEdited }) });
};
