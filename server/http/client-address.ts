/** What an unauthenticated client is counted by: its IPv4 address, or the /64 of its IPv6 address. */
import { isIPv6 } from 'node:net';

/** `203.0.113.7` or `2001:db8:1:2::/64`; an IPv4 address written as IPv6 is read as IPv4. */
export function addressForCounting(address: string | undefined): string {
  // A connection that was reset before its request was read has no address any more.
  if (address === undefined) return 'unknown';
  // A proxy may have forwarded anything in place of an address.
  if (!isIPv6(address)) return address.slice(0, 64);
  return mappedIpv4(address) ?? `${expandIpv6(address).slice(0, 4).join(':')}::/64`;
}

/** The IPv4 address that an IPv6 address stands for, in whichever spelling (`::ffff:203.0.113.7`, `::ffff:cb00:7107`). */
export function mappedIpv4(address: string): string | undefined {
  const groups = expandIpv6(address);
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return undefined;
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.');
}

/** The eight groups of an IPv6 address, in hex without leading zeros. */
export function expandIpv6(address: string): string[] {
  const [withoutZone = ''] = address.split('%');
  const [head = '', tail] = withoutZone.split('::');
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return [...left, ...(tail === undefined ? [] : zeros), ...right];
}

function groupsOf(part: string): string[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => (group.includes('.') ? groupsOfIpv4(group) : [trimZeros(group)]));
}

function groupsOfIpv4(dotted: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

function trimZeros(group: string): string {
  return group.toLowerCase().replace(/^0+(?=.)/, '');
}
