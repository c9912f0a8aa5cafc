const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * True for this machine. `hostname` is that of a parsed `URL`: lower case, IPv4 as four decimal numbers, IPv6 in
 * brackets.
 */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname);
