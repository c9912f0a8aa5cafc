/** How this machine reaches other servers: directly or through the operator's proxy, and which certificates it trusts. */
import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { NO_PROXY_AT_ALL, type ProxySetting } from '../vocabulary/proxy-setting.ts';

type Environment = Readonly<Record<string, string | undefined>>;

type Proxies = { readonly httpProxy: string; readonly httpsProxy: string; readonly noProxy: string };

/** The lower-case name goes first, as in curl. */
const fromEnvironment = (env: Environment): Proxies => {
  const read = (name: string): string => env[name.toLowerCase()] || env[name] || '';
  return { httpProxy: read('HTTP_PROXY'), httpsProxy: read('HTTPS_PROXY'), noProxy: read('NO_PROXY') };
};

/** Null: no request goes through a proxy. */
const proxiesOf = (proxy: ProxySetting, env: Environment): Proxies | null => {
  if (proxy === NO_PROXY_AT_ALL) return null;
  if (proxy !== null) return { httpProxy: proxy, httpsProxy: proxy, noProxy: '' };
  const found = fromEnvironment(env);
  return found.httpProxy === '' && found.httpsProxy === '' ? null : found;
};

/** Names of the variables; a supervisor passes them to its processes. */
export const PROXY_VARIABLES: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** The same choice for git and other programs that read variables. All three are set, so that nothing is inherited. */
export const proxyVariables = (
  proxy: ProxySetting,
  env: Environment = process.env,
): Readonly<Record<string, string>> => {
  const proxies = proxiesOf(proxy, env);
  return proxies === null
    ? { http_proxy: '', https_proxy: '', no_proxy: '*' }
    : // Without a proxy of its own, https goes through the one for http, as requests of this process do.
      {
        http_proxy: proxies.httpProxy,
        https_proxy: proxies.httpsProxy || proxies.httpProxy,
        no_proxy: proxies.noProxy,
      };
};

export type OutgoingOptions = {
  readonly proxy: ProxySetting;
  /** Certificates of a private authority, in PEM, for the servers and an https proxy. */
  readonly ca?: string | undefined;
  readonly connectMs?: number;
  /** Resolves names of servers that are reached directly. */
  readonly lookup?: LookupFunction;
  readonly agent?: Omit<Agent.Options, 'connect'>;
};

export const isProxied = (proxy: ProxySetting, env: Environment = process.env): boolean =>
  proxiesOf(proxy, env) !== null;

/** Contract: the caller closes or destroys it, unless it lives as long as the process. */
export const createDispatcher = (options: OutgoingOptions, env: Environment = process.env): Dispatcher => {
  const { proxy, ca, connectMs, lookup, agent = {} } = options;
  const trust = { ...(ca === undefined ? {} : { ca }), ...(connectMs === undefined ? {} : { timeout: connectMs }) };
  const direct = { ...agent, connect: { ...trust, ...(lookup === undefined ? {} : { lookup }) } };
  const proxies = proxiesOf(proxy, env);
  if (proxies === null) return new Agent(direct);
  // Without a tunnel for plain http, because many proxies allow tunnels to port 443 only.
  return new EnvHttpProxyAgent({ ...direct, ...proxies, proxyTunnel: false, requestTls: trust, proxyTls: trust });
};
