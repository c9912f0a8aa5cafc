import { systemClock } from '../clock.ts';
import { type InstallationOptions, openHttp } from '../dialect/connect-options.ts';
import type { Forge } from '../port.ts';
import { createGitlab } from './adapter.ts';
import { createGitlabApi } from './api/requester.ts';
import { probeGitlabTraits } from './api/traits.ts';
import { gitlabTokenHeader } from './token-header.ts';

export const connectGitlab = async (options: InstallationOptions, signal: AbortSignal): Promise<Forge> => {
  const { baseUrl, clock = systemClock, onTraits, onStatusUnset = () => {} } = options;
  const http = openHttp(options, gitlabTokenHeader);
  const api = createGitlabApi(http);
  const traits = await probeGitlabTraits(api, http, signal);
  onTraits?.(traits);
  return createGitlab({ http, api, traits, baseUrl, clock, onStatusUnset });
};
