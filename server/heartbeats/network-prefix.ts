/** The network that an address belongs to, as far as a person's connection is told by it: IPv4 /24, IPv6 /48. */
import { isIPv4, isIPv6 } from 'node:net';
import { expandIpv6, mappedIpv4 } from '../http/client-address.ts';

/** `203.0.113.0/24` or `2001:db8:1::/48`; an IPv4 address written as IPv6 is read as IPv4. */
export function networkOf(address: string | undefined): string {
  // A connection that was reset before its request was read has no address any more.
  if (address === undefined) return 'unknown';
  const ipv4 = isIPv6(address) ? (mappedIpv4(address) ?? address) : address;
  if (isIPv4(ipv4)) return `${ipv4.split('.').slice(0, 3).join('.')}.0/24`;
  if (isIPv6(address)) return `${expandIpv6(address).slice(0, 3).join(':')}::/48`;
  return 'unknown';
}
