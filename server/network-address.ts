/** Groups client addresses: by client for rate limits, by network for heartbeat warnings. */
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the key of one client: `203.0.113.7` or `2001:db8:1:2::/64`. An IPv4 address in IPv6 notation counts as IPv4.
 */
export function rateLimitAddress(address: string | undefined): string {
  if (address !== undefined && isIPv4(address)) return address;
  const parsed = parseAddress(address);
  // A connection that was reset before its request was read has no address.
  if (!parsed) return 'unknown';
  return parsed instanceof ipaddr.IPv6 ? ipv6Prefix(parsed, 4) : parsed.toString();
}

/** Returns the network of an address: `203.0.113.0/24`, `2001:db8:1::/48` or `unknown`. */
export function networkPrefix(address: string | undefined): string {
  if (address !== undefined && isIPv4(address)) return ipv4Prefix(address);
  const parsed = parseAddress(address);
  if (!parsed) return 'unknown';
  return parsed instanceof ipaddr.IPv6 ? ipv6Prefix(parsed, 3) : ipv4Prefix(parsed.toString());
}

/**
 * Parses the common notations only: `ipaddr.js` alone also accepts `127.1` and octal numbers, and throws on some zones.
 * An IPv4 address in IPv6 notation is returned as IPv4.
 */
export function parseAddress(address: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (address === undefined || isIP(address) === 0) return undefined;
  const [withoutZone = ''] = address.split('%');
  return ipaddr.process(withoutZone);
}

/**
 * Returns the address in an entry of X-Forwarded-For, which proxies also write as `203.0.113.7:4711`,
 * `[2001:db8::1]:4711`, `[2001:db8::1]` or with a zone; `undefined` for anything else.
 */
export function readForwardedAddress(entry: string): string | undefined {
  const text = entry.trim();
  const [, ipv6, ipv4] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? [];
  if (ipv6 !== undefined && isIP(ipv6) !== 6) return undefined;
  const address = ipv6 ?? ipv4 ?? text;
  return isIP(address) === 0 ? undefined : address.split('%')[0];
}

function ipv4Prefix(address: string): string {
  return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
}

function ipv6Prefix({ parts }: ipaddr.IPv6, groupCount: number): string {
  const groups = parts.slice(0, groupCount).map((part) => part.toString(16));
  return `${groups.join(':')}::/${groupCount * 16}`;
}
