/**
 * Who counts as one, where strangers are bounded by where they come from.
 *
 * One customer of a provider has one IPv4 address, or a whole /64 of IPv6: counted by single IPv6 addresses, nobody would
 * ever be too many.
 */
import { BlockList, isIP } from 'node:net';

const GROUPS = 8;
const PREFIX_GROUPS = 4;

/** The address, or its /64; what is no address is its own key. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  return isIP(address) === 6 ? prefixOf(address) : address;
}

function prefixOf(address: string): string {
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = Array.from({ length: Math.max(0, GROUPS - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, PREFIX_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

const near = new BlockList();
near.addSubnet('127.0.0.0', 8);
near.addSubnet('10.0.0.0', 8);
near.addSubnet('172.16.0.0', 12);
near.addSubnet('192.168.0.0', 16);
near.addAddress('::1', 'ipv6');
near.addSubnet('fc00::', 7, 'ipv6');
near.addSubnet('fe80::', 10, 'ipv6');

/**
 * Whether it is of this machine or of a private network, or no IP address at all: a proxy stands there, or a framework, and all
 * players come from it.
 */
export function isNear(address: string): boolean {
  const mapped = addressKey(address);
  if (isIP(mapped) === 4) return near.check(mapped);
  return isIP(address) !== 6 || near.check(address, 'ipv6');
}
