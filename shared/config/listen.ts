import type { Environment } from './secrets.ts';

export type ListenAddress = { readonly host: string; readonly port: number };

const LISTEN = /^(?<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):(?<port>\d{1,5})$/;

/** HOST:PORT, with an IPv6 address in brackets. Null for anything else. */
export const parseListenAddress = (text: string): ListenAddress | null => {
  const { host = '', port = '' } = LISTEN.exec(text)?.groups ?? {};
  if (host === '' || Number(port) < 1 || Number(port) > 65_535) return null;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
};

/** HOST:PORT for people, with an IPv6 address in brackets. */
export const listenText = ({ host, port }: ListenAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

export type ListenReading = { readonly address: ListenAddress | null; readonly problems: readonly string[] };

/**
 * Replaces `ingress.host` and `ingress.port`. The image sets it: the default address cannot be reached from outside a
 * container, and a container publishes one fixed port.
 */
export const readListen = (env: Environment): ListenReading => readAddress('FIXPOINT_LISTEN', env['FIXPOINT_LISTEN']);

/** Replaces `console.host` and `console.port` in the same way. */
export const readConsoleListen = (env: Environment): ListenReading =>
  readAddress('FIXPOINT_CONSOLE_LISTEN', env['FIXPOINT_CONSOLE_LISTEN']);

const readAddress = (name: string, text = ''): ListenReading => {
  if (text === '') return { address: null, problems: [] };
  const address = parseListenAddress(text);
  const problem = `the environment variable ${name}: expected HOST:PORT, such as 0.0.0.0:8080`;
  return { address, problems: address === null ? [problem] : [] };
};

/** URL of a server on this machine. A server that listens on every address is reached on loopback. */
export const localUrl = ({ host, port }: ListenAddress): string => `http://${reachable(host)}:${port}`;

const reachable = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
};
