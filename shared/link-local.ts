/**
 * Link-local addresses belong to the machine's own network segment, where cloud providers serve credentials (169.254.169.254).
 * See RFC 3927 and RFC 4291 2.5.6.
 */
import { BlockList, isIP } from 'node:net';

const blocked = new BlockList();
blocked.addSubnet('169.254.0.0', 16, 'ipv4');
blocked.addSubnet('fe80::', 10, 'ipv6');
// The same IPv4 network written as IPv6: mapped, compatible, NAT64 (RFC 6052) and 6to4 (RFC 3056).
blocked.addSubnet('::ffff:169.254.0.0', 112, 'ipv6');
blocked.addSubnet('::169.254.0.0', 112, 'ipv6');
blocked.addSubnet('64:ff9b::169.254.0.0', 112, 'ipv6');
blocked.addSubnet('2002:a9fe::', 32, 'ipv6');

/** `host` is an address or the host of a URL. Returns false for a name, because its address is checked when connecting. */
export const isLinkLocal = (host: string): boolean => {
  const [address = ''] = host.replace(/^\[|\]$/g, '').split('%');
  const family = isIP(address);
  return family !== 0 && blocked.check(address, family === 4 ? 'ipv4' : 'ipv6');
};
