/** `fixpoint health`: asks the services on this machine whether they are ready. The health check of the image. */
import { type Config, findConfigPath } from '../../shared/config/load.ts';
import { type ServiceName, servicesOf } from '../../shared/config/service-needs.ts';
import { escapeForTerminalLine } from '../../shared/text/visible.ts';
import { askHealth } from './health/ask-health.ts';
import { serviceUrl } from './health/service-url.ts';
import { loadOrThrow } from './terminal/load-or-throw.ts';
import { serviceNamed } from './terminal/service-named.ts';
import { untilInterrupted } from './terminal/until-interrupted.ts';
import { UsageError } from './terminal/usage-error.ts';
import { withEnvFile } from './variables/with-env-file.ts';

export type HealthOptions = { readonly config?: string };

/**
 * Returns the exit code: 0 if all services are ready, 1 if one is not. @throws `USAGE` for an unknown service, or one
 * without an address
 */
export const health = async (service: string | undefined, { config: path }: HealthOptions): Promise<number> => {
  // No secret is needed, because every container runs this with only the secrets of its own service.
  const config = loadOrThrow(withEnvFile({ path: findConfigPath(path, process.env), env: process.env, needs: [] }));
  const asked = service === undefined ? allOf(config) : [oneOf(config, service)];
  const lines = await untilInterrupted(async (signal) =>
    Promise.all(
      asked.map(async ({ name, url }) => {
        const { ready, problems } = await askHealth(url, signal);
        return { ready, text: `${name}: ${ready ? 'ready' : escapeForTerminalLine(problems.join('; '))}\n` };
      }),
    ),
  );
  process.stdout.write(lines.map(({ text }) => text).join(''));
  return lines.every(({ ready }) => ready) ? 0 : 1;
};

type Asked = { readonly name: ServiceName; readonly url: string };

/** With `health.enabled = false`, only the ingress. */
const allOf = (config: Config): readonly Asked[] =>
  servicesOf(config).flatMap((name) => {
    const url = serviceUrl(config, name);
    return url === null ? [] : [{ name, url }];
  });

const oneOf = (config: Config, service: string): Asked => {
  const name = serviceNamed(service);
  const url = serviceUrl(config, name);
  if (url === null) throw new UsageError(`health.enabled is false, so the readiness of the ${name} cannot be checked`);
  return { name, url };
};
