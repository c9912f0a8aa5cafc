import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';

/** Addresses that a new forge installation refuses to call: loopback, private, link-local and unique local addresses. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4');
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** Returns false for a name that does not resolve here, because the forge may be able to resolve it. */
export const isPrivateHost = async (hostname: string): Promise<boolean> => {
  try {
    const all = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
    return all.some(({ address, family }) => PRIVATE.check(address, family === 6 ? 'ipv6' : 'ipv4'));
  } catch {
    return false;
  }
};
