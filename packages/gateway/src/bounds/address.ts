/**
 * Which addresses count as one client where connections are limited by address.
 *
 * One customer of a provider has one IPv4 address, or a whole /64 of IPv6. If each IPv6 address counted on
 * its own, no customer would ever reach a limit.
 */
import { BlockList, isIP } from 'node:net';

const GROUPS = 8;
const PREFIX_GROUPS = 4;

/** Most characters of an address: the longest is one of IPv6 with a zone. */
const ADDRESS_LENGTH_MAX = 64;

/**
 * The IPv4 address or the IPv6 /64. A short text that is no address is its own key. Longer texts share one: thousands
 * of keys are kept at once, and a client may write what a header says.
 */
export function addressKey(address: string): string {
  if (address.length > ADDRESS_LENGTH_MAX) return 'too long';
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
 * Whether the address belongs to this machine or to a private network, or is no IP address at all: then it is
 * a proxy or a framework that all players share.
 */
export function isNear(address: string): boolean {
  const mapped = addressKey(address);
  if (isIP(mapped) === 4) return near.check(mapped);
  return isIP(address) !== 6 || near.check(address, 'ipv6');
}
