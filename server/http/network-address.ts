/** What client addresses are grouped by: one client for rate limits, one network for heartbeat warnings. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** One client: `203.0.113.7` or `2001:db8:1:2::/64`. An IPv4 address in IPv6 notation counts as IPv4. */
export function rateLimitAddress(address: string | undefined): string {
  // A connection that was reset before its request was read has no address.
  if (address === undefined) return 'unknown';
  const parsed = parseAddress(address);
  // A proxy may have forwarded anything in place of an address.
  if (!parsed) return address.slice(0, 64);
  return parsed instanceof ipaddr.IPv6 ? ipv6Prefix(parsed, 4) : parsed.toString();
}

/** The network of an address: `203.0.113.0/24`, `2001:db8:1::/48` or `unknown`. */
export function networkPrefix(address: string | undefined): string {
  const parsed = address === undefined ? undefined : parseAddress(address);
  if (!parsed) return 'unknown';
  return parsed instanceof ipaddr.IPv6 ? ipv6Prefix(parsed, 3) : `${parsed.octets.slice(0, 3).join('.')}.0/24`;
}

/** Reads the common notations only: `ipaddr.js` alone reads `127.1` and octal numbers too, and throws on some zones. */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [withoutZone = ''] = address.split('%');
  return isIP(address) === 0 ? undefined : ipaddr.process(withoutZone);
}

function ipv6Prefix({ parts }: ipaddr.IPv6, groupCount: number): string {
  const groups = parts.slice(0, groupCount).map((part) => part.toString(16));
  return `${groups.join(':')}::/${groupCount * 16}`;
}
