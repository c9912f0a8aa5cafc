/** Checks the receivers of `[[notify]]` without sending anything; loading the configuration checks their variables. */
import { lookup } from 'node:dns/promises';
import type { Config } from '../../../shared/config/load.ts';
import type { NotifyHook } from '../../../shared/config/notify-settings.ts';
import { isLinkLocal } from '../../../shared/link-local.ts';
import { isLoopback } from '../../../shared/loopback.ts';
import { type Check, fail, ok, type Seen, warn } from './check.ts';

const TIMEOUT_MS = 10_000;

export const notifyChecks = ({ notify, secrets }: Config): readonly Check[] =>
  notify.map((hook) => ({
    name: `notify ${hook.name}`,
    timeoutMs: TIMEOUT_MS,
    fix: `check the URL in ${hook.urlEnv}`,
    look: async () => lookAt(hook, new URL(secrets.receivers.get(hook.name)?.url ?? '')),
  }));

/** The host is part of the secret, so it is not printed. */
const lookAt = async ({ kind, urlEnv }: NotifyHook, { hostname, protocol }: URL): Promise<readonly Seen[]> => {
  const addresses = await addressesOf(hostname.replace(/^\[|\]$/g, ''));
  if (addresses.length === 0)
    return [warn(`the host in ${urlEnv} has no IP address`, `check the URL in ${urlEnv} and your DNS`)];
  if (addresses.some(isLinkLocal))
    return [fail(`the host in ${urlEnv} has a link-local address: nothing is sent there`, `correct ${urlEnv}`)];
  if (protocol === 'http:' && !isLoopback(hostname))
    return [warn(`the URL in ${urlEnv} uses no encryption`, `use https:// in ${urlEnv}`)];
  return [ok(`${kind}, URL set and well-formed`)];
};

const addressesOf = async (host: string): Promise<readonly string[]> => {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    // Errors of the name lookup: https://nodejs.org/docs/latest-v20.x/api/dns.html#error-codes
    if (error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo') return [];
    throw error;
  }
};
